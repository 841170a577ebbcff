import type { ObjectStoreClients } from "../../subjects/destinations/object-store-client.ts";
import { MIN_PART_BYTES } from "../../subjects/object-storage/uploads.ts";
import type { ObjectStore } from "../object-store.ts";
import { createEmbeddedClient } from "./embedded.ts";
import { createExternalClient } from "./external.ts";
import { createClients } from "./sdk-clients.ts";

/** What doors to the embedded store and to others need. */
export interface ObjectStoreClientsOptions {
  readonly store: ObjectStore;
  /** Wall-clock time that a store elsewhere may take for one request, connecting included. */
  readonly timeoutMs: number;
  /** Above it an object goes up in parts of this size. */
  readonly partBytes?: number;
}

const DEFAULT_PART_BYTES = 8 * 1024 * 1024;

/** Opens the way to a bucket: the embedded store's direct door, or a client for a store elsewhere. */
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
    open: (address, credentials) =>
      address.embedded
        ? createEmbeddedClient(store, address.bucket, credentials, limits)
        : createExternalClient(clients, address, credentials, limits),
    close: () => clients.close(),
  };
}
