import type { DestinationErrorKey } from "../../../contracts/spec/failures.ts";

/** The client of one bucket of an S3-compatible server, with one set of credentials. */
export interface ObjectStoreClient {
  /** Stores an object atomically; large ones by multipart upload, aborted on failure where permitted. */
  put(key: string, bytes: Uint8Array): Promise<ObjectStoreFailure | { readonly stored: true }>;
  /** Bytes of an object (needs the get permission). */
  size(key: string): Promise<ObjectStoreFailure | { readonly size: number }>;
  get(key: string): Promise<ObjectStoreFailure | { readonly bytes: Uint8Array }>;
  delete(key: string): Promise<ObjectStoreFailure | { readonly deleted: true }>;
  /** Keys under a prefix in ascending order, at most 100,000 (needs the list permission). */
  list(prefix: string): Promise<ObjectStoreFailure | { readonly keys: readonly string[] }>;
}

/** §7.3: a failure that ends a run, by its name of §7.2 or `refused` under its own code; `unavailable` interrupts it. */
export type ObjectStoreError = DestinationErrorKey | "refused" | "unavailable";

/** The failure of an object store operation; returned as a value because failures are expected. */
export interface ObjectStoreFailure {
  readonly failure: ObjectStoreError;
  /** The error code of the store, or one of `STORE_ERRORS` if it did not reply. */
  readonly code: string;
  /** The store's error message, without secrets. */
  readonly message: string;
}

/** Why a destination has no credentials; `unsupported`: the emulated version does not support temporary ones (2.4-3). */
export interface NoCredentials extends ObjectStoreFailure {
  readonly unsupported?: true;
}

export interface ObjectStoreAddress {
  readonly bucket: string;
  readonly region: string | null;
  /** Null for AWS-style storage. */
  readonly endpointUrl: string | null;
}

/** Decrypted credentials for one call; never stored in this form (§2.4-2). */
export interface ObjectStoreCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
  /** A role: the embedded store admits it as itself, without a key pair. */
  readonly isRole?: true;
}

/** Opens clients of object stores, without any request. */
export interface ObjectStoreClients {
  open(address: ObjectStoreAddress, credentials: ObjectStoreCredentials): ObjectStoreClient;
}
