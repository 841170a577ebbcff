import type { BodyShape, Operation } from "../../contracts/spec/operation.ts";
import { OPERATIONS, type OperationId } from "../../contracts/spec/operations.ts";
import { createRouter, type Route } from "../../contracts/spec/path.ts";

const ROWS = Object.entries<Operation>(OPERATIONS) as [OperationId, Operation][];

/** Leads to the rows of a method and path: one, or several of which the body decides. */
export const ROUTER = createRouter(routes());

function routes(): readonly Route<readonly OperationId[]>[] {
  const rows = new Map<string, Route<OperationId[]>>();
  // Rows that ask for a certain body come before the one that takes any.
  const inOrder = [...ROWS.filter(([, { when }]) => when), ...ROWS.filter(([, { when }]) => !when)];
  for (const [id, { method, path, alsoAt = [] }] of inOrder)
    for (const template of [path, ...alsoAt]) {
      const key = `${method} ${template}`;
      const route = rows.get(key) ?? { methods: [method], path: template, row: [] };
      route.row.push(id);
      rows.set(key, route);
    }
  return [...rows.values()];
}

/** The row that a body of this shape is meant for; the last one takes any. */
export function rowFor(rows: readonly OperationId[], body: unknown): OperationId {
  const meant = rows.find((id) => {
    const { when }: Operation = OPERATIONS[id];
    return !when || fits(body, when);
  });
  return meant ?? (rows.at(-1) as OperationId);
}

function fits(body: unknown, when: BodyShape): boolean {
  if (when.body === "array") return Array.isArray(body);
  return typeof body === "object" && body !== null && !Array.isArray(body) && when.member in body;
}
