import { OPERATIONS, type OperationId } from "../../contracts/spec/operations.ts";
import type { Operation } from "../../contracts/spec/operation.ts";
import { type UnshownPath, unshownPath } from "../../contracts/spec/unshown.ts";
import type { World } from "../domain/turn.ts";
import { Refusal } from "../kernel/refusal.ts";
import { isTicket } from "../kernel/turn.ts";
import type { Handler, Handlers, RequestOf } from "../operations/handler.ts";
import { readBody } from "./body.ts";
import { checkOf } from "./check.ts";
import { faultReply } from "./fault.ts";
import { type Caller, identify, workspaceOf } from "./identity.ts";
import { type HttpReply, type HttpRequest, jsonReply } from "./message.ts";
import { readQuery } from "./query.ts";
import { createRouter } from "./router.ts";
import { unknownFields } from "./unknown-fields.ts";

/** From a request to its reply: who asks, what for, whether it may be, and what the handler says. */
export interface Gateway {
  handle(world: World, request: HttpRequest): Promise<HttpReply>;
}

const ROUTER = createRouter(
  Object.entries<Operation>(OPERATIONS).flatMap(([id, { method, path, alsoAt = [] }]) =>
    [path, ...alsoAt].map((template) => ({ method, path: template, row: id as OperationId })),
  ),
);

export function createGateway(handlers: Handlers): Gateway {
  return {
    async handle(world, request) {
      const caller = identify(request);
      try {
        return await answer(handlers, world, request, caller);
      } catch (error) {
        return refusalReply(error, request);
      }
    },
  };
}

async function answer(handlers: Handlers, world: World, request: HttpRequest, caller: Caller): Promise<HttpReply> {
  const unshown = unshownPath(request.method, request.path);
  if (unshown) return unshownReply(request, unshown);
  const found = ROUTER.find(request.method, request.path);
  if (!found) throw new Refusal(404, "not_found", `${request.path} is no path of this API; /openapi.json lists them.`);
  if ("allow" in found) return wrongMethod(request, found.allow);
  const id = found.row;
  const operation: Operation = OPERATIONS[id];
  const { region } = caller;
  const { settings } = world.ports;
  const tenant_id =
    operation.workspace === "none" ? "" : workspaceOf(caller, settings.auth, operation.workspace);
  const checked = await check(operation, request, found.parameters, settings.limits.body_bytes);
  if (checked.unknown.length > 0 && settings.strict)
    throw new Refusal(422, "unknown_fields", `${checked.unknown.join(", ")}: not defined (--strict).`);
  const detail = { method: request.method, path: request.path, ...warningsOf(checked.unknown) };
  const struck = await faultReply(world, id, request);
  if (struck) return struck;
  const handler = handlers[id] as Handler<OperationId>;
  const asked = { ...checked, workspace: { region, tenant_id } } as unknown as RequestOf<OperationId>;
  const said = world.turn({ type: "request", name: id, detail }, (turn) => handler(turn, asked));
  const body = isTicket(said) ? await world.answerTo(said.number) : said;
  if (body instanceof Refusal) throw body;
  return jsonReply(operation.reply.status, body, headersFor(checked.unknown));
}

interface Checked {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** Members that were sent and that nothing reads. */
  readonly unknown: readonly string[];
}

async function check(
  operation: Operation,
  request: HttpRequest,
  path: Readonly<Record<string, string>>,
  bodyBytes: number,
): Promise<Checked> {
  const problems: string[] = [];
  for (const [name, field] of Object.entries(operation.pathParameters ?? {}))
    problems.push(...(await checkOf(field))(path[name], `path.${name}`));
  const query = readQuery(request.query, operation.query ?? {});
  for (const [name, declared] of Object.entries(operation.query ?? {})) {
    if ("optional" in declared && !(name in query)) continue;
    const field = "optional" in declared ? declared.optional : declared;
    problems.push(...(await checkOf(field as never))(query[name], `query.${name}`));
  }
  let body: unknown;
  if (operation.body) {
    body = readBody(request, bodyBytes);
    problems.push(...(await checkOf(operation.body))(body, "body"));
  }
  if (problems.length > 0) throw new Refusal(422, "invalid_request", problems.join("; "));
  const unknown = operation.body ? unknownFields(body, operation.body, "body") : [];
  return { path, query, body, unknown };
}

function warningsOf(unknown: readonly string[]): { readonly unknown_fields?: readonly string[] } {
  return unknown.length > 0 ? { unknown_fields: unknown } : {};
}

/** Header values hold printable ASCII only; names of members can be anything. */
function headersFor(unknown: readonly string[]): Record<string, string> {
  if (unknown.length === 0) return {};
  const names = unknown.slice(0, 20).join(", ").replace(/[^\x20-\x7e]/g, "?").slice(0, 1000);
  return { "x-emulator-warning": `unknown fields: ${names}` };
}

function unshownReply({ method, path }: HttpRequest, { section, says }: UnshownPath): HttpReply {
  const detail = `${method} ${path}: §${section} names it without showing its reply. ${says}`;
  return jsonReply(501, { detail });
}

function wrongMethod({ method, path }: HttpRequest, allow: readonly string[]): HttpReply {
  if (method === "OPTIONS") return { status: 204, headers: { allow: allow.join(", ") }, body: "" };
  const detail = `${path} does not take ${method}, only ${allow.join(", ")}.`;
  return jsonReply(405, { detail }, { allow: allow.join(", ") });
}

/** Platform errors: `{"detail": string}` (see the assumptions). */
function refusalReply(error: unknown, { method, path }: HttpRequest): HttpReply {
  if (error instanceof Refusal) {
    const { status, message, hint } = error;
    return jsonReply(status, { detail: hint ? `${message} ${hint}` : message });
  }
  const message = error instanceof Error ? error.message : String(error);
  return jsonReply(500, {
    detail: `The emulator is broken, not your request (${method} ${path}): ${message}. GET /_emulator/v1/journal has its last turns.`,
  });
}
