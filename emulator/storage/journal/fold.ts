import type { FoldOrder } from "../background.ts";
import { poolPath } from "../pool/pool.ts";
import { ownersNamedBy } from "./named-files.ts";
import { readHead } from "./read-head.ts";
import { writeState } from "./state.ts";

/** Replays the journals of a head and writes the state that they lead to; answers whose files that needs. */
export function fold({ root, head, initial, target }: FoldOrder): readonly number[] {
  const path = (file: string): string => poolPath(root, file);
  const stored = readHead({ path }, head, initial);
  writeState(path(target), stored);
  return ownersNamedBy(stored);
}
