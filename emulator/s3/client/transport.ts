import type {
  ObjectStoreClient,
  ObjectStoreFailure,
} from "../../subjects/destinations/object-store-client.ts";

/** How objects are sent. */
export interface TransferLimits {
  /** Above it an object goes up in parts of this size. */
  readonly partBytes: number;
  /** Wall-clock time of one request. */
  readonly timeoutMs: number;
}

/** A multipart upload that is under way. */
export interface Upload {
  readonly key: string;
  readonly uploadId: string;
}

/** A part that was stored. */
export interface StoredPart {
  readonly partNumber: number;
  readonly etag: string;
}

/** The requests of a client, one each. */
export interface ObjectStoreTransport extends Omit<ObjectStoreClient, "put"> {
  putWhole(key: string, bytes: Uint8Array): Promise<ObjectStoreFailure | { readonly stored: true }>;
  createUpload(key: string): Promise<ObjectStoreFailure | Upload>;
  putPart(upload: Upload, partNumber: number, bytes: Uint8Array): Promise<ObjectStoreFailure | StoredPart>;
  completeUpload(
    upload: Upload,
    parts: readonly StoredPart[],
  ): Promise<ObjectStoreFailure | { readonly stored: true }>;
  /** Where aborting is not permitted, the parts stay. */
  abortUpload(upload: Upload): Promise<unknown>;
}
