import type { ObjectStoreClients } from "../../subjects/destinations/object-store-client.ts";
import { MIN_PART_BYTES, PART_BYTES } from "../../subjects/object-storage/uploads.ts";
import { createClient } from "./client.ts";
import { createExternalTransport } from "./external-transport.ts";
import { createClients } from "./sdk-clients.ts";

/** Limits of the clients of external object stores. */
export interface ObjectStoreClientsOptions {
  /** Maximum wall-clock time of one request, including the connection. */
  readonly timeoutMs: number;
  /** Larger objects are uploaded in parts of this size. */
  readonly partBytes?: number;
}

/** Creates the clients of buckets in external stores. */
export function createObjectStoreClients({
  timeoutMs,
  partBytes = PART_BYTES,
}: ObjectStoreClientsOptions): ObjectStoreClients & {
  close(): void;
} {
  const limits = { timeoutMs, partBytes: Math.max(partBytes, MIN_PART_BYTES) };
  const clients = createClients(timeoutMs);
  return {
    open(address, credentials) {
      return createClient(createExternalTransport(clients, address, credentials, limits), limits.partBytes);
    },
    close: () => clients.close(),
  };
}
