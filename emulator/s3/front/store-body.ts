import type { Place } from "../../storage/objects/object-files.ts";
import type { Stage } from "../../storage/objects/stage.ts";
import type { S3Failure } from "../../subjects/object-storage/errors.ts";
import type { BodyFile } from "../../subjects/object-storage/records.ts";
import type { Turn } from "../../subjects/turn.ts";
import { causeOf } from "../object-store.ts";
import type { Call } from "./call.ts";
import { orRefuse } from "./refused.ts";

/**
 * Takes a body in under a temporary name, then keeps it in one turn and names it right behind that turn;
 * whatever goes wrong leaves nothing.
 */
export async function receiveAndStore<Facts, R>(
  { store, claim }: Call,
  place: Place,
  fill: (stage: Stage) => Promise<Facts>,
  keep: (turn: Turn, facts: Facts, body: BodyFile) => S3Failure | R,
): Promise<R> {
  const stage = store.files.stage();
  try {
    const facts = await fill(stage);
    await stage.close();
    return orRefuse(
      store.files.publish(stage, place, (body) =>
        store.world.turn(causeOf(claim), (turn) => keep(turn, facts, body)),
      ),
    );
  } catch (error) {
    stage.discard();
    throw error;
  }
}
