import type { WorldImage } from "../kernel/image.ts";
import type { Secrets } from "../subjects/turn.ts";
import { createSealing } from "./journal/sealing.ts";
import { stateOf, writeState } from "./journal/state.ts";
import type { Manifests } from "./pool/manifests.ts";
import { type Manifest, NOBODY, stateName } from "./pool/names.ts";
import type { Pool } from "./pool/pool.ts";
import { namesIn, type RowsImage } from "./rows/image.ts";

/** Where to write a state. */
interface StatePlace {
  readonly pool: Pool;
  readonly manifests: Manifests;
  readonly secrets: Secrets;
}

/** Makes a manifest for these records, in a new file if the pool is persistent, and for rows and bodies of other owners. */
export function manifestOf(
  { pool, manifests, secrets }: StatePlace,
  source: { readonly image: WorldImage; readonly rows: RowsImage },
  others: readonly number[],
): Manifest {
  if (!pool.isPersistent) return { owner: NOBODY, state: null, journals: [], others };
  const owner = manifests.nextOwner();
  const file = stateName(owner, 1);
  const state = createSealing(secrets).state(stateOf(source));
  writeState(pool, file, { state, rows: namesIn(source.rows) });
  return { owner: NOBODY, state: file, journals: [], others: [...others, owner] };
}
