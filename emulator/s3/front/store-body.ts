import { WORLD_IS_OVER } from "../../storage/objects/bodies.ts";
import type { BodySink } from "../../storage/objects/stage.ts";
import type { S3Failure } from "../../subjects/object-storage/errors.ts";
import type { BodyFile } from "../../subjects/object-storage/records.ts";
import type { Turn } from "../../subjects/turn.ts";
import { type Call, commit } from "./call.ts";
import { refuse } from "./refused.ts";

/** Receives a body while the disk has room for it, then stores it in one turn. A failure leaves nothing. */
export async function receiveAndStore<Facts, R>(
  call: Call,
  fill: (stage: BodySink) => Promise<Facts>,
  keep: (turn: Turn, facts: Facts, body: BodyFile) => S3Failure | R,
): Promise<R> {
  const { store, requireRoom } = call;
  const stage = store.files.stage(true);
  const write: BodySink["write"] = (chunk) => {
    requireRoom(chunk.length);
    return stage.write(chunk);
  };
  try {
    requireRoom(0);
    const facts = await fill({ write });
    await stage.close();
    if (stage.isDiscarded) throw refuse("OperationAborted", WORLD_IS_OVER);
    const { file, sum } = stage;
    return commit(call, (turn) => keep(turn, facts, { file, sum }));
  } catch (error) {
    stage.discard();
    throw error;
  }
}
