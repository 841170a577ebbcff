import { statSync } from "node:fs";
import { refusalIn } from "../../kernel/system-refusal.ts";
import { READ_OFTEN_BYTES } from "../background.ts";
import { isFullDisk } from "../full-disk.ts";
import {
  historyName,
  type JournalSegment,
  journalName,
  type Manifest,
  numberOf,
  stateName,
} from "../pool/names.ts";
import type { Pool } from "../pool/pool.ts";
import { type Folded, type Folds, manifestAfter, othersOf } from "./folds.ts";
import { type Journal, openJournal } from "./journal.ts";
import { ownersNamedBy } from "./named-files.ts";
import { type StoredState, writeState } from "./state.ts";

/** The journal of a world that is in use, over however many files. */
export interface WorldJournal {
  /** Rows are about to be written: until `close`, a next start has to look for those without a line. */
  begin(): void;
  /** Appends whole lines; once it returns, they survive the end of the process. */
  appendLines(lines: Uint8Array): void;
  /** The manifest of the world up to the last line. */
  manifest(): Manifest;
  /** Resolves when a fold under way has shortened a manifest that has too many journals; undefined when none does. */
  shortened(): Promise<void> | undefined;
  /** Writes the state, when there is a last one to write, so that the next start has no line to replay. */
  close(state: StoredState | undefined, past?: HistoryWriter): Promise<void>;
}

/** Writes the history that leads to the last state under a name, or keeps that of the manifest; and whose bodies it needs. */
export type HistoryWriter = (
  manifest: Manifest,
  file: string,
) => { readonly past: Manifest["history"]; readonly owners: readonly number[] } | undefined;

/** Whose journal it is. */
export interface WorldJournalOptions {
  readonly pool: Pool;
  readonly manifest: Manifest;
  /** Of the lines of its last journal. */
  readonly lineBytes?: number;
  /** Enters another manifest for the world; throws when it cannot be written down. */
  readonly save: (manifest: Manifest) => void;
  readonly folds: Folds;
  readonly foldAtBytes?: number;
}

/**
 * A journal is folded into a state, off the main thread, when it has grown to this, which a start reads in a fraction of a second,
 * and to the size of the last state: each fold writes all of it, so more of them would cost each write more as it grows.
 */
const FOLD_AT_BYTES = 8 * 1024 * 1024;
/** A chain of forks is folded so that no start has to read more files than this. */
const MAX_JOURNAL_SEGMENTS = 32;
/** The same while a fold has little to read, since what lives is little then. */
const MAX_SMALL_JOURNAL_SEGMENTS = 7;

/** Goes on with the last journal of a manifest. */
export function openWorldJournal(options: WorldJournalOptions): WorldJournal {
  const { pool, save, folds, foldAtBytes = FOLD_AT_BYTES } = options;
  const { owner } = options.manifest;
  let { manifest } = options;
  const last = lastOf(manifest);
  let journal = openJournal(pool, last.file, options.lineBytes);
  let isBegun = last.isBegun === true;
  let stateBytes = sizeOfState(pool, manifest);
  let folding: Promise<void> | undefined;

  function change(next: Manifest): void {
    save(next);
    manifest = next;
  }

  function manifestNow(): Manifest {
    const before = manifest.journals.slice(0, -1);
    const own = { file: journal.file, bytes: journal.bytes };
    return { ...manifest, journals: journal.bytes === 0 ? before : [...before, own] };
  }

  /** From when a manifest names the file of a journal as begun, it is there. */
  function begin(next: Journal, before: readonly JournalSegment[]): void {
    next.begin();
    change({ ...manifest, journals: [...before, { file: next.file, bytes: null, isBegun: true }] });
    journal = next;
    isBegun = true;
  }

  function beginOnce(): void {
    if (!isBegun) begin(journal, manifest.journals.slice(0, -1));
  }

  /** Lines go to the next journal from here on. */
  function rotate(): Manifest {
    const folded = manifestNow();
    begin(openJournal(pool, journalName(owner, numberOf(journal.file) + 1)), folded.journals);
    return folded;
  }

  function adopt(folded: Folded | undefined): void {
    const next = folded && manifestAfter(manifest, folded);
    if (!next) return;
    tolerating(() => change(next));
    stateBytes = sizeOfState(pool, manifest);
  }

  /** Of a chain of forks those in use fold, and those forked meanwhile adopt what they fold. */
  function startFold(isLong: boolean): Promise<void> {
    const joined = isLong ? undefined : folds.join(manifest.journals, adopt);
    if (joined) return joined;
    return folds.start(rotate(), stateName(owner, numberOf(journal.file) - 1), adopt);
  }

  function foldWhenDue(): void {
    const isLong = journal.bytes >= Math.max(foldAtBytes, stateBytes);
    if (folding || !(isLong || isChainLong(manifestNow(), stateBytes))) return;
    tolerating(() => {
      folding = startFold(isLong).finally(() => {
        folding = undefined;
      });
    });
  }

  return {
    begin: beginOnce,
    appendLines(lines) {
      beginOnce();
      journal.writeLines(lines);
      foldWhenDue();
    },
    manifest: manifestNow,
    shortened: () => (isChainLong(manifestNow(), stateBytes) ? folding : undefined),
    async close(state, past) {
      await folding;
      if (!state) return;
      tolerating(() => {
        const number = numberOf(journal.file);
        writeState(pool.path(stateName(owner, number)), state);
        const journals = [{ file: journalName(owner, number + 1), bytes: null }];
        const before = past?.(manifest, historyName(owner, number));
        const others = othersOf(owner, [...ownersNamedBy(state), ...(before?.owners ?? [])], []);
        const next = { owner, state: stateName(owner, number), journals, others };
        change(before?.past ? { ...next, history: before.past } : next);
      });
    },
  };
}

function isChainLong({ journals }: Manifest, stateBytes: number): boolean {
  if (journals.length <= MAX_SMALL_JOURNAL_SEGMENTS) return false;
  const bytes = journals.reduce((sum, each) => sum + (each.bytes ?? 0), stateBytes);
  return journals.length > (bytes > READ_OFTEN_BYTES ? MAX_JOURNAL_SEGMENTS : MAX_SMALL_JOURNAL_SEGMENTS);
}

function lastOf({ journals }: Manifest): JournalSegment {
  const last = journals.at(-1);
  if (!last || last.bytes !== null) throw new Error("The manifest of a world has no journal to append to.");
  return last;
}

function sizeOfState(pool: Pool, { state }: Manifest): number {
  return state === null ? 0 : (statSync(pool.path(state), { throwIfNoEntry: false })?.size ?? 0);
}

/** What is too much for one JSON text, for the disk or for the files that may be open stays in its journals, which lose nothing. */
function tolerating(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof RangeError) && !isFullDisk(error) && !refusalIn(error)) throw error;
  }
}
