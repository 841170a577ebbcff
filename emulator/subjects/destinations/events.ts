import type { StagedWrite } from "../object-storage/staged.ts";
import type { ObjectStoreError } from "./object-store-client.ts";
import type { Destination } from "./records.ts";

/** What `destination.validate` is told: write the test file, then delete it where permitted. */
export interface Validation {
  readonly destination: Pick<Destination, "config" | "embedded" | "credentials">;
  readonly testKey: string;
  /** The destination to keep when the bucket has taken the test file. */
  readonly record: Destination;
  /** The reply that waits for the result. */
  readonly ticket: number;
}

/** What it came to; the test file of an embedded destination is stored by the turn that takes the result. */
export type Validated =
  | { readonly testFile: "deleted" | "left" }
  | { readonly staged: StagedWrite }
  | { readonly failure: ObjectStoreError; readonly message: string };

export type DestinationEffects = {
  readonly "destination.validate": { readonly data: Validation; readonly result: Validated };
};
