import type { Superstep } from "../../../contracts/spec/agent/thread-resources.ts";
import { invalidRequest, Refusal } from "../../kernel/refusal.ts";
import type { Turn } from "../turn.ts";
import { requireGraph } from "./assistants.ts";
import { addCheckpoint, changedState } from "./checkpoints.ts";
import { inputOf } from "./draft.ts";
import type { Checkpoint, Json, Thread } from "./records.ts";
import { bytesOf } from "./size.ts";
import { COPY, copiedState, nextNodes, requireCopy } from "./state.ts";
import { putState, type ThreadInput } from "./threads.ts";
import { merged } from "./values.ts";

/** The node that stands for the input of a run. */
const INPUT = "__input__";

const SOME_ID = "00000000-0000-0000-0000-000000000000";

type Updates = Superstep["updates"];

/** Throws a `Refusal` (404, 413, 422) for supersteps that a new thread cannot be created with. */
export function requireSupersteps(turn: Turn, { metadata, supersteps }: ThreadInput): void {
  if (supersteps == null) return;
  const graphId = metadata?.graph_id;
  if (typeof graphId !== "string")
    throw invalidRequest(
      "body.metadata.graph_id: is required with supersteps; it names the graph of the nodes.",
    );
  requireGraph(turn, graphId);
  for (const [index, { updates }] of supersteps.entries()) {
    const special = updates.find(({ as_node }) => as_node === INPUT || as_node === COPY);
    if (special && updates.length > 1)
      throw invalidRequest(
        `body.supersteps[${index}].updates: ${special.as_node} must be the only update of its superstep.`,
      );
    if (special?.as_node === COPY)
      requireCopy(supersteps[index - 1], special.values, `body.supersteps[${index}].updates[0]`);
  }
  requireSize(turn, supersteps);
}

/** Writes the states of a new thread, one for each superstep, which `requireSupersteps` has checked. */
export function addSupersteps(turn: Turn, thread: Thread, supersteps: readonly Superstep[]): Thread {
  const { thread_id, metadata } = thread;
  let last: Checkpoint | undefined;
  for (const { updates } of supersteps) {
    if (last && updates[0]?.as_node === COPY) {
      last = addCheckpoint(turn, thread, copiedState(turn, thread, last));
      continue;
    }
    const values = valuesWith(last?.values ?? {}, updates, () => turn.nextId("message"));
    const change = isInput(updates)
      ? {
          next: ["__start__"],
          metadata: { ...metadata, ...(!last && { step: -1 }), source: "input", thread_id },
        }
      : {
          next: [...new Set(updates.flatMap(({ as_node }) => nextNodes(turn, thread, as_node, values)))],
          metadata: { source: "update", thread_id },
        };
    last = addCheckpoint(turn, thread, changedState(turn, last, { values, ...change }));
  }
  return putState(turn, thread, last);
}

/** The values after a superstep. Those of an input are merged by the start of the graph, the superstep after it. */
function valuesWith(before: Json, updates: Updates, nextId: () => string): Json {
  if (isInput(updates))
    return updates[0]?.values?.messages === undefined ? before : { messages: [], ...before };
  return updates.reduce<Json>(
    (values, update) => merged(values, inputOf(update.values, nextId) ?? {}),
    before,
  );
}

function requireSize(turn: Turn, supersteps: readonly Superstep[]): void {
  const { agent_values_bytes: most } = turn.ports.settings.limits;
  let [values, bytes]: [Json, number] = [{}, 0];
  for (const { updates } of supersteps) {
    values = valuesWith(values, updates, () => SOME_ID);
    bytes += bytesOf(values);
    if (bytes <= most) continue;
    throw new Refusal(
      413,
      "values_too_large",
      `body.supersteps: the states would hold more than the ${most} bytes of limits.agent_values_bytes.`,
      "Send fewer or smaller supersteps, or raise limits.agent_values_bytes.",
    );
  }
}

function isInput(updates: Updates): boolean {
  return updates[0]?.as_node === INPUT;
}
