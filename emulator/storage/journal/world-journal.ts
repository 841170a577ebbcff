import { isFullDisk, refusalIn } from "../../kernel/system-refusal.ts";
import { READ_OFTEN_BYTES } from "../background.ts";
import {
  historyName,
  type JournalSegment,
  journalName,
  type Manifest,
  numberOf,
  stateName,
} from "../pool/names.ts";
import { sizeAt } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import { type Folded, type Folds, manifestAfter, othersOf } from "./folds.ts";
import { type Journal, openJournal } from "./journal.ts";
import { ownersNamedBy } from "./read-manifest.ts";
import { type StoredState, writeState } from "./state.ts";

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
  /** Beyond this size of the state and its journal, `isLarge` is true. */
  readonly largeBytes?: number;
}

/**
 * A journal is folded into a state, off the main thread, when it reaches this size, which a start reads in a fraction of a second,
 * and the size of the last state. Each fold writes the whole state, so earlier folds would cost more as the state grows.
 */
const FOLD_AT_BYTES = 8 * 1024 * 1024;
/** Writing a larger state would take most of the ten seconds that containers leave between SIGTERM and SIGKILL. */
const LARGE_BYTES = 96 * 1024 * 1024;
/** A chain of forks is folded so that no start reads more files than this. */
const MAX_JOURNAL_SEGMENTS = 32;
/** The same while the journals and the state are small, so that a fold is cheap. */
const MAX_SMALL_JOURNAL_SEGMENTS = 7;

/** The journal of a running world, in any number of files. It begins with the last journal of a manifest. */
export class WorldJournal {
  readonly #options: WorldJournalOptions;
  #saved: Manifest;
  #journal: Journal;
  #isBegun: boolean;
  #stateBytes: number;
  #folding: Promise<void> | undefined;

  constructor(options: WorldJournalOptions) {
    const { pool, manifest, lineBytes } = options;
    const last = lastOf(manifest);
    this.#options = options;
    this.#saved = manifest;
    this.#journal = openJournal(pool, last.file, lineBytes);
    this.#isBegun = last.isBegun === true;
    this.#stateBytes = sizeOfState(pool, manifest);
  }

  /** Called before rows are written: until `close`, the next start has to look for rows without a journal line. */
  begin(): void {
    if (!this.#isBegun) this.#beginFile(this.#journal, this.#saved.journals.slice(0, -1));
  }

  /** Appends whole lines. When it returns, they survive the end of the process. */
  appendLines(lines: Buffer): void {
    this.begin();
    this.#journal.writeLines(lines);
    this.#foldWhenDue();
  }

  /** The manifest of the world up to the last line. */
  manifest(): Manifest {
    const before = this.#saved.journals.slice(0, -1);
    const { file, bytes } = this.#journal;
    return { ...this.#saved, journals: bytes === 0 ? before : [...before, { file, bytes }] };
  }

  /** Resolves when a running fold has shortened a manifest with too many journals; undefined without such a fold. */
  shortened(): Promise<void> | undefined {
    return isChainLong(this.manifest(), this.#stateBytes) ? this.#folding : undefined;
  }

  /** Whether a stop should leave the lines of the journal to the next start. */
  get isLarge(): boolean {
    return this.#stateBytes + this.#journal.bytes > (this.#options.largeBytes ?? LARGE_BYTES);
  }

  /** Ends the last journal without writing a state. The next start replays it, and finds nothing that could be incomplete. */
  async closeAsJournal(): Promise<void> {
    await this.#options.folds.leave(this.#adopt);
    const file = journalName(this.#saved.owner, numberOf(this.#journal.file) + 1);
    const journals = [...this.manifest().journals, { file, bytes: null }];
    if (this.#isBegun) tolerating(() => this.#save({ ...this.#saved, journals }));
  }

  /** Writes the last state, if any, so that the next start has no line to replay. */
  async close(state: StoredState | undefined, writeHistory?: HistoryWriter): Promise<void> {
    await this.#options.folds.leave(this.#adopt);
    if (!state) return;
    const { pool } = this.#options;
    const { owner } = this.#saved;
    const number = numberOf(this.#journal.file);
    tolerating(() => {
      const file = stateName(owner, number);
      writeState(pool, file, state);
      const journals = [{ file: journalName(owner, number + 1), bytes: null }];
      const { history, owners = [] } = writeHistory?.(this.#saved, historyName(owner, number)) ?? {};
      const others = othersOf(owner, [...ownersNamedBy(state), ...owners], []);
      this.#save({ owner, state: file, journals, others, ...(history && { history }) });
    });
  }

  #save(next: Manifest): void {
    this.#options.save(next);
    this.#saved = next;
  }

  /** Creates the file before a manifest names it as begun. */
  #beginFile(journal: Journal, before: readonly JournalSegment[]): void {
    journal.begin();
    this.#save({ ...this.#saved, journals: [...before, { file: journal.file, bytes: null, isBegun: true }] });
    this.#journal = journal;
    this.#isBegun = true;
  }

  #foldWhenDue(): void {
    const { foldAtBytes = FOLD_AT_BYTES } = this.#options;
    const isLong = this.#journal.bytes >= Math.max(foldAtBytes, this.#stateBytes);
    if (this.#folding || !(isLong || isChainLong(this.manifest(), this.#stateBytes))) return;
    tolerating(() => {
      this.#folding = this.#fold(isLong).finally(() => {
        this.#folding = undefined;
      });
    });
  }

  /** Starts the next journal, and folds those before it. In a chain of forks, new forks adopt the fold of a running world. */
  #fold(isLong: boolean): Promise<void> {
    const { pool, folds } = this.#options;
    const { owner } = this.#saved;
    const joined = isLong ? undefined : folds.join(this.#saved.journals, this.#adopt);
    if (joined) return joined;
    const manifest = this.manifest();
    const number = numberOf(this.#journal.file);
    this.#beginFile(openJournal(pool, journalName(owner, number + 1)), manifest.journals);
    return folds.start(manifest, stateName(owner, number), this.#adopt);
  }

  readonly #adopt = (folded: Folded | undefined): void => {
    const next = folded && manifestAfter(this.#saved, folded);
    if (!next) return;
    tolerating(() => this.#save(next));
    this.#stateBytes = sizeOfState(this.#options.pool, this.#saved);
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
  return state === null ? 0 : sizeAt(pool.path(state));
}

/** Ignores a state too large for one JSON text, a full disk and too many open files: the journals still have all data. */
function tolerating(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof RangeError) && !isFullDisk(error) && !refusalIn(error)) throw error;
  }
}
