import { ownersNamedBy } from "./journal/named-files.ts";
import { readManifest } from "./journal/read-manifest.ts";
import { writeState } from "./journal/state.ts";
import type { Manifest } from "./pool/names.ts";
import { poolNames } from "./pool/pool.ts";
import { type SweepOrder, sweepOwners } from "./unneeded-files.ts";

/** An order to write the state that a manifest leads to into one file. */
interface FoldOrder {
  readonly root: string;
  readonly id: string;
  /** Nobody appends to its journals any longer. */
  readonly manifest: Manifest;
  /** The file of the state, in the pool. */
  readonly target: string;
}

/** Replays the journals of a manifest and writes the resulting state. Returns the owners of the files that the state needs. */
function fold({ root, id, manifest, target }: FoldOrder): readonly number[] {
  const pool = poolNames(root, id);
  const state = readManifest(pool, manifest);
  writeState(pool, target, state);
  return ownersNamedBy(state);
}

export type BackgroundOrder = FoldOrder | SweepOrder;

/** Carries out an order. Returns the owners of the files that the result needs. */
export function perform(order: BackgroundOrder): readonly number[] {
  return "target" in order ? fold(order) : sweepOwners(order);
}
