import type { ObjectStoreCredentials } from "../destinations/object-store-client.ts";
import type { StoredBody, StoredObject } from "./records.ts";

/** A file whose bodies are written, and that no record names yet. */
export interface StagedFile {
  readonly whole: StoredBody;
  /** The bodies of its parts, in their order; empty for a file that goes up in one request. */
  readonly parts: readonly StoredBody[];
}

/** A staged file with the key pair that is to store it; in memory only. */
export interface StagedWrite {
  readonly file: StagedFile;
  readonly credentials: ObjectStoreCredentials;
}

/** What a turn says of bodies: it is carried out once the turn is kept. */
export interface BodyKeeper {
  /** A record names this body; `place` is that of the object, if it is the body of one. */
  keep(file: string, place?: Pick<StoredObject, "bucket" | "key">): void;
  /** No record names these bodies any more; `place` is that of the object, if it was removed. */
  drop(files: readonly string[], place?: Pick<StoredObject, "bucket" | "key">): void;
}
