import type { BodyOf } from "../../../contracts/spec/operations.ts";
import { invalidRequest, Refusal } from "../../kernel/refusal.ts";
import type { Turn } from "../turn.ts";
import { refuseWebhookUrl } from "../webhooks/policy.ts";
import { behaviourOf } from "./assistants.ts";
import { nodeNames } from "./behaviours.ts";
import { requireRecursionLimit } from "./capacity.ts";
import { findState, referencedState } from "./checkpoints.ts";
import { gotoOf } from "./graph.ts";
import type { Assistant, Json, Thread } from "./records.ts";
import { bytesOverLimit } from "./size.ts";

/** The body with which a run is started (§4.8). */
export type RunCreateBody = BodyOf<"createThreadRun">;

export interface RunRequest {
  /** Null for a stateless run, for which a thread is created. */
  readonly threadId: string | null;
  readonly body: RunCreateBody;
  /** Added to the run's metadata. */
  readonly metadata?: Json;
  /** Path of the body in the request, for error messages; `body` by default. */
  readonly where?: string;
}

/** Throws a `Refusal` (413, 422) for a body that no run or cron can be created with. */
export function refuseBadBody(turn: Turn, { threadId, body, where = "body" }: RunRequest): void {
  const { agent_kwargs_bytes } = turn.ports.settings.limits;
  const bytes = bytesOverLimit(body, agent_kwargs_bytes);
  if (bytes !== undefined)
    throw new Refusal(
      413,
      "body_too_large",
      `${where}: has ${bytes} bytes; at most ${agent_kwargs_bytes} are allowed.`,
    );
  if (body.command?.resume !== undefined && threadId === null)
    throw invalidRequest(`${where}.command.resume: needs a thread with an open interrupt.`);
  if (body.context && body.config?.configurable)
    throw invalidRequest(
      `${where}.context: must not be combined with config.configurable; send one of the two.`,
    );
  requireRecursionLimit(body.config, `${where}.config`);
  if (body.webhook) refuseWebhookUrl(turn, body.webhook, where);
}

/** Throws a `Refusal` (404, 422) when the state or the node that a run is to start from does not exist. */
export function requireStartingPoint(
  turn: Turn,
  { body, where = "body" }: RunRequest,
  thread: Thread | undefined,
  { graph_id }: Assistant,
): void {
  const stateId = referencedState(body);
  if (body.checkpoint?.checkpoint_ns)
    throw invalidRequest(`${where}.checkpoint.checkpoint_ns: the graphs of this server have no subgraphs.`);
  if (stateId !== undefined && !(thread && findState(turn, thread, stateId)))
    throw new Refusal(
      404,
      "not_found",
      `${where}.checkpoint_id: the thread has no state ${String(stateId)}.`,
      "GET /threads/{thread_id}/history lists them.",
    );
  const nodes = nodeNames(behaviourOf(turn.ports.settings, graph_id));
  if (body.command?.goto !== undefined && !nodes.includes(gotoOf(body) ?? ""))
    throw invalidRequest(`${where}.command.goto: must be one node of ${graph_id}, of ${nodes.join(", ")}.`);
}
