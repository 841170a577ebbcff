import type { ColumnName } from "../../../contracts/spec/bulk-exports/columns.ts";
import type { PartitionWindow } from "../traces/port.ts";

/** §2.5: `v2_beta` has other column types and other folders than `v1`. */
export type FormatVersion = "v1" | "v2_beta";
/** How the pages of a file are compressed. */
export type Compression = "none" | "snappy" | "gzip" | "zstandard";

/** What one file of an export run is to hold: the rows of a window that come after the cursor. */
export interface FileRequest extends PartitionWindow {
  /** Opaque; null before the first file. */
  readonly cursor: string | null;
  /** In the order in which the file shall have them. */
  readonly columns: readonly ColumnName[];
  readonly formatVersion: FormatVersion;
  readonly compression: Compression;
  readonly rowsPerFile: number;
  /** Bytes of stored rows, before encoding, at which a file is closed (at least one row goes in). */
  readonly bytesPerFile: number;
  /** A filter-query-language expression (§2.5-4); null selects every row. */
  readonly filter: string | null;
  /** Set by a fault: the encoding thread ends itself once it has read its rows. */
  readonly crash?: true;
}

/** Rows come out ordered by (start_time, id); a cursor names the last row that was looked at. */
export interface EncodedFile {
  /** Null when no row was left. */
  readonly bytes: Uint8Array | null;
  readonly rows: number;
  readonly cursor: string | null;
  /** True when nothing is left after this file. */
  readonly done: boolean;
}

/** Why a file could not be encoded; each kind has its row among the failures of §7.3. */
export interface EncodingFailure {
  readonly failure: "worker_crash" | "serialization_error" | "resource_exhausted";
  readonly message: string;
}

/** Reads, filters and encodes, what takes long off the main thread. */
export interface FileEncoder {
  encode(order: FileRequest): Promise<EncodedFile | EncodingFailure>;
  /** Ends a thread as a crash would, one of this world's if it has any; work that was in it is done again. */
  endThread(): Promise<void>;
  /** Answers what is under way; the threads may go on for other worlds. */
  close(): Promise<void>;
}
