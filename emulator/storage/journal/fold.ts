import type { Manifest } from "../pool/names.ts";
import { poolPath } from "../pool/pool.ts";
import { ownersNamedBy } from "./named-files.ts";
import { readManifest } from "./read-manifest.ts";
import { writeState } from "./state.ts";

/** What a manifest leads to is to be written as one state. */
export interface FoldOrder {
  readonly root: string;
  /** Its journals are no longer appended to. */
  readonly manifest: Manifest;
  /** The file of the state, in the pool. */
  readonly target: string;
}

/** Replays the journals of a manifest and writes the state that they lead to; answers whose files that needs. */
export function fold({ root, manifest, target }: FoldOrder): readonly number[] {
  const path = (file: string): string => poolPath(root, file);
  const stored = readManifest({ path }, manifest);
  writeState(path(target), stored);
  return ownersNamedBy(stored);
}
