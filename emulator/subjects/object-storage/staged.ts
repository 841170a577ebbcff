import type { ObjectStoreCredentials } from "../destinations/object-store-client.ts";
import type { StoredBody, StoredObject } from "./records.ts";

/** A file whose bodies are on disk, but not in any record yet. */
export interface StagedFile {
  readonly whole: StoredBody;
  /** The bodies of its parts, in order; empty for a file that is stored in one request. */
  readonly parts: readonly StoredBody[];
}

/** A staged file with the credentials to store it; in memory only. */
export interface StagedWrite {
  readonly file: StagedFile;
  readonly credentials: ObjectStoreCredentials;
}

/** Changes of a turn to bodies; they are applied after the commit. */
export interface BodyKeeper {
  /** A record uses this body; `place` is the object whose body it is. */
  keep(file: string, place?: Pick<StoredObject, "bucket" | "key">): void;
  /** No record uses these bodies now; `place` is the object, if it was removed. */
  drop(files: readonly string[], place?: Pick<StoredObject, "bucket" | "key">): void;
  /** The same for the bodies of all objects of a removed bucket. */
  dropBucket(bucket: string, files: readonly string[]): void;
}
