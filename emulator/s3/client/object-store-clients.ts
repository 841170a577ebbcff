import type {
  ObjectStoreClient,
  ObjectStoreClients,
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
export interface ObjectStoreClientsOptions {
  /** Maximum wall-clock time of one request, including the connection. */
  readonly timeoutMs: number;
  /** Larger objects are uploaded in parts of this size. */
  readonly partBytes?: number;
  /** Whether only stores on this machine are contacted. */
  readonly isolated?: boolean;
}

/** Creates the clients of buckets in external stores. */
export function createObjectStoreClients({
  timeoutMs,
  partBytes = PART_BYTES,
  isolated = false,
}: ObjectStoreClientsOptions): ObjectStoreClients & {
  close(): void;
} {
  const maxPartBytes = Math.max(partBytes, MIN_PART_BYTES);
  const clients = createClients(timeoutMs, isolated);
  return {
    open(address, credentials) {
      return createClient(createExternalTransport(clients, address, credentials, timeoutMs), maxPartBytes);
    },
    close: () => clients.close(),
  };
}

/** The client of one bucket. It uploads objects larger than `partBytes` in parts of that size. */
function createClient(transport: ObjectStoreTransport, partBytes: number): ObjectStoreClient {
  return {
    ...transport,
    put: (key, bytes) =>
      bytes.length > partBytes
        ? putInParts(transport, key, bytes, partBytes)
        : transport.putWhole(key, bytes),
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
