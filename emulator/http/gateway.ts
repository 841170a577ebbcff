import type { Operation } from "../../contracts/spec/operation.ts";
import { OPERATIONS, type OperationId } from "../../contracts/spec/operations.ts";
import { segmentsOf } from "../../contracts/spec/path.ts";
import { type UnshownPath, unshownArea, unshownPath } from "../../contracts/spec/undocumented-paths.ts";
import type { Cause } from "../kernel/commit.ts";
import { Refusal } from "../kernel/refusal.ts";
import { isPendingReply } from "../kernel/turn.ts";
import type { Handler, Handlers, RequestOf } from "../subjects/handler.ts";
import {
  type HttpReply,
  type HttpRequest,
  jsonReply,
  merged,
  NO_HEADERS,
  type ReplyHeaders,
  withHeaders,
} from "../subjects/message.ts";
import { isReplyWithHeaders, isStreamReply } from "../subjects/reply.ts";
import type { Settings } from "../subjects/settings.ts";
import type { World } from "../subjects/turn.ts";
import type { Workspace } from "../subjects/workspace.ts";
import { readBody } from "./body.ts";
import { corsHeaders, preflightReply } from "./cors.ts";
import { faultReply, mayTriggerFault } from "./fault.ts";
import { type Caller, identify, workspaceOf } from "./identity.ts";
import { type Codecs, codecFor, mediaOf } from "./media.ts";
import { type ClockStepper, createOpenStreams, type OpenStreams } from "./open-streams.ts";
import {
  bodyOf,
  type CheckedRequest,
  checkRequest,
  checksOf,
  operationUnder,
  type ParsedBody,
  prepareChecks,
} from "./operation-check.ts";
import { countRequest } from "./rate-limit.ts";
import { refusalReply } from "./refusal-reply.ts";
import { ROUTER, rowFor } from "./row-choice.ts";
import { noteUndocumented, undocumentedMembers } from "./undocumented-members.ts";
import { warning } from "./warning.ts";

/** From a request to its reply: who asks, what for, whether it may be, and what the handler says. */
export interface Gateway {
  /** `pace` lets a request that waits for a run move time that stands still. */
  handle(world: World, request: HttpRequest, stepper?: ClockStepper): Promise<HttpReply>;
  /** Requests that stay open as a run goes. */
  readonly openStreams: OpenStreams;
}

/** Where a request leads: to a row of the table, by its path and, where several share it, by its body. */
interface Route {
  id: OperationId;
  readonly path: Readonly<Record<string, string>>;
  /** The body, if it had to be read to find the row. */
  body?: ParsedBody;
}

/** A gateway over one handler for each row; without `codecs`, bodies in protobuf are refused (415). */
export function createGateway(handlers: Handlers, codecs: Codecs = {}): Gateway {
  const openStreams = createOpenStreams();
  return {
    openStreams,
    handle(world, request, stepper) {
      const { headers, refusal } = countRequest(world, request);
      const replying = refusal
        ? Promise.resolve(refusalReply(refusal, request, operationAt(request), world.ports.settings))
        : respond(world, request, stepper);
      const more = merged(headers, corsHeaders(request));
      return more === NO_HEADERS ? replying : replying.then((reply) => withHeaders(reply, more));
    },
  };

  async function respond(
    world: World,
    request: HttpRequest,
    stepper: ClockStepper | undefined,
  ): Promise<HttpReply> {
    const { settings } = world.ports;
    const found = find(request, settings);
    if ("reply" in found) return found.reply;
    const route: Route = { id: rowFor(found.rows, undefined), path: found.path };
    try {
      if (request.bodyProblem) throw request.bodyProblem;
      if (found.rows.length > 1) {
        route.body = { value: readBody(request, settings.limits.body_bytes) };
        route.id = rowFor(found.rows, route.body.value);
      }
      return await answer({ handlers, codecs, openStreams, stepper }, world, request, route);
    } catch (error) {
      return refusalReply(error, request, OPERATIONS[route.id], settings);
    }
  }
}

type FoundRows = { readonly rows: readonly OperationId[]; readonly path: Route["path"] };

function find(request: HttpRequest, settings: Settings): FoundRows | { readonly reply: HttpReply } {
  if (request.method === "OPTIONS") return { reply: preflightReply(request, methodsAt(request)) };
  const unshown = unshownPath(request.method, request.path);
  if (unshown) return { reply: unshownReply(request, unshown, settings) };
  if (isUnspelled(request, settings)) return { reply: noPath(request) };
  const found = ROUTER.find(request.method, segmentsOf(request.path));
  if (found && "row" in found) return { rows: found.row, path: found.parameters };
  if (found) return { reply: wrongMethod(request, found.allow, settings) };
  const area = unshownArea(request.path);
  return { reply: area ? unshownReply(request, area, settings) : noPath(request) };
}

/** The public service was not seen to answer on the singular paths of §4.8. */
function isUnspelled({ path }: HttpRequest, { assumptions }: Settings): boolean {
  return path.startsWith("/thread/") && assumptions["agent.both_spellings"] === "/threads";
}

/** The methods of a path in the table; undefined where it has none of its own. */
function methodsAt({ path }: HttpRequest): readonly string[] | undefined {
  const found = unshownPath("OPTIONS", path) ? undefined : ROUTER.find("OPTIONS", segmentsOf(path));
  return found && "allow" in found ? found.allow : undefined;
}

/** What a request asks for, as far as its method and path tell. */
function operationAt({ method, path }: HttpRequest): Operation | undefined {
  const found = ROUTER.find(method, segmentsOf(path));
  return found && "row" in found ? OPERATIONS[rowFor(found.row, undefined)] : undefined;
}

interface Parts {
  readonly handlers: Handlers;
  readonly codecs: Codecs;
  readonly openStreams: OpenStreams;
  readonly stepper: ClockStepper | undefined;
}

async function answer(parts: Parts, world: World, request: HttpRequest, route: Route): Promise<HttpReply> {
  const { id } = route;
  const { settings } = world.ports;
  const operation = operationUnder(OPERATIONS[id], settings.assumptions);
  const caller = identify(request);
  const tenant_id = tenantOf(caller, operation, world);
  // An await where there is nothing to wait for would cost a short request as much as its handler does.
  const checks = checksOf(operation) ?? (await prepareChecks(operation));
  const read = route.body ?? bodyOf(operation, request, settings.limits.body_bytes, parts.codecs);
  const body = read instanceof Promise ? await read : read;
  const checked = checkRequest(operation, checks, { request, path: route.path, body });
  const { unknown } = checked;
  if (unknown.length > 0 && settings.strict)
    throw new Refusal(422, "unknown_fields", `${unknown.join(", ")}: not defined (--strict).`);
  const injected = mayTriggerFault(world, id, request) ? await faultReply(world, id, request) : undefined;
  if (injected) return injected;
  if (operation.waits) parts.openStreams.admit(world);
  const cause = causeOf(id, request, unknown);
  const handlerRequest = handlerRequestOf(checked, { region: caller.region, tenant_id }, request);
  const handler = parts.handlers[id] as Handler<OperationId>;
  const turnResult = world.turn(cause, (turn) => handler(turn, handlerRequest));
  const result = isPendingReply(turnResult) ? await world.awaitReply(turnResult.number) : turnResult;
  if (result instanceof Error) throw result;
  const beyond = undocumentedMembers(
    operation,
    isReplyWithHeaders(result) ? result.body : result,
    isStreamReply(result),
  );
  noteUndocumented(cause, beyond);
  const headers = warning(unknown, settings.strict ? beyond : []);
  return replyOf(parts, { world, request, operation, headers }, result);
}

function causeOf(name: OperationId, { method, path }: HttpRequest, unknown: readonly string[]): Cause {
  const detail = unknown.length > 0 ? { method, path, unknown_fields: unknown } : { method, path };
  return { type: "request", name, detail };
}

/** The checks have shown that it is what the row says, which the compiler cannot know. */
function handlerRequestOf(
  { path, query, body }: CheckedRequest,
  workspace: Workspace,
  { headers }: HttpRequest,
) {
  return { path, query, body, workspace, headers } as RequestOf<OperationId>;
}

interface ReplyContext {
  readonly world: World;
  readonly request: HttpRequest;
  readonly operation: Operation;
  readonly headers: ReplyHeaders;
}

function replyOf(
  { codecs, openStreams, stepper }: Parts,
  { world, request, operation, headers }: ReplyContext,
  result: unknown,
): HttpReply | Promise<HttpReply> {
  const { status } = operation.reply;
  if (isStreamReply(result)) return withHeaders(openStreams.reply(world, result, stepper), headers);
  const codec = codecFor(request, operation.bodyMedia, codecs);
  if (codec) return codedReply(status, { ...headers, "content-type": mediaOf(request) }, codec.write(result));
  if (!isReplyWithHeaders(result)) return replyWith(status, result, headers);
  return withHeaders(replyWith(result.status ?? status, result.body, headers), result.headers);
}

async function codedReply(
  status: number,
  headers: ReplyHeaders,
  body: Promise<Uint8Array>,
): Promise<HttpReply> {
  return { status, headers, body: await body };
}

function replyWith(status: number, body: unknown, headers: ReplyHeaders): HttpReply {
  return body === undefined ? { status, headers, body: "" } : jsonReply(status, body, headers);
}

function tenantOf(caller: Caller, { workspace }: Operation, { ports }: World): string {
  return workspace === "none" ? "" : workspaceOf(caller, ports.settings.auth, workspace);
}

function unshownReply(request: HttpRequest, unshown: UnshownPath, settings: Settings): HttpReply {
  const { method, path } = request;
  const message = `${method} ${path}: §${unshown.section} names it without showing its reply.`;
  return refusalReply(
    new Refusal(501, "not_shown", message, unshown.description),
    request,
    unshown,
    settings,
  );
}

/** Said in the way of the server whose path it is. */
function wrongMethod(request: HttpRequest, allow: readonly string[], settings: Settings): HttpReply {
  const { method, path } = request;
  const operation = operationAt({ ...request, method: allow[0] ?? method });
  const refusal = new Refusal(
    405,
    "method_not_allowed",
    `${path} does not take ${method}, only ${allow.join(", ")}.`,
  );
  const reply = refusalReply(refusal, request, operation, settings);
  return { ...reply, headers: { ...reply.headers, allow: allow.join(", ") } };
}

function noPath({ path }: HttpRequest): HttpReply {
  return jsonReply(404, { detail: `${path} is no path of this API; /openapi.json lists them.` });
}
