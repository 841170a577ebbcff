import type { PROCESSING_ERRORS } from "../../../contracts/spec/faults.ts";
import type { INTERRUPTED, NoData } from "../../kernel/types.ts";
import type { ObjectStoreFailure } from "../destinations/object-store-client.ts";
import type { Destination } from "../destinations/records.ts";
import type { StagedWrite } from "../object-storage/staged.ts";
import type { EncodingFailure, FileRequest } from "./encoder.ts";
import type { ExportedFile } from "./records.ts";

/** The attempt that an event or an effect belongs to: what an earlier attempt has left behind is stale. */
export interface OfAttempt {
  readonly attempt: number;
}

/** A file that is in the bucket while the checkpoint is still before it. */
export interface Checkpoint {
  readonly file: ExportedFile | null;
  readonly cursor: string | null;
  readonly exhausted: boolean;
}

/** A worker fault that ends the attempt at once. */
export type ImmediateFault =
  | { readonly crash: true }
  | { readonly error: (typeof PROCESSING_ERRORS)[number] };

/** The events in the life of an export and of its runs. */
export type BulkExportEvents = {
  readonly "export.due": NoData;
  readonly "export.deadline": NoData;
  /** The window of the export that a schedule makes next. */
  readonly "export.spawn": { readonly start: string; readonly end: string };
  readonly "export_run.start": OfAttempt & { readonly fault?: ImmediateFault };
  readonly "export_run.step": OfAttempt;
  readonly "export_run.write": OfAttempt;
  readonly "export_run.checkpoint": OfAttempt & Checkpoint;
  readonly "export_run.deadline": OfAttempt;
};

/** What exports ask of the outside world. */
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

/** Its result: a file, no row left to store (`rows` 0, no file), or a failure. */
export type FileWritten =
  | {
      readonly rows: number;
      readonly bytes: number;
      readonly cursor: string | null;
      readonly done: boolean;
      /** The file that the turn which takes the result is to store; left out for one that is stored already. */
      readonly staged?: StagedWrite;
    }
  | ObjectStoreFailure
  | EncodingFailure
  | SizeMismatch;

/** The object in the bucket is not the file that was written. */
export interface SizeMismatch {
  readonly failure: "size_mismatch";
  readonly message: string;
}

/** What can stop an attempt at a run; each has its row among the failures of §7.3. */
export type AttemptFailure =
  | Extract<FileWritten | typeof INTERRUPTED, { readonly failure: string }>
  | {
      readonly failure: EncodingFailure["failure"] | "run_timeout" | "destination_deleted";
      readonly message?: string;
    };
