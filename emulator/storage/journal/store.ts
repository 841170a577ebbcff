import { mkdirSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { applyCommits, type Commit, type WorldState } from "../../kernel/commit.ts";
import { isFullDisk } from "../full-disk.ts";
import { threadUrl } from "../thread-url.ts";
import { createBatch } from "./batch.ts";
import {
  type JournalFile,
  journalNumbers,
  lineOf,
  openJournal,
  readJournals,
  removeJournals,
} from "./journal-files.ts";
import { shareFiles } from "./sharing.ts";
import { FORMAT, readSnapshot, snapshotBytes, writeSnapshot } from "./snapshot.ts";

/** Where the records of one world are kept. */
export interface Store {
  /** Appends a commit; once it returns, the commit survives the end of the process. */
  append(commit: Commit): void;
  /** Appends a commit together with others of this moment; nobody may be told of it before `flushed`. */
  appendBatched(commit: Commit): void;
  /** Resolves when what was kept soon survives the end of the process; undefined when it does already. */
  flushed(): Promise<void> | undefined;
  /** Appends at once what was kept soon. */
  flush(): void;
  /**
   * Gives another folder all that was kept up to now; files are shared, nothing is copied. Answers with the
   * number of the last journal file there.
   */
  shareTo(folder: string): number;
  /** Writes the snapshot, when there is a last state to write, and lets go of the folder. */
  close(state: WorldState | undefined): Promise<void>;
}

/**
 * A journal file is folded into the snapshot, off the main thread, when it has grown to this and to the
 * size of the snapshot: each fold writes all of it, so more of them would cost each write more as it grows.
 */
const COMPACT_AT_BYTES = 128 * 1024 * 1024;

/** A world as its folder has it, and where its journal goes on. */
export interface StoredWorld {
  readonly state: WorldState;
  /** The number of the last journal file. */
  readonly last: number;
}

/** Reads the folder of a world; one that has seen no turn yet begins with the initial state. */
export function readStore(folder: string, initial: WorldState): StoredWorld {
  mkdirSync(folder, { recursive: true });
  const snapshot = readSnapshot(folder) ?? { format: FORMAT, upTo: 0, state: initial };
  removeJournals(folder, snapshot.upTo);
  const numbers = journalNumbers(folder);
  const kept = applyCommits(snapshot.state, readJournals(folder, numbers));
  const last = numbers.at(-1) ?? snapshot.upTo;
  if (kept.turn > 0) return { state: kept, last };
  // Ended before its first turn: whoever starts it now says what it begins with.
  writeSnapshot(folder, { format: FORMAT, upTo: last, state: initial });
  return { state: initial, last };
}

/** Where a world is kept, and how. */
export interface StoreOptions {
  readonly folder: string;
  /** The number of the last journal file that is there. */
  readonly last: number;
  readonly compactAtBytes?: number;
  /** Hears that what was kept soon could not be written. */
  readonly onFailure?: (error: Error) => void;
}

/** Goes on with a folder that was read, or that was filled by another store. */
export function openStore(options: StoreOptions): Store {
  const { folder, last, compactAtBytes = COMPACT_AT_BYTES } = options;
  const batch = createBatch(append, options.onFailure);
  let journal = openJournal(folder, last + 1);
  let compaction: Promise<void> | undefined;
  let folded = snapshotBytes(folder);

  function turnPage(): JournalFile {
    const full = journal;
    full.close();
    journal = openJournal(folder, full.number + 1);
    return full;
  }

  function rotate(): void {
    const { number } = turnPage();
    compaction = compactInThread(folder, number).finally(() => {
      compaction = undefined;
      folded = snapshotBytes(folder);
    });
  }

  function finish(state: WorldState): void {
    const { number } = journal;
    writeSnapshot(folder, { format: FORMAT, upTo: number, state });
    journal.close();
    removeJournals(folder, number);
  }

  function append(lines: string): void {
    journal.append(lines);
    if (journal.bytes >= Math.max(compactAtBytes, folded) && !compaction) rotate();
  }

  return {
    append(commit) {
      batch.add(lineOf(commit));
      batch.flush();
    },
    appendBatched: (commit) => batch.addSoon(lineOf(commit)),
    flushed: batch.flushed,
    flush: batch.flush,
    shareTo(target) {
      batch.flush();
      if (journal.bytes > 0) turnPage();
      const last = journal.number - 1;
      shareFiles(folder, target, last);
      return last;
    },
    async close(state) {
      batch.flush();
      await compaction;
      try {
        if (state) return finish(state);
      } catch (error) {
        // More than one JSON text or the disk can hold: it stays in its journals, which lose nothing.
        if (!(error instanceof RangeError) && !isFullDisk(error)) throw error;
      }
      journal.close();
    },
  };
}

/** A failed compaction costs nothing but disk: the journals stay and the next one takes them along. */
function compactInThread(folder: string, upTo: number): Promise<void> {
  return new Promise((resolve) => {
    const thread = new Worker(threadUrl("emulator/storage/journal/compaction-thread"), {
      workerData: { folder, upTo },
    });
    thread.unref();
    thread.once("error", () => resolve());
    thread.once("exit", () => resolve());
  });
}
