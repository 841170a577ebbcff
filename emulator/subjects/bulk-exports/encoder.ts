import type { FileColumnName } from "../../../contracts/spec/bulk-exports/columns.ts";
import type { PartitionWindow } from "../traces/port.ts";

/** §2.5: `v2_beta` has other column types and other folders than `v1`. */
export type FormatVersion = "v1" | "v2_beta";
/** Compression of the pages of a file. */
export type Compression = "none" | "snappy" | "gzip" | "zstandard";

/** The rows of one file of an export run: those of a window after the cursor. */
export interface FileRequest extends PartitionWindow {
  /** Opaque; null before the first file. */
  readonly cursor: string | null;
  /** In the order of the file. */
  readonly columns: readonly FileColumnName[];
  readonly formatVersion: FormatVersion;
  readonly compression: Compression;
  /** Whether the rows of each row group are in the opposite order. */
  readonly isReversed?: boolean;
  readonly rowsPerFile: number;
  /** Bytes of stored rows, before encoding, at which a file is closed (it has at least one row). */
  readonly bytesPerFile: number;
  /** A filter-query-language expression (§2.5-4); null selects every row. */
  readonly filter: string | null;
  /** The value of the column `feedbacks` by row, if the file has it; a row that is missing has none. */
  readonly feedbacks?: ReadonlyMap<string, string>;
  /** Set by a fault: the encoding thread ends after it has read its rows. */
  readonly crash?: true;
}

/** Rows are ordered by (start_time, id); the cursor is the last row that was read. */
export interface EncodedFile {
  /** Null when no rows were left. */
  readonly bytes: Uint8Array | null;
  readonly rows: number;
  readonly cursor: string | null;
  /** True when no rows are left after this file. */
  readonly done: boolean;
}

/** Why a file could not be encoded; each kind has a row among the failures of §7.3. */
export interface EncodingFailure {
  readonly failure: "worker_crash" | "damaged_rows" | "serialization_error" | "resource_exhausted";
  readonly message: string;
}

/** Reads, filters and encodes rows, in a worker thread if that takes long. */
export interface FileEncoder {
  encode(order: FileRequest): Promise<EncodedFile | EncodingFailure>;
  /** Ends a thread as a crash would, preferably one of this world; its work is repeated. */
  endThread(): Promise<void>;
  /** Completes pending work; the threads may continue for other worlds. */
  close(): Promise<void>;
}
