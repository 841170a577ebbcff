import type { InitialSettings } from "../../kernel/commit.ts";
import type { MissingSecrets } from "../../subjects/snapshot-secrets.ts";
import type { TraceScope } from "../../subjects/traces/port.ts";

/** The part of a journal file that counts; `bytes` is null while the file is still written, which means all of it. */
export interface JournalSegment {
  readonly file: string;
  readonly bytes: number | null;
  /** Whether the file of a journal that is still written exists. */
  readonly isBegun?: true;
}

/**
 * The files of a world or a snapshot, as names in the pool. Row files and object bodies are named by the state and the journals.
 * A file that a manifest names never changes; data may only be appended after the part that counts.
 */
export interface Manifest {
  /** The number of the world's own folder in the pool; `NOBODY` for a snapshot. */
  readonly owner: number;
  /** The file with the state before the first journal; null for an empty world. */
  readonly state: string | null;
  readonly journals: readonly JournalSegment[];
  /** Other owners whose files this manifest may lead to. */
  readonly others: readonly number[];
  /** The file with the history before the state, and the first point of that history. */
  readonly history?: { readonly file: string; readonly turn: number; readonly now: number };
  /** Object bodies that only a history in memory names. Only held manifests have them. */
  readonly bodies?: readonly string[];
}

/** The owner of a manifest that is never written to. */
export const NOBODY = 0;

/** A file of rows, without its ending, with its length when it was last named. */
export interface RowFile {
  readonly file: string;
  /** Records with a smaller number count; null for an own tail. */
  readonly below: number | null;
  readonly records: number;
  /** Bytes of their lines. */
  readonly bytes: number;
  /** The number of an own tail, unique to its owner. Journal lines use it to give new lengths. */
  readonly tail?: number;
}

/** The files with the rows of one project that began on one UTC day, in the order of their rows. */
export interface NamedSegment extends TraceScope {
  readonly sessionId: string;
  readonly day: string;
  readonly rowFiles: readonly RowFile[];
}

/** The row files of a world, and the sequence number of its next row. */
export interface NamedRows {
  readonly next: number;
  readonly segments: readonly NamedSegment[];
}

export const NO_ROWS: NamedRows = { next: 0, segments: [] };

/** The owner of a file of the pool. */
export function ownerOf(file: string): number {
  return Number.parseInt(file, 10);
}

/** The manifest of a new world, which begins from another manifest or empty. An ephemeral world has no journals. */
export function newManifest(owner: number, isPersistent: boolean, from?: Manifest): Manifest {
  const { state = null, journals = [], others = [] } = from ?? {};
  const own = { file: journalName(owner, 1), bytes: null };
  return { owner, state, journals: isPersistent ? [...journals, own] : [], others };
}

/** The manifest for another world, which does not read what the owner appends later. */
export function sealedManifest({ owner, state, journals, others }: Manifest): Manifest {
  return { owner: NOBODY, state, journals, others: owner === NOBODY ? others : [...others, owner] };
}

const DIGITS = 6;

/** The names of an owner's files of one kind. */
const namesOf = (kind: string, ending: string) => (owner: number, number: number) =>
  `${owner}/${kind}-${String(number).padStart(DIGITS, "0")}.${ending}`;

export const journalName = namesOf("journal", "ndjson");
export const historyName = namesOf("history", "ndjson");
export const stateName = namesOf("state", "json");

/** The number in the name of a journal or a state. */
export function numberOf(file: string): number {
  return Number(/(\d+)\.[a-z]+$/.exec(file)?.[1] ?? 0);
}

/** A world in the list of worlds. */
export interface WorldEntry {
  readonly manifest: Manifest;
  /** The world or snapshot that it was forked from; null for one that began empty. */
  readonly from: string | null;
  /** The settings that it begins with after each reset, if they differ from the configuration. */
  readonly beginning?: InitialSettings;
  /** Its journal begins after this turn, with which the world was forked, loaded or rewound. */
  readonly journalAfter?: number;
  /** Set until the world has all its initial data. A process that starts before then fills it again. */
  readonly isFilling?: true;
}

/** A snapshot in the list of worlds. */
export interface SnapshotEntry {
  readonly manifest: Manifest;
  /** The world that it was taken of. */
  readonly of: string;
  /** Virtual time, and the number of the last turn. */
  readonly now: string;
  readonly turn: number;
  /** The secrets that an imported snapshot lacks. */
  readonly missing?: MissingSecrets;
}
