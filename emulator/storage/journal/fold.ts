import type { WorldState } from "../../kernel/commit.ts";
import type { Head } from "../pool/names.ts";
import { poolPath } from "../pool/pool.ts";
import { ownersNamedBy } from "./named-files.ts";
import { readHead } from "./read-head.ts";
import { writeState } from "./state.ts";

/** What a head leads to is to be written as one state. */
export interface FoldOrder {
  readonly root: string;
  /** Its journals are no longer appended to. */
  readonly head: Head;
  readonly initial: WorldState;
  /** The file of the state, in the pool. */
  readonly target: string;
}

/** Replays the journals of a head and writes the state that they lead to; answers whose files that needs. */
export function fold({ root, head, initial, target }: FoldOrder): readonly number[] {
  const path = (file: string): string => poolPath(root, file);
  const stored = readHead({ path }, head, initial);
  writeState(path(target), stored);
  return ownersNamedBy(stored);
}
