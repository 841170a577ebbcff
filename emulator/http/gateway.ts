import type { AssumptionId } from "../../contracts/spec/assumptions.ts";
import { accessOf, type Operation, operationUnder } from "../../contracts/spec/operation.ts";
import type { OperationId } from "../../contracts/spec/operations.ts";
import type { UnshownPath } from "../../contracts/spec/undocumented-paths.ts";
import type { Cause } from "../kernel/commit.ts";
import { Refusal } from "../kernel/refusal.ts";
import { isPendingReply } from "../kernel/turn.ts";
import type { Handler, Handlers, RequestOf } from "../subjects/handler.ts";
import {
  type HttpReply,
  type HttpRequest,
  jsonReply,
  merged,
  type ReplyHeaders,
  withHeaders,
} from "../subjects/message.ts";
import { isReplyWithHeaders, isStreamReply } from "../subjects/reply.ts";
import type { Settings } from "../subjects/settings.ts";
import type { World } from "../subjects/turn.ts";
import { mediaOf, readBody } from "./body.ts";
import { corsHeaders, preflightReply } from "./cors.ts";
import { type InjectFault, injectFault as triggerFault } from "./fault.ts";
import { type Caller, identify, workspaceOf } from "./identity.ts";
import { deprecationHeaders, refuseRemoved } from "./legacy.ts";
import { type Codecs, codecFor } from "./media.ts";
import { type ClockStepper, createOpenStreams, type OpenStreams } from "./open-streams.ts";
import {
  bodyOf,
  type CheckedRequest,
  checkRequest,
  checksOf,
  prepareChecks,
  refuseInvalid,
} from "./operation-check.ts";
import { countRequest } from "./rate-limit.ts";
import { refusalReply } from "./refusal-reply.ts";
import { chosenRoute, type OperationRoute, type RequestRoute, routeOf } from "./route.ts";
import { noteUndocumented, undocumentedInReply, undocumentedInRequest } from "./undocumented-members.ts";
import { unshownWarning, warning } from "./warning.ts";

/** From a request to its reply: route, identify, limit, check, turn, reply. */
export interface Gateway {
  handle(world: World, request: HttpRequest, around?: RequestSurroundings): Promise<HttpReply>;
  /** Open requests that wait for or stream a run. */
  readonly openStreams: OpenStreams;
}

/** Context of a request other than its world. */
export interface RequestSurroundings {
  /** Advances a frozen clock for a request that waits for a run. */
  readonly stepper?: ClockStepper;
  /** Called with the reply of an operation that recordings include. */
  readonly record?: ((reply: HttpReply) => void) | undefined;
  /** Triggers faults; by default those that are armed in the world. */
  readonly injectFault?: InjectFault;
}

/** Options of a gateway. */
interface GatewayParts {
  readonly handlers: Handlers;
  readonly codecs: Codecs;
  readonly openStreams: OpenStreams;
}

/** A request being processed. */
interface Exchange {
  readonly world: World;
  readonly request: HttpRequest;
  readonly caller: Caller;
  readonly stepper: ClockStepper | undefined;
  readonly injectFault: InjectFault;
}

/** Creates a gateway with one handler per operation; without `codecs`, protobuf bodies are refused (415). */
export function createGateway(handlers: Handlers, codecs: Codecs = {}): Gateway {
  const parts: GatewayParts = { handlers, codecs, openStreams: createOpenStreams() };
  return {
    openStreams: parts.openStreams,
    async handle(world, request, { stepper, record, injectFault = triggerFault } = {}) {
      const { settings } = world.ports;
      const route = routeOf(request.method, request.path, settings.assumptions);
      const caller = identify(request);
      const limit = countRequest(world, request, caller);
      const operation = route.kind === "operation" ? route.operation : undefined;
      const handlerReply = limit.refusal
        ? refusalReply(limit.refusal, request, operation, settings)
        : route.kind === "operation"
          ? await carryOut(parts, { world, request, caller, stepper, injectFault }, route)
          : replyWithoutOperation(request, route, settings);
      const announced = merged(limit.headers, deprecationHeaders(operation, world));
      const reply = withHeaders(handlerReply, merged(announced, corsHeaders(request)));
      if (operation?.recorded !== false) record?.(reply);
      return reply;
    },
  };
}

function replyWithoutOperation(
  request: HttpRequest,
  route: Exclude<RequestRoute, OperationRoute>,
  settings: Settings,
): HttpReply {
  if (route.kind === "preflight") return preflightReply(request, route.methods);
  if (route.kind === "unshown") return unshownReply(request, route.unshown, settings);
  return wrongMethod(request, route, settings);
}

async function carryOut(
  parts: GatewayParts,
  exchange: Exchange,
  matchedRoute: OperationRoute,
): Promise<HttpReply> {
  const { world, request, caller } = exchange;
  const { settings } = world.ports;
  let route = matchedRoute;
  try {
    refuseRemoved(route.operation, world);
    if (request.bodyProblem) throw request.bodyProblem;
    let value: unknown;
    if (route.choices) {
      // The last of them takes any object; the others take lists, which are never kept as text.
      value = readBody(request, settings.limits, route.operation.keptMembers);
      route = chosenRoute(route, value);
    }
    if (request.storageProblem && accessOf(route.operation) === "adds") throw request.storageProblem;
    if (accessOf(route.operation) !== "reads" || route.operation.waits) world.requireLive();
    const operation = operationUnder(route.operation, settings.assumptions);
    const tenant_id = workspaceOf(caller, settings, operation.workspace);
    // Awaits only promises: an unnecessary await costs a short request as much as its handler.
    const checks = checksOf(operation) ?? (await prepareChecks(operation));
    const decodedBody = bodyOf(operation, request, { value, settings, codecs: parts.codecs });
    const body = decodedBody instanceof Promise ? await decodedBody : decodedBody;
    const checked = checkRequest(operation, checks, { request, path: route.parameters, body });
    refuseInvalid(operation, checked, settings);
    const fault = exchange.injectFault(world, route.id, request);
    const faultReply = fault && (await fault);
    if (faultReply) return faultReply;
    if (operation.waits) parts.openStreams.admit(world);
    const cause = causeOf(route.id, request, checked.unknown);
    const { path, query } = checked;
    const workspace = { region: caller.region, tenant_id };
    // The checks have established the type, which the compiler cannot infer.
    const handlerRequest = {
      path,
      query,
      body: checked.body,
      workspace,
      headers: request.headers,
    } as RequestOf<OperationId>;
    const handler = parts.handlers[route.id] as Handler<OperationId>;
    const turnResult = world.turn(cause, (turn) => handler(turn, handlerRequest));
    const result = isPendingReply(turnResult) ? await world.awaitReply(turnResult.number) : turnResult;
    if (result instanceof Error) throw result;
    const reply = replyOf(parts, exchange, { operation, cause, checked }, result);
    return reply instanceof Promise ? await reply : reply;
  } catch (error) {
    return refusalReply(error, request, route.operation, settings);
  }
}

function causeOf(name: OperationId, { method, path }: HttpRequest, unknown: readonly string[]): Cause {
  const detail = unknown.length > 0 ? { method, path, unknown_fields: unknown } : { method, path };
  return { type: "request", name, detail };
}

/** Facts for the headers of a reply. */
interface ReplyFacts {
  readonly operation: Operation;
  readonly cause: Cause;
  readonly checked: CheckedRequest;
}

function replyOf(
  { codecs, openStreams }: GatewayParts,
  { world, request, stepper }: Exchange,
  { operation, cause, checked }: ReplyFacts,
  result: unknown,
): HttpReply | Promise<HttpReply> {
  const isStream = isStreamReply(result);
  const hasHeaders = isReplyWithHeaders(result);
  const body = hasHeaders ? result.body : result;
  const undocumented = {
    request: undocumentedInRequest(operation, checked),
    reply: undocumentedInReply(operation, body, isStream),
  };
  noteUndocumented(cause, undocumented);
  const headers = warning(checked.unknown, world.ports.settings.strict ? undocumented : undefined);
  if (isStream) return withHeaders(openStreams.reply(world, result, stepper), headers);
  const status = successStatus(operation, world.ports.settings);
  const codec = operation.bodyMedia && codecFor(request, operation.bodyMedia, codecs);
  if (codec)
    return codedReply(status, { ...headers, "content-type": mediaOf(request.headers) }, codec.write(body));
  const reply = jsonReply(status, body, headers);
  return hasHeaders ? withHeaders(reply, result.headers) : reply;
}

function successStatus({ reply }: Operation, { assumptions }: Settings): number {
  const { status, statusFrom } = reply;
  return statusFrom === undefined ? status : (assumptions[statusFrom as AssumptionId] as number);
}

async function codedReply(
  status: number,
  headers: ReplyHeaders,
  body: Promise<Uint8Array>,
): Promise<HttpReply> {
  return { status, headers, body: await body };
}

/** The warning distinguishes it from a resource that does not exist: clients treat a 404 as an empty result. */
function unshownReply(request: HttpRequest, unshown: UnshownPath, settings: Settings): HttpReply {
  const { section, says } = unshown;
  const message = `${request.method} ${request.path} is not emulated: §${section} of the specification ${says}.`;
  const refusal = new Refusal(
    404,
    "not_shown",
    message,
    request.path.endsWith("/")
      ? "No path ends with a slash: leave it out."
      : "GET /openapi.json lists the emulated operations.",
    "1-3",
  );
  return withHeaders(refusalReply(refusal, request, unshown, settings), unshownWarning(unshown));
}

/** In the error format of the server whose path it is. */
function wrongMethod(
  request: HttpRequest,
  { allow, operation }: Extract<RequestRoute, { kind: "wrong method" }>,
  settings: Settings,
): HttpReply {
  const { method, path } = request;
  const refusal = new Refusal(
    405,
    "method_not_allowed",
    `${path} does not accept ${method}.`,
    `Use ${allow.join(" or ")}.`,
  );
  const reply = refusalReply(refusal, request, operation, settings);
  return { ...reply, headers: { ...reply.headers, allow: allow.join(", ") } };
}
