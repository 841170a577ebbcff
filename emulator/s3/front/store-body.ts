import type { BodySink } from "../../storage/objects/stage.ts";
import type { S3Failure } from "../../subjects/object-storage/errors.ts";
import type { BodyFile } from "../../subjects/object-storage/records.ts";
import type { Turn } from "../../subjects/turn.ts";
import { type BodyOwner, publishBody } from "../object-store.ts";
import type { Call } from "./call.ts";
import { orRefuse } from "./refused.ts";

/** Receives a body while the disk has room for it, then stores it in one turn. A failure leaves nothing. */
export async function receiveAndStore<Facts, R>(
  { store, claim, requireRoom }: Call,
  owner: BodyOwner,
  fill: (stage: BodySink) => Promise<Facts>,
  keep: (turn: Turn, facts: Facts, body: BodyFile) => S3Failure | R,
): Promise<R> {
  const stage = store.files.stage(true);
  const write: BodySink["write"] = (chunk) => {
    requireRoom(chunk.length);
    return stage.write(chunk);
  };
  try {
    requireRoom(0);
    const facts = await fill({ write });
    await stage.close();
    return orRefuse(publishBody(store, stage, { claim, owner }, (turn, body) => keep(turn, facts, body)));
  } catch (error) {
    stage.discard();
    throw error;
  }
}
