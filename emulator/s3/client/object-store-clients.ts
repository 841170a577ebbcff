import type { ObjectStoreClients } from "../../subjects/destinations/object-store-client.ts";
import { MIN_PART_BYTES, PART_BYTES } from "../../subjects/object-storage/uploads.ts";
import { createClient } from "./client.ts";
import { createExternalTransport } from "./external-transport.ts";
import { createClients } from "./sdk-clients.ts";

/** What the clients of object stores elsewhere are bounded by. */
export interface ObjectStoreClientsOptions {
  /** Wall-clock time that a store may take for one request, connecting included. */
  readonly timeoutMs: number;
  /** Above it an object goes up in parts of this size. */
  readonly partBytes?: number;
}

/** Gives the client of a bucket in a store elsewhere. */
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
