import type { Bodies } from "../storage/objects/bodies.ts";
import { readBody } from "../storage/objects/opened-body.ts";
import { StoreError } from "../storage/store-error.ts";
import { openCredentials } from "../subjects/destinations/effects/open-credentials.ts";
import type { ObjectStoreClients, ObjectStoreFailure } from "../subjects/destinations/object-store-client.ts";
import type { Destination } from "../subjects/destinations/records.ts";
import { objectId, objects } from "../subjects/object-storage/records.ts";
import type { Secrets, World } from "../subjects/turn.ts";

/** The files of an export in their object store. */
export interface StoredFiles {
  /** Keys under a prefix. */
  list(prefix: string): Promise<Listed>;
  get(key: string): Promise<{ readonly bytes: Uint8Array } | Absent>;
}

/** `isComplete` is false when there may be more keys. */
export type Listed = { readonly keys: readonly string[]; readonly isComplete: boolean } | ObjectStoreFailure;

/** Why a file could not be read. */
export interface Absent {
  readonly kind: "missing_file" | "unreadable";
  readonly detail: string;
}

/** Access to the object stores of files. */
export interface StoredFilesTools {
  readonly world: World;
  readonly objectStores: ObjectStoreClients;
  readonly secrets: Secrets;
  readonly bodies: Pick<Bodies, "open">;
}

// An object-store client lists at most so many keys.
const MAX_LISTED_KEYS = 100_000;

/** Undefined without credentials for the store. */
export async function openStoredFiles(
  tools: StoredFilesTools,
  { config, embedded, credentials }: Destination,
): Promise<StoredFiles | undefined> {
  if (embedded) return embeddedFiles(tools, config.bucket_name);
  const openedCredentials = await openCredentials(tools.secrets, credentials, tools.world.ports.settings);
  if ("failure" in openedCredentials) return undefined;
  const { bucket_name, region, endpoint_url } = config;
  const client = tools.objectStores.open(
    { bucket: bucket_name, region, endpointUrl: endpoint_url },
    openedCredentials,
  );
  return {
    async list(prefix) {
      const listing = await client.list(prefix);
      return "failure" in listing
        ? listing
        : { ...listing, isComplete: listing.keys.length < MAX_LISTED_KEYS };
    },
    async get(key) {
      const result = await client.get(key);
      return "failure" in result ? { kind: "unreadable", detail: result.message } : result;
    },
  };
}

/**
 * The embedded store is read directly: a write-only key pair or an armed fault
 * must not affect the check of the files.
 */
function embeddedFiles({ world, bodies }: StoredFilesTools, bucket: string): StoredFiles {
  return {
    async list(prefix) {
      const keys: string[] = [];
      for (const { key } of world.reader.list(objects, bucket)) if (key.startsWith(prefix)) keys.push(key);
      return { keys: keys.sort(), isComplete: true };
    },
    async get(key) {
      const object = world.reader.get(objects, objectId(bucket, key));
      if (!object) return { kind: "missing_file", detail: `the bucket ${bucket} has no such object` };
      try {
        return { bytes: await readBody(await bodies.open(object)) };
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        return { kind: "unreadable", detail: error.message };
      }
    },
  };
}
