import { applyCommits } from "../../kernel/commit.ts";
import { journalNumbers, readJournals, removeJournals } from "./journal-files.ts";
import { readSnapshot, StoreError, writeSnapshot } from "./snapshot.ts";

/** Folds the journal files up to a number into the snapshot. Interrupted anywhere, it can be done again. */
export function compact(folder: string, upTo: number): void {
  const snapshot = readSnapshot(folder);
  if (!snapshot) throw new StoreError(`${folder} holds no snapshot.`);
  const numbers = journalNumbers(folder).filter((number) => number > snapshot.upTo && number <= upTo);
  const state = applyCommits(snapshot.state, readJournals(folder, numbers));
  writeSnapshot(folder, { ...snapshot, upTo, state });
  removeJournals(folder, upTo);
}
