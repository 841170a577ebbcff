import { isText } from "../../contracts/spec/exact-json.ts";
import type { OperationId } from "../../contracts/spec/operations.ts";
import { type HttpFault, type HttpOccasion, mayTriggerHttp } from "../subjects/faults/http.ts";
import { triggerFault } from "../subjects/faults/trigger-fault.ts";
import { type HttpReply, type HttpRequest, jsonReply } from "../subjects/message.ts";
import type { World } from "../subjects/turn.ts";

/** Triggers the faults of a request; undefined at once when none can be triggered, or later when the handler is to answer. */
export type InjectFault = (
  world: World,
  id: OperationId,
  request: HttpRequest,
) => Promise<HttpReply | undefined> | undefined;

export const injectFault: InjectFault = (world, id, request) => {
  const { path, region } = request;
  const occasion = { id, path, region };
  return mayTriggerHttp(world.reader, world.now, occasion) ? faultReply(world, request, occasion) : undefined;
};

async function faultReply(
  world: World,
  { method, path }: HttpRequest,
  occasion: HttpOccasion,
): Promise<HttpReply | undefined> {
  const { id } = occasion;
  const detail = { method, path };
  const fault = world.turn({ type: "request", name: id, detail }, (turn) =>
    triggerFault(turn, "http", occasion),
  );
  if (!fault) return undefined;
  if (!("pendingReply" in fault)) return replyOf(fault, `${method} ${path}`);
  const outcome = await world.awaitReply(fault.pendingReply.number);
  if (outcome instanceof Error) throw outcome;
  return undefined;
}

/** Statuses whose replies have no body. */
const BODILESS = [204, 205, 304];

function replyOf(
  { status, body, headers }: Exclude<HttpFault, { pendingReply: unknown }>,
  call: string,
): HttpReply {
  if (BODILESS.includes(status)) return { status, headers, body: "" };
  if (isText(body)) return { status, headers: { "content-type": "text/plain", ...headers }, body };
  const detail = `A fault answers ${call} with ${status}. \`emulator fault list\` lists the faults.`;
  return jsonReply(status, body === undefined ? { detail } : body, { ...headers });
}
