import { completedRecords, missingSecrets } from "../../storage/archive/supplied-secrets.ts";
import type { MissingSecrets, SuppliedSecrets } from "../../subjects/snapshot-secrets.ts";
import type { Secrets, World } from "../../subjects/turn.ts";
import { COLLECTIONS } from "../assembly.ts";

/** Supplies secrets that an imported world lacks, in one turn; returns the secrets that are still missing. */
export function supplySecretsTo(world: World, supplied: SuppliedSecrets, own: Secrets): MissingSecrets {
  const { records } = world.state();
  // A turn cannot change due events: they get their secrets before their world starts, or never.
  const completed = completedRecords({ records, queue: [] }, supplied, own);
  world.turn({ type: "control", name: "supplySecrets" }, (turn) => {
    for (const { collection, record } of completed) {
      const kind = COLLECTIONS.find(({ name }) => name === collection);
      if (kind) turn.put(kind, record as never);
    }
  });
  return missingSecrets(world.state(), own);
}
