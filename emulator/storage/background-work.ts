import { ownersNamedBy } from "./journal/named-files.ts";
import { readManifest } from "./journal/read-manifest.ts";
import { writeState } from "./journal/state.ts";
import type { Manifest } from "./pool/names.ts";
import { poolPath } from "./pool/pool.ts";
import { type SweepOrder, sweepOwners } from "./unneeded-files.ts";

/** What a manifest leads to is to be written as one state. */
interface FoldOrder {
  readonly root: string;
  /** Its journals are no longer appended to. */
  readonly manifest: Manifest;
  /** The file of the state, in the pool. */
  readonly target: string;
}

/** Replays the journals of a manifest and writes the state that they lead to; answers whose files that needs. */
function fold({ root, manifest, target }: FoldOrder): readonly number[] {
  const path = (file: string): string => poolPath(root, file);
  const stored = readManifest({ path }, manifest);
  writeState(path(target), stored);
  return ownersNamedBy(stored);
}

export type BackgroundOrder = FoldOrder | SweepOrder;

/** Does what an order says, and answers whose files the result needs. */
export function perform(order: BackgroundOrder): readonly number[] {
  return "target" in order ? fold(order) : sweepOwners(order);
}
