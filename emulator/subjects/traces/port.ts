import type { StoredRow } from "./roll-up.ts";

/** The partition key of trace rows: one workspace of one region (§1: data stays in its region). */
export interface TraceScope {
  readonly region: string;
  readonly tenantId: string;
}

/** The rows of one project that start on one UTC day, as of the mark `asOf`. */
export interface Partition extends TraceScope {
  readonly sessionId: string;
  /** `YYYY-MM-DD` */
  readonly day: string;
  /** High-water mark: row versions written at or after it are invisible. */
  readonly asOf: number;
}

/** A chunk of a partition, the unit in which an export run reads. */
export interface PartitionWindow extends Partition {
  /** ISO 8601 UTC with six decimals; start inclusive, end exclusive. */
  readonly start: string;
  readonly end: string;
}

/** Which rows are listed, and how. */
export interface RowRange {
  readonly sessionIds: readonly string[];
  /** Restricts the listing to a trace. May yield rows of other traces: callers compare `trace_id`. */
  readonly traceId?: string;
  /** ISO 8601 UTC with six decimals; start inclusive, end exclusive. */
  readonly start?: string;
  readonly end?: string;
  readonly order: "asc" | "desc";
  /** Only rows after this one, in the order of the list. */
  readonly after?: RowPlace;
}

/** A row's position in the order by (start_time, id), in which rows are listed and exported. */
export interface RowPlace {
  readonly startTime: string;
  readonly id: string;
}

/** A listed row whose content is read on demand. */
export interface ListedRow extends RowPlace {
  /** Stored size of the row. */
  readonly bytes: number;
  /** The objects and arrays in its JSON columns may be texts (`JsonText`). */
  read(): StoredRow;
}

/** What reading a row takes, in the units of `Steps`; a small one takes as long as some thousand characters. */
export function unitsOf({ bytes }: ListedRow): number {
  return 4_000 + bytes;
}

/** The trace rows of a world. All calls are synchronous; what a turn writes is kept with its commit, or not at all. */
export interface TraceStore {
  /** Appends a new version of each row; the last version of an id is current. */
  write(scope: TraceScope, rows: readonly StoredRow[]): void;
  /** The current version of a row. */
  read(scope: TraceScope, id: string): StoredRow | undefined;
  /** The version of a row visible at this mark; undefined when the row was written later. */
  readAsOf(scope: TraceScope, id: string, mark: number): StoredRow | undefined;
  /** The current versions of rows by (start_time, id); lazy, stops reading when the caller stops iterating. */
  list(scope: TraceScope, range: RowRange): Iterable<ListedRow>;
  /** The high-water mark: what is written from now on is at or after it. */
  mark(): number;
  /** The UTC days (`YYYY-MM-DD`, ascending) on which a project has rows that start in the window. */
  days(scope: TraceScope, sessionId: string, start: string, end: string): readonly string[];
  /**
   * `rows`: the number of rows, those of a fork's source included; the versions of a row count once. `bytes`: size of the files
   * that this store owns; files that a fork only reads are counted by their owner. History has the sizes of its instant.
   */
  stats(): { readonly rows: number; readonly bytes: number };
}
