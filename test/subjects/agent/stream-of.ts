import type { StreamMode } from "../../../contracts/spec/agent/lifecycle.ts";
import { readStream } from "../../../emulator/subjects/agent/run-subscription.ts";
import { STREAM_START } from "../../../emulator/subjects/agent/stream.ts";
import type { openAgentWorld } from "../../support/agent-world.ts";

type World = Awaited<ReturnType<typeof openAgentWorld>>;

/** The stream of a run so far, as a reader of these modes receives it from the beginning. */
export function streamOf({ reader }: Pick<World, "reader">, runId: string, ...modes: readonly StreamMode[]) {
  const subscription = { runId, as: "stream", modes, after: STREAM_START, onDisconnect: "continue" } as const;
  return readStream(reader, subscription, STREAM_START);
}
