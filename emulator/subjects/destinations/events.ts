import type { StagedWrite } from "../object-storage/staged.ts";
import type { NoCredentials, ObjectStoreFailure } from "./object-store-client.ts";
import type { Destination } from "./records.ts";

/** Input of `destination.validate`, which writes the test file and deletes it where permitted. */
export interface Validation {
  readonly destination: Pick<Destination, "config" | "embedded" | "credentials">;
  readonly testKey: string;
  /** The destination to store after a successful test write. */
  readonly record: Destination;
  /** The deferred reply. */
  readonly replyNumber: number;
}

/** The result; the turn of the result stores the test file of an embedded destination. */
export type Validated =
  | { readonly testFile: "deleted" | "left" }
  | { readonly staged: StagedWrite }
  | ObjectStoreFailure
  | NoCredentials;

export type DestinationEffects = {
  readonly "destination.validate": { readonly data: Validation; readonly result: Validated };
};
