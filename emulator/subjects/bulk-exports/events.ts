import type { PROCESSING_ERRORS } from "../../../contracts/spec/faults.ts";
import type { INTERRUPTED, NoData } from "../../kernel/types.ts";
import type { ObjectStoreFailure } from "../destinations/object-store-client.ts";
import type { Destination } from "../destinations/records.ts";
import type { StagedWrite } from "../object-storage/staged.ts";
import type { EncodingFailure, FileRequest } from "./encoder.ts";
import type { ExportedFile } from "./records.ts";

/** The attempt of an event or an effect; those of earlier attempts are stale. */
export interface OfAttempt {
  readonly attempt: number;
}

/** A stored file that the checkpoint does not include yet. */
export interface Checkpoint {
  readonly file: ExportedFile | null;
  readonly cursor: string | null;
  readonly exhausted: boolean;
}

/** A worker fault that ends the attempt at once. */
export type ImmediateFault =
  | { readonly crash: true }
  | { readonly error: (typeof PROCESSING_ERRORS)[number] };

/** The events of exports and their runs. */
export type BulkExportEvents = {
  readonly "export.due": NoData;
  readonly "export.deadline": NoData;
  /** The window of the next export of a schedule. */
  readonly "export.spawn": { readonly start: string; readonly end: string };
  readonly "export_run.start": OfAttempt & { readonly fault?: ImmediateFault };
  readonly "export_run.step": OfAttempt;
  readonly "export_run.write": OfAttempt;
  readonly "export_run.checkpoint": OfAttempt & Checkpoint;
  readonly "export_run.deadline": OfAttempt;
};

/** The I/O of exports. */
export type BulkExportEffects = {
  readonly "export.write_file": { readonly data: OfAttempt & WriteFile; readonly result: FileWritten };
  readonly "export.end_thread": { readonly data: OfAttempt; readonly result: NoData };
};

/** Data of `export.write_file`: encode the rows of the order and store them under the key. */
export interface WriteFile {
  readonly order: FileRequest;
  readonly key: string;
  readonly destination: Pick<Destination, "config" | "embedded" | "credentials">;
}

/** Its result: a file, no rows left to export (`rows` 0, no file), or a failure. */
export type FileWritten =
  | {
      readonly rows: number;
      readonly bytes: number;
      readonly cursor: string | null;
      readonly done: boolean;
      /** The file for the turn of the result to store; omitted if it is already stored. */
      readonly staged?: StagedWrite;
    }
  | ObjectStoreFailure
  | EncodingFailure
  | SizeMismatch;

/** The object in the bucket differs in size from the file that was written. */
export interface SizeMismatch {
  readonly failure: "size_mismatch";
  readonly message: string;
}

/** Failures of an attempt at a run; each has a row among the failures of §7.3. */
export type AttemptFailure =
  | Extract<FileWritten | typeof INTERRUPTED, { readonly failure: string }>
  | {
      readonly failure: EncodingFailure["failure"] | "run_timeout" | "destination_deleted";
      readonly message?: string;
    };
