import { completedRecords, missingSecrets } from "../../storage/archive/given-secrets.ts";
import type { GivenSecrets, MissingSecrets } from "../../subjects/snapshot-secrets.ts";
import type { Secrets, World } from "../../subjects/turn.ts";
import { COLLECTIONS } from "../assembly.ts";

/** Gives a world secrets that it lacks since it came from a file, in one turn; answers what is still missing. */
export function giveSecretsTo(world: World, given: GivenSecrets, own: Secrets): MissingSecrets {
  const { records } = world.state();
  // What is due cannot be changed in a turn: events are completed before their world begins, or never.
  const completed = completedRecords({ records, queue: [] }, given, own);
  world.turn({ type: "control", name: "giveSecrets" }, (turn) => {
    for (const { collection, record } of completed) {
      const kind = COLLECTIONS.find(({ name }) => name === collection);
      if (kind) turn.put(kind, record as never);
    }
  });
  return missingSecrets(world.state(), own);
}
