import type { ObjectStoreClients } from "../../subjects/destinations/object-store-client.ts";
import { MIN_PART_BYTES } from "../../subjects/object-storage/uploads.ts";
import type { ObjectStore } from "../object-store.ts";
import { createClient } from "./client.ts";
import { createEmbeddedTransport } from "./embedded-transport.ts";
import { createExternalTransport } from "./external-transport.ts";
import { createClients } from "./sdk-clients.ts";

/** What clients of the embedded store and of others need. */
export interface ObjectStoreClientsOptions {
  readonly store: ObjectStore;
  /** Wall-clock time that a store elsewhere may take for one request, connecting included. */
  readonly timeoutMs: number;
  /** Above it an object goes up in parts of this size. */
  readonly partBytes?: number;
}

const DEFAULT_PART_BYTES = 8 * 1024 * 1024;

/** Gives the client of a bucket: in the embedded store, or in a store elsewhere. */
export function createObjectStoreClients({
  store,
  timeoutMs,
  partBytes = DEFAULT_PART_BYTES,
}: ObjectStoreClientsOptions): ObjectStoreClients & {
  close(): void;
} {
  const limits = { timeoutMs, partBytes: Math.max(partBytes, MIN_PART_BYTES) };
  const clients = createClients(timeoutMs);
  return {
    open(address, credentials) {
      const transport = address.embedded
        ? createEmbeddedTransport(store, address.bucket, credentials, limits)
        : createExternalTransport(clients, address, credentials, limits);
      return createClient(transport, limits.partBytes);
    },
    close: () => clients.close(),
  };
}
