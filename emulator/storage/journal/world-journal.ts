import { statSync } from "node:fs";
import { refusalIn } from "../../kernel/system-refusal.ts";
import { READ_OFTEN_BYTES } from "../background.ts";
import { isFullDisk } from "../full-disk.ts";
import { type Head, journalName, numberOf, pastName, type Stretch, stateName } from "../pool/names.ts";
import type { Pool } from "../pool/pool.ts";
import { type Folded, type Folds, headAfter, othersOf } from "./folds.ts";
import { type Journal, openJournal } from "./journal.ts";
import { ownersNamedBy } from "./named-files.ts";
import { type StoredState, writeState } from "./state.ts";

/** The journal of a world that is in use, over however many files. */
export interface WorldJournal {
  /** Rows are about to be written: until `close`, a next start has to look for those without a line. */
  begin(): void;
  /** Appends whole lines; once it returns, they survive the end of the process. */
  append(lines: Uint8Array): void;
  /** The head of the world up to the last line. */
  head(): Head;
  /** Resolves when a fold under way has shortened a head that has too many journals; undefined when none does. */
  shortened(): Promise<void> | undefined;
  /** Writes the state, when there is a last one to write, so that the next start has no line to replay. */
  close(state: StoredState | undefined, past?: PastWriter): Promise<void>;
}

/** Writes the history that leads to the last state under a name, or keeps that of the head; and whose bodies it needs. */
export type PastWriter = (
  head: Head,
  file: string,
) => { readonly past: Head["past"]; readonly owners: readonly number[] } | undefined;

/** Whose journal it is. */
export interface WorldJournalOptions {
  readonly pool: Pool;
  readonly head: Head;
  /** Of the lines of its last journal. */
  readonly lineBytes?: number;
  /** Enters another head for the world; throws when it cannot be written down. */
  readonly save: (head: Head) => void;
  readonly folds: Folds;
  readonly foldAtBytes?: number;
}

/**
 * A journal is folded into a state, off the main thread, when it has grown to this, which a start reads in a fraction of a second,
 * and to the size of the last state: each fold writes all of it, so more of them would cost each write more as it grows.
 */
const FOLD_AT_BYTES = 8 * 1024 * 1024;
/** A chain of forks is folded so that no start has to read more files than this. */
const STRETCHES_MAX = 32;
/** The same while a fold has little to read, since what lives is little then. */
const SMALL_STRETCHES_MAX = 7;

/** Goes on with the last journal of a head. */
export function openWorldJournal(options: WorldJournalOptions): WorldJournal {
  const { pool, save, folds, foldAtBytes = FOLD_AT_BYTES } = options;
  const { owner } = options.head;
  let { head } = options;
  const last = lastOf(head);
  let journal = openJournal(pool, last.file, options.lineBytes);
  let isBegun = last.isBegun === true;
  let stateBytes = sizeOfState(pool, head);
  let folding: Promise<void> | undefined;

  function change(next: Head): void {
    save(next);
    head = next;
  }

  function headNow(): Head {
    const before = head.journals.slice(0, -1);
    const own = { file: journal.file, bytes: journal.bytes };
    return { ...head, journals: journal.bytes === 0 ? before : [...before, own] };
  }

  /** From when a head names the file of a journal as begun, it is there. */
  function begin(next: Journal, before: readonly Stretch[]): void {
    next.begin();
    change({ ...head, journals: [...before, { file: next.file, bytes: null, isBegun: true }] });
    journal = next;
    isBegun = true;
  }

  function beginOnce(): void {
    if (!isBegun) begin(journal, head.journals.slice(0, -1));
  }

  /** Lines go to the next journal from here on. */
  function rotate(): Head {
    const folded = headNow();
    begin(openJournal(pool, journalName(owner, numberOf(journal.file) + 1)), folded.journals);
    return folded;
  }

  function adopt(folded: Folded | undefined): void {
    const next = folded && headAfter(head, folded);
    if (!next) return;
    tolerating(() => change(next));
    stateBytes = sizeOfState(pool, head);
  }

  /** Of a chain of forks those in use fold, and those forked meanwhile adopt what they fold. */
  function startFold(isLong: boolean): Promise<void> {
    const joined = isLong ? undefined : folds.join(head.journals, adopt);
    if (joined) return joined;
    return folds.start(rotate(), stateName(owner, numberOf(journal.file) - 1), adopt);
  }

  function foldWhenDue(): void {
    const isLong = journal.bytes >= Math.max(foldAtBytes, stateBytes);
    if (folding || !(isLong || isChainLong(headNow(), stateBytes))) return;
    tolerating(() => {
      folding = startFold(isLong).finally(() => {
        folding = undefined;
      });
    });
  }

  return {
    begin: beginOnce,
    append(lines) {
      beginOnce();
      journal.append(lines);
      foldWhenDue();
    },
    head: headNow,
    shortened: () => (isChainLong(headNow(), stateBytes) ? folding : undefined),
    async close(state, past) {
      await folding;
      if (!state) return;
      tolerating(() => {
        const number = numberOf(journal.file);
        writeState(pool.path(stateName(owner, number)), state);
        const journals = [{ file: journalName(owner, number + 1), bytes: null }];
        const before = past?.(head, pastName(owner, number));
        const others = othersOf(owner, [...ownersNamedBy(state), ...(before?.owners ?? [])], []);
        const next = { owner, state: stateName(owner, number), journals, others };
        change(before?.past ? { ...next, past: before.past } : next);
      });
    },
  };
}

function isChainLong({ journals }: Head, stateBytes: number): boolean {
  if (journals.length <= SMALL_STRETCHES_MAX) return false;
  const bytes = journals.reduce((sum, each) => sum + (each.bytes ?? 0), stateBytes);
  return journals.length > (bytes > READ_OFTEN_BYTES ? STRETCHES_MAX : SMALL_STRETCHES_MAX);
}

function lastOf({ journals }: Head): Stretch {
  const last = journals.at(-1);
  if (!last || last.bytes !== null) throw new Error("The head of a world has no journal to append to.");
  return last;
}

function sizeOfState(pool: Pool, { state }: Head): number {
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
