import type { ClockState } from "../kernel/commit.ts";
import type { JournalEntry } from "../kernel/journal.ts";

/** What differs between two worlds, or between two instants of one; secrets are masked, and not compared. */
export interface WorldDifference {
  readonly a: ComparedWorld;
  readonly b: ComparedWorld;
  /** True when nothing differs but the time and the number of the last turn. */
  readonly same: boolean;
  /** By collection, those that differ. */
  readonly records: Readonly<Record<string, Changes>>;
  /** Trace rows. */
  readonly rows: Changes & { readonly not_compared: number };
  /** Objects as `bucket/key`; a Parquet file that differs has its rows compared. */
  readonly objects: Changes;
  /** What is due. */
  readonly events: Changes;
  /** The first turn that only one of them has, or that differs; null when their journals agree. */
  readonly parted: Parting | null;
}

/** One side of a comparison. */
export interface ComparedWorld {
  readonly world: string;
  readonly turn: number;
  readonly now: string;
  readonly clock: ClockState;
}

/** `added` is what only the second world has. */
export interface Changes {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  readonly items: readonly ItemChange[];
  /** How many are counted and not listed. */
  readonly cut: number;
}

/** A thing that differs; what only one side has is listed with its fields. */
export interface ItemChange {
  readonly key: string;
  readonly change: "added" | "removed" | "changed";
  readonly fields?: readonly FieldChange[];
  readonly fields_cut?: number;
  /** The rows of a Parquet file. */
  readonly rows?: Changes;
}

/** A field in both; null where it is not there. */
export interface FieldChange {
  readonly path: string;
  readonly a: unknown;
  readonly b: unknown;
}

/** Where two journals part, and what each of them has there. */
export interface Parting {
  readonly turn: number | null;
  readonly a: JournalEntry | null;
  readonly b: JournalEntry | null;
  readonly reason: string;
}
