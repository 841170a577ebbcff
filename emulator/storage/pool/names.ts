import type { TraceScope } from "../../subjects/traces/port.ts";

/** A journal file as far as it counts; `bytes` is null for one that is still written to: all of it. */
export interface JournalSegment {
  readonly file: string;
  readonly bytes: number | null;
  /** Whether the file of one that is still written to was made. */
  readonly isBegun?: true;
}

/**
 * What a world or a snapshot consists of, by names of files in the pool. All else (row files, object bodies)
 * follows from the records that these lead to. No file that a manifest names is changed, but for what is appended
 * behind the part that counts.
 */
export interface Manifest {
  /** The number of the world's own folder in the pool; `NOBODY` for a snapshot. */
  readonly owner: number;
  /** The file with the state before the first journal; null for an empty world. */
  readonly state: string | null;
  readonly journals: readonly JournalSegment[];
  /** Owners whose files this manifest may lead to, beside its own. */
  readonly others: readonly number[];
  /** The history that leads to the state, in a file, and the first point of it. */
  readonly history?: { readonly file: string; readonly turn: number; readonly now: number };
  /** Object bodies that only a history in memory names; of a manifest that is held. */
  readonly bodies?: readonly string[];
}

/** The owner of a manifest that is never written to. */
export const NOBODY = 0;

/** A file of rows without its ending, as long as it was when it was last named. */
export interface RowFile {
  readonly file: string;
  /** The records numbered below it count; null for an own tail. */
  readonly below: number | null;
  readonly records: number;
  /** Of their lines. */
  readonly bytes: number;
  /** An own tail's number among those of its owner, by which journal lines give its new lengths. */
  readonly tail?: number;
}

/** The rows of one project that began on one UTC day, as names of files in the order of their rows. */
export interface NamedSegment extends TraceScope {
  readonly sessionId: string;
  readonly day: string;
  readonly rowFiles: readonly RowFile[];
}

/** All rows of a world, and the sequence number that its next row gets. */
export interface NamedRows {
  readonly next: number;
  readonly segments: readonly NamedSegment[];
}

export const NO_ROWS: NamedRows = { next: 0, segments: [] };

/** The owner in whose folder a file of the pool lies. */
export function ownerOf(file: string): number {
  return Number.parseInt(file, 10);
}

/** The manifest of a new world that goes on from another manifest, or begins empty; without journals if it is not kept. */
export function newManifest(owner: number, isPersistent: boolean, from?: Manifest): Manifest {
  const { state = null, journals = [], others = [] } = from ?? {};
  const own = { file: journalName(owner, 1), bytes: null };
  return { owner, state, journals: isPersistent ? [...journals, own] : [], others };
}

/** The same manifest for another world, which never reads what the owner appends later. */
export function sealedManifest({ owner, state, journals, others }: Manifest): Manifest {
  return { owner: NOBODY, state, journals, others: owner === NOBODY ? others : [...others, owner] };
}

const DIGITS = 6;

export function journalName(owner: number, number: number): string {
  return `${owner}/journal-${String(number).padStart(DIGITS, "0")}.ndjson`;
}

export function historyName(owner: number, number: number): string {
  return `${owner}/history-${String(number).padStart(DIGITS, "0")}.ndjson`;
}

export function stateName(owner: number, number: number): string {
  return `${owner}/state-${String(number).padStart(DIGITS, "0")}.json`;
}

/** The number in the name of a journal or a state. */
export function numberOf(file: string): number {
  return Number(/(\d+)\.[a-z]+$/.exec(file)?.[1] ?? 0);
}
