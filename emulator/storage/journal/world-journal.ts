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

/** The journal of a running world, in any number of files. */
export interface WorldJournal {
  /** Called before rows are written: until `close`, the next start has to look for rows without a journal line. */
  begin(): void;
  /** Appends whole lines. When it returns, they survive the end of the process. */
  appendLines(lines: Uint8Array): void;
  /** The manifest of the world up to the last line. */
  manifest(): Manifest;
  /** Resolves when a running fold has shortened a manifest with too many journals; undefined without such a fold. */
  shortened(): Promise<void> | undefined;
  /** Writes the last state, if any, so that the next start has no line to replay. */
  close(state: StoredState | undefined, writeHistory?: HistoryWriter): Promise<void>;
}

/** Writes the history before the last state to a file, or keeps the one of the manifest. Returns the owners of the bodies it needs. */
export type HistoryWriter = (
  manifest: Manifest,
  file: string,
) => { readonly history: Manifest["history"]; readonly owners: readonly number[] } | undefined;

/** The world of the journal. */
export interface WorldJournalOptions {
  readonly pool: Pool;
  readonly manifest: Manifest;
  /** Bytes of the lines of its last journal. */
  readonly lineBytes?: number;
  /** Saves a new manifest of the world. Throws when it cannot be written. */
  readonly save: (manifest: Manifest) => void;
  readonly folds: Folds;
  readonly foldAtBytes?: number;
}

/**
 * A journal is folded into a state, off the main thread, when it reaches this size, which a start reads in a fraction of a second,
 * and the size of the last state. Each fold writes the whole state, so earlier folds would cost more as the state grows.
 */
const FOLD_AT_BYTES = 8 * 1024 * 1024;
/** A chain of forks is folded so that no start reads more files than this. */
const MAX_JOURNAL_SEGMENTS = 32;
/** The same while the journals and the state are small, so that a fold is cheap. */
const MAX_SMALL_JOURNAL_SEGMENTS = 7;

/** Opens the last journal of a manifest for further lines. */
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

  /** Creates the file before a manifest names it as begun. */
  function begin(next: Journal, before: readonly JournalSegment[]): void {
    next.begin();
    change({ ...manifest, journals: [...before, { file: next.file, bytes: null, isBegun: true }] });
    journal = next;
    isBegun = true;
  }

  function beginOnce(): void {
    if (!isBegun) begin(journal, manifest.journals.slice(0, -1));
  }

  /** Starts the next journal. Returns the manifest up to the end of this one. */
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

  /** In a chain of forks, a running world folds, and its new forks adopt the result. */
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
    async close(state, writeHistory) {
      await folding;
      if (!state) return;
      tolerating(() => {
        const number = numberOf(journal.file);
        writeState(pool.path(stateName(owner, number)), state);
        const journals = [{ file: journalName(owner, number + 1), bytes: null }];
        const result = writeHistory?.(manifest, historyName(owner, number));
        const others = othersOf(owner, [...ownersNamedBy(state), ...(result?.owners ?? [])], []);
        const next = { owner, state: stateName(owner, number), journals, others };
        change(result?.history ? { ...next, history: result.history } : next);
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

/** Ignores a state too large for one JSON text, a full disk and too many open files: the journals still have all data. */
function tolerating(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof RangeError) && !isFullDisk(error) && !refusalIn(error)) throw error;
  }
}
