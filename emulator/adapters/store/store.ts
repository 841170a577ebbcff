import { mkdirSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { applyCommits, type Commit, type WorldState } from "../../kernel/commit.ts";
import { threadUrl } from "../thread-url.ts";
import {
  type JournalFile,
  journalNumbers,
  openJournal,
  readJournal,
  removeJournals,
} from "./journal-files.ts";
import { FORMAT, readSnapshot, snapshotBytes, writeSnapshot } from "./snapshot.ts";

/** Where the records of one world are kept. */
export interface Store {
  /** The world as it was when the store was opened. */
  readonly state: WorldState;
  /** True when no turn was ever kept: the world has still to be seeded. */
  readonly fresh: boolean;
  /** Appends a commit; once it returns, the commit survives the end of the process. */
  keep(commit: Commit): void;
  /** Starts over from this state: what was kept before is gone. */
  replace(state: WorldState): void;
  /** Writes the snapshot, when there is a last state to write, and lets go of the folder. */
  close(state: WorldState | undefined): Promise<void>;
}

/**
 * A journal file is folded into the snapshot, off the main thread, when it has grown to this and to the
 * size of the snapshot: each fold writes all of it, so more of them would cost each write more as it grows.
 */
const COMPACT_AT_BYTES = 32 * 1024 * 1024;

export interface StoreOptions {
  readonly folder: string;
  readonly initial: WorldState;
  readonly compactAtBytes?: number;
}

export function openStore({ folder, initial, compactAtBytes = COMPACT_AT_BYTES }: StoreOptions): Store {
  mkdirSync(folder, { recursive: true });
  const snapshot = readSnapshot(folder) ?? { format: FORMAT, upTo: 0, state: initial };
  removeJournals(folder, snapshot.upTo);
  const numbers = journalNumbers(folder);
  const kept = applyCommits(
    snapshot.state,
    numbers.flatMap((number) => readJournal(folder, number)),
  );
  // Ended before its first turn: whoever starts it now says what it begins with.
  const state = kept.turn === 0 ? initial : kept;
  const last = numbers.at(-1) ?? snapshot.upTo;
  if (kept.turn === 0) writeSnapshot(folder, { format: FORMAT, upTo: last, state });
  let journal = openJournal(folder, last + 1);
  let compaction: Promise<void> | undefined;
  let folded = snapshotBytes(folder);

  function rotate(): void {
    const full: JournalFile = journal;
    full.close();
    journal = openJournal(folder, full.number + 1);
    compaction = compactInThread(folder, full.number).finally(() => {
      compaction = undefined;
      folded = snapshotBytes(folder);
    });
  }

  function restart(next: WorldState): void {
    const { number } = journal;
    writeSnapshot(folder, { format: FORMAT, upTo: number, state: next });
    journal.close();
    removeJournals(folder, number);
    folded = snapshotBytes(folder);
  }

  return {
    state,
    fresh: state.turn === 0,
    keep(commit) {
      journal.append(commit);
      if (journal.bytes >= Math.max(compactAtBytes, folded) && !compaction) rotate();
    },
    replace(next) {
      restart(next);
      journal = openJournal(folder, journal.number + 1);
    },
    async close(state) {
      await compaction;
      try {
        if (state) return restart(state);
      } catch (error) {
        // More than one JSON text can hold: it stays in its journals, which lose nothing.
        if (!(error instanceof RangeError)) throw error;
      }
      journal.close();
    },
  };
}

/** A failed compaction costs nothing but disk: the journals stay and the next one takes them along. */
function compactInThread(folder: string, upTo: number): Promise<void> {
  return new Promise((resolve) => {
    const thread = new Worker(threadUrl("emulator/adapters/store/compaction-thread"), {
      workerData: { folder, upTo },
    });
    thread.unref();
    thread.once("error", () => resolve());
    thread.once("exit", () => resolve());
  });
}
