import type { Manifests } from "./pool/manifests.ts";
import type { Pool } from "./pool/pool.ts";
import { StoreError } from "./store-error.ts";
import { unneeded } from "./unneeded-files.ts";

/**
 * Discards the files of suspect owners that no world and no snapshot references. The pool must no longer be in use. False when
 * damage hides what is referenced: then all of them stay.
 */
export function sweep(pool: Pool, manifests: Manifests): boolean {
  manifests.releaseAll();
  const owners = [...pool.suspects];
  try {
    for (const file of unneeded(pool.root, owners, manifests.leadingTo(owners)))
      pool.discard(pool.path(file));
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return false;
  }
  pool.suspects.clear();
  return true;
}
