import { applyCommits } from "../../kernel/commit.ts";
import { journalNumbers, readJournal, removeJournals } from "./journal-files.ts";
import { readSnapshot, StoreError, writeSnapshot } from "./snapshot.ts";

/** Folds the journal files up to a number into the snapshot. Interrupted anywhere, it can be done again. */
export function compact(folder: string, upTo: number): void {
  const snapshot = readSnapshot(folder);
  if (!snapshot) throw new StoreError(`${folder} holds no snapshot.`);
  const numbers = journalNumbers(folder).filter((number) => number > snapshot.upTo && number <= upTo);
  const commits = numbers.flatMap((number) => readJournal(folder, number));
  writeSnapshot(folder, { ...snapshot, upTo, state: applyCommits(snapshot.state, commits) });
  removeJournals(folder, upTo);
}
