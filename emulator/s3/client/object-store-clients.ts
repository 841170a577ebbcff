import type { StoreBounds } from "../../../contracts/targets/s3-client.ts";
import type {
  ObjectStoreAddress,
  ObjectStoreClient,
  ObjectStoreCredentials,
  ObjectStoreFailure,
} from "../../subjects/destinations/object-store-client.ts";
import { MIN_PART_BYTES, PART_BYTES } from "../../subjects/object-storage/uploads.ts";
import {
  createExternalTransport,
  type ObjectStoreTransport,
  type StoredPart,
  type Upload,
} from "./external-transport.ts";
import { createClients } from "./sdk-clients.ts";

/** Limits of the clients of external object stores. */
export interface ObjectStoreClientsOptions extends StoreBounds {
  /** Larger objects are uploaded in parts of this size. */
  readonly partBytes?: number;
  /** Whether only stores on this machine are contacted. */
  readonly isolated?: boolean;
}

/** Creates the clients of buckets in external stores. */
export function createObjectStoreClients(options: ObjectStoreClientsOptions) {
  const { partBytes = PART_BYTES, isolated = false } = options;
  const maxPartBytes = Math.max(partBytes, MIN_PART_BYTES);
  const clients = createClients(options, isolated);
  return {
    /** The client of one bucket. */
    open(address: ObjectStoreAddress, credentials: ObjectStoreCredentials): ObjectStoreClient {
      const transport = createExternalTransport(clients, address, credentials);
      return {
        ...transport,
        put: (key, bytes) =>
          bytes.length > maxPartBytes
            ? putInParts(transport, key, bytes, maxPartBytes)
            : transport.putWhole(key, bytes),
      };
    },
    close: clients.close,
  };
}

/** Puts an object as a multipart upload, which is aborted when a part fails. */
async function putInParts(
  transport: ObjectStoreTransport,
  key: string,
  bytes: Uint8Array,
  partBytes: number,
): Promise<ObjectStoreFailure | { readonly stored: true }> {
  const upload = await transport.createUpload(key);
  if ("failure" in upload) return upload;
  const parts = await putParts(transport, upload, bytes, partBytes);
  const outcome = "failure" in parts ? parts : await transport.completeUpload(upload, parts);
  // The first failure is reported, whether or not the abort succeeds.
  if ("failure" in outcome) await transport.abortUpload(upload);
  return outcome;
}

async function putParts(
  transport: ObjectStoreTransport,
  upload: Upload,
  bytes: Uint8Array,
  partBytes: number,
): Promise<ObjectStoreFailure | readonly StoredPart[]> {
  const parts: StoredPart[] = [];
  for (let offset = 0; offset < bytes.length; offset += partBytes) {
    const chunk = bytes.subarray(offset, offset + partBytes);
    const part = await transport.putPart(upload, parts.length + 1, chunk);
    if ("failure" in part) return part;
    parts.push(part);
  }
  return parts;
}
