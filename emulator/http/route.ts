import type { BodyShape, Operation } from "../../contracts/spec/operation.ts";
import { OPERATIONS, type OperationId } from "../../contracts/spec/operations.ts";
import { createRouter, type Route, segmentsOf } from "../../contracts/spec/path.ts";
import {
  UNSHOWN_WORDS,
  type UnshownPath,
  unshownArea,
  unshownPath,
} from "../../contracts/spec/undocumented-paths.ts";
import { lazily } from "../kernel/lazily.ts";
import type { Settings } from "../subjects/settings.ts";

/** An operation with its path parameters. */
export interface OperationRoute {
  readonly kind: "operation";
  readonly id: OperationId;
  readonly operation: Operation;
  readonly parameters: Readonly<Record<string, string>>;
  /** Candidates that the body selects from, the one for any body last; absent if there is only one. */
  readonly choices?: readonly OperationId[];
}

/** The result of routing a method and path. */
export type RequestRoute =
  | OperationRoute
  | { readonly kind: "preflight"; readonly methods: readonly string[] | undefined }
  | { readonly kind: "unshown"; readonly unshown: UnshownPath }
  /** `operation` is one of the operations of the path. */
  | {
      readonly kind: "wrong method";
      readonly allow: readonly string[];
      readonly operation: Operation | undefined;
    };

type Assumptions = Settings["assumptions"];

const NO_PARAMETERS: OperationRoute["parameters"] = {};
const routes = lazily(operationRoutes);
const ROUTER = createRouter(routes);
const WORD = /^[a-z][a-z_-]*$/;

/** Routes of templates without parameters, by path and method, for direct lookup. */
const wholePaths = lazily(pathsWithoutParameters);

/** Finds the operation of a request; the result is used throughout the request. */
export function routeOf(method: string, path: string, assumptions: Assumptions): RequestRoute {
  return wholePaths().get(path)?.get(method) ?? searchedRoute(method, path, assumptions);
}

function searchedRoute(method: string, path: string, assumptions: Assumptions): RequestRoute {
  // The public service was not seen to answer on the singular paths of §4.8.
  const isHidden = path.startsWith("/thread/") && assumptions["agent.both_spellings"] === "/threads";
  const match = isHidden ? undefined : ROUTER.find(method, segmentsOf(path));
  if (match && "row" in match && !hasUnshownWord(match.parameters))
    return { ...match.row, parameters: match.parameters };
  const unshown = unshownPath(method, path);
  const allow = match && "allow" in match ? match.allow : undefined;
  if (method === "OPTIONS") return { kind: "preflight", methods: unshown ? undefined : allow };
  if (unshown) return { kind: "unshown", unshown };
  if (match && "row" in match) return { ...match.row, parameters: match.parameters };
  return (allow && wrongMethod(allow, path)) ?? { kind: "unshown", unshown: unshownArea(path) };
}

/** Undefined for a path of its own that only looks like that of an operation. */
function wrongMethod(allow: readonly string[], path: string): RequestRoute | undefined {
  const route = routeAt(allow[0], path);
  if (route && hasWordForId(route)) return undefined;
  return { kind: "wrong method", allow, operation: route?.operation };
}

/** Tests whether a word is in the place of an id: `/runs/group` is not a run, but a path of its own. */
function hasWordForId({ operation, parameters }: OperationRoute): boolean {
  return Object.entries(parameters).some(
    ([name, value]) => operation.pathParameters?.[name]?.format === "uuid" && WORD.test(value),
  );
}

function hasUnshownWord(parameters: OperationRoute["parameters"]): boolean {
  for (const name in parameters) if (UNSHOWN_WORDS.has(parameters[name] ?? "")) return true;
  return false;
}

function routeAt(method = "", path: string): OperationRoute | undefined {
  const match = ROUTER.find(method, segmentsOf(path));
  return match && "row" in match ? { ...match.row, parameters: match.parameters } : undefined;
}

function operationRoutes(): readonly Route<OperationRoute>[] {
  const rows = Object.entries<Operation>(OPERATIONS) as [OperationId, Operation][];
  const ids = new Map<string, OperationId[]>();
  // Operations with a body condition come before the one for any body.
  for (const [id, { method, path, alsoAt = [] }] of rows.sort(([, a], [, b]) => rankOf(a) - rankOf(b)))
    for (const template of [path, ...alsoAt]) {
      const call = `${method} ${template}`;
      ids.set(call, [...(ids.get(call) ?? []), id]);
    }
  return [...ids].map(([call, choices]) => {
    const [method = "", path = ""] = call.split(" ");
    return { methods: [method], path, row: routeTo(choices) };
  });
}

function pathsWithoutParameters(): ReadonlyMap<string, ReadonlyMap<string, OperationRoute>> {
  const paths = new Map<string, Map<string, OperationRoute>>();
  for (const { methods = [], path, row } of routes().filter((route) => !route.path.includes("{")))
    for (const method of methods) paths.set(path, (paths.get(path) ?? new Map()).set(method, row));
  return paths;
}

function rankOf({ when }: Operation): number {
  return when ? 0 : 1;
}

function routeTo(choices: readonly OperationId[]): OperationRoute {
  const id = choices.at(-1) as OperationId;
  const only = { kind: "operation", id, operation: OPERATIONS[id], parameters: NO_PARAMETERS } as const;
  return choices.length > 1 ? { ...only, choices } : only;
}

/** Selects the operation by the shape of the body. */
export function chosenRoute(route: OperationRoute, body: unknown): OperationRoute {
  for (const id of route.choices ?? []) {
    const operation: Operation = OPERATIONS[id];
    if (!operation.when || fits(body, operation.when)) return { ...route, id, operation };
  }
  return route;
}

function fits(body: unknown, when: BodyShape): boolean {
  if (when.body === "array") return Array.isArray(body);
  return typeof body === "object" && body !== null && !Array.isArray(body) && when.member in body;
}
