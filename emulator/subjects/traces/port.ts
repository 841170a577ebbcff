import type { StoredRow } from "./roll-up.ts";

/** Where trace rows are kept: one workspace of one region (§1: data stays in its region). */
export interface TraceScope {
  readonly region: string;
  readonly tenantId: string;
}

/** The rows of one project that began on one UTC day, as they stood when `asOf` was taken. */
export interface Partition extends TraceScope {
  readonly sessionId: string;
  /** `YYYY-MM-DD` */
  readonly day: string;
  /** High-water mark: versions of rows written at or after it are not seen. */
  readonly asOf: number;
}

/** A piece of a partition, as an export run reads it. */
export interface PartitionWindow extends Partition {
  /** ISO 8601 UTC with six decimals; start inclusive, end exclusive. */
  readonly start: string;
  readonly end: string;
}

/** Which rows are listed, and how. */
export interface RowRange {
  readonly sessionIds: readonly string[];
  /** Finds the rows of a trace; a few others may come with them, so that they have to be compared. */
  readonly traceId?: string;
  /** ISO 8601 UTC with six decimals; start inclusive, end exclusive. */
  readonly start?: string;
  readonly end?: string;
  readonly order: "asc" | "desc";
  /** Only rows behind this one, in the order of the list. */
  readonly after?: RowPlace;
}

/** A row's place in the order by (start_time, id), in which rows are listed and exported. */
export interface RowPlace {
  readonly startTime: string;
  readonly id: string;
}

/** A row that has been found and not yet been read. */
export interface ListedRow extends RowPlace {
  /** Of the row as it is kept. */
  readonly bytes: number;
  read(): StoredRow;
}

/** The trace rows of a world. All calls are synchronous; what a turn writes is kept with its commit, or not at all. */
export interface TraceStore {
  /** Appends a new version of each row; the last version of an id is the one that counts. */
  write(scope: TraceScope, rows: readonly StoredRow[]): void;
  /** The newest version of a row. */
  read(scope: TraceScope, id: string): StoredRow | undefined;
  /** The version of a row that a reader with this mark sees; undefined when the row came later. */
  readAsOf(scope: TraceScope, id: string, mark: number): StoredRow | undefined;
  /** The newest versions of rows in the order of their start; stops to look when the caller does. */
  list(scope: TraceScope, range: RowRange): Iterable<ListedRow>;
  /** The high-water mark: what is written from now on is at or after it. */
  mark(): number;
  /** The UTC days (`YYYY-MM-DD`, ascending) on which a project has rows that begin in the window. */
  days(scope: TraceScope, sessionId: string, start: string, end: string): readonly string[];
  /**
   * How many rows were ever written, and how many bytes their files hold. A fork goes on counting the rows from
   * where it was made; its bytes are its own, those that it only reads are counted where they are.
   */
  stats(): { readonly rows: number; readonly bytes: number };
}
