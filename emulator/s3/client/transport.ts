import type {
  ObjectStoreClient,
  ObjectStoreFailure,
} from "../../subjects/destinations/object-store-client.ts";

/** A multipart upload in progress. */
export interface Upload {
  readonly key: string;
  readonly uploadId: string;
}

/** A part that was stored. */
export interface StoredPart {
  readonly partNumber: number;
  readonly etag: string;
}

/** The requests of a client. */
export interface ObjectStoreTransport extends Omit<ObjectStoreClient, "put"> {
  putWhole(key: string, bytes: Uint8Array): Promise<ObjectStoreFailure | { readonly stored: true }>;
  createUpload(key: string): Promise<ObjectStoreFailure | Upload>;
  putPart(upload: Upload, partNumber: number, bytes: Uint8Array): Promise<ObjectStoreFailure | StoredPart>;
  completeUpload(
    upload: Upload,
    parts: readonly StoredPart[],
  ): Promise<ObjectStoreFailure | { readonly stored: true }>;
  /** If the credentials may not abort uploads, the parts stay. */
  abortUpload(upload: Upload): Promise<unknown>;
}
