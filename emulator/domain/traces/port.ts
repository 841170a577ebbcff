import type { TraceRow } from "../../../contracts/spec/export-columns.ts";

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

/**
 * The trace rows of a world. All calls are synchronous: what `write` has returned from survives the end
 * of the process (it is in the operating system's hands, not yet necessarily on the disk's surface).
 */
export interface TraceStore {
  /** Appends a new version of each row; the last version of an id is the one that counts. */
  write(scope: TraceScope, rows: readonly TraceRow[]): void;
  /** The newest version of a row. */
  read(scope: TraceScope, id: string): TraceRow | undefined;
  /** Keeps a patch whose row has not been posted yet; a second patch for the id is kept behind the first. */
  holdPatch(scope: TraceScope, id: string, patch: Readonly<Record<string, unknown>>): void;
  /** The patches held for an id, oldest first; they stay held until a row with this id is written. */
  heldPatches(scope: TraceScope, id: string): readonly Readonly<Record<string, unknown>>[];
  /** The high-water mark: what is written from now on is at or after it. */
  mark(): number;
  /** The UTC days (`YYYY-MM-DD`, ascending) on which a project has rows that begin in the window. */
  days(scope: TraceScope, sessionId: string, start: string, end: string): readonly string[];
  /** How many rows were ever written, and how many bytes their files hold. */
  stats(): { readonly rows: number; readonly bytes: number };
  /** Forgets everything. */
  clear(): void;
  close(): void;
}
