import { openCredentials } from "../destinations/environment-credentials.ts";
import type { Validated } from "../destinations/events.ts";
import type {
  ObjectStoreClient,
  ObjectStoreClients,
  ObjectStoreFailure,
} from "../destinations/object-store-client.ts";
import type { Destination } from "../destinations/records.ts";
import type { Runners, Secrets } from "../turn.ts";
import type { FileEncoder } from "./encoder.ts";
import type { FileWritten, WriteFile } from "./events.ts";

/** What the effects of exports work with. */
export interface ExportTools {
  readonly encoder: FileEncoder;
  readonly objectStores: ObjectStoreClients;
  readonly secrets: Secrets;
}

const TEST_FILE = new TextEncoder().encode(
  "Written to check that this bucket takes files. It may be deleted.\n",
);

const NO_CREDENTIALS = {
  failure: "access_denied",
  message: "no credentials were found in the environment or the shared files",
} as const;

/** What exports and destinations ask of the outside world. */
export function exportEffects(
  tools: ExportTools,
): Runners<"destination.validate" | "export.write_file" | "export.end_thread"> {
  const inLaneOrder = createLaneQueue();
  return {
    async "destination.validate"({ data: { destination, testKey } }) {
      const client = await clientFor(tools, destination);
      return "failure" in client ? client : validate(client, testKey);
    },

    async "export.write_file"({ lane, data: { order, key, destination } }) {
      // Files are encoded side by side, but stored in the order asked for: a fault that counts calls
      // to the object store strikes the same file every time.
      const encoding = tools.encoder.encode(order);
      return inLaneOrder(lane, async (): Promise<FileWritten> => {
        const encoded = await encoding;
        if ("failure" in encoded) return encoded;
        const { bytes, rows, cursor, done } = encoded;
        if (bytes === null) return { rows: 0, bytes: 0, cursor, done };
        const failure = await store(tools, destination, key, bytes);
        return failure ?? { rows, bytes: bytes.length, cursor, done };
      });
    },

    async "export.end_thread"() {
      await tools.encoder.endThread();
      return {};
    },
  };
}

async function clientFor(
  { objectStores, secrets }: ExportTools,
  { config, embedded, credentials }: Pick<Destination, "config" | "embedded" | "credentials">,
): Promise<ObjectStoreClient | ObjectStoreFailure> {
  const opened = await openCredentials(secrets, credentials);
  if (!opened) return NO_CREDENTIALS;
  const { bucket_name, region, endpoint_url } = config;
  return objectStores.open({ bucket: bucket_name, region, endpointUrl: endpoint_url, embedded }, opened);
}

/** §2.4-5, 2.4-6: the test file is written, and taken away again where that is permitted. */
async function validate(client: ObjectStoreClient, testKey: string): Promise<Validated> {
  const put = await client.put(testKey, TEST_FILE);
  if ("failure" in put) return put;
  const deleted = await client.delete(testKey);
  return { testFile: "failure" in deleted ? "left" : "deleted" };
}

/** Stores a file and, where reading is permitted, checks its size (§2.4-9). */
async function store(
  tools: ExportTools,
  destination: WriteFile["destination"],
  key: string,
  bytes: Uint8Array,
): Promise<Extract<FileWritten, { failure: unknown }> | undefined> {
  const client = await clientFor(tools, destination);
  if ("failure" in client) return client;
  const put = await client.put(key, bytes);
  if ("failure" in put) return put;
  const found = await client.size(key);
  if ("failure" in found) return found.failure === "access_denied" ? undefined : found;
  if (found.size === bytes.length) return undefined;
  return { failure: "size_mismatch", message: `${key} has ${found.size} bytes instead of ${bytes.length}` };
}

/** Lets the effects of one lane do a part of their work one after the other. */
function createLaneQueue() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(lane: string, act: () => Promise<T>): Promise<T> => {
    const before = last.get(lane) ?? Promise.resolve();
    const mine = before.then(act);
    const settled = mine.catch(() => undefined);
    last.set(lane, settled);
    const result = await mine;
    if (last.get(lane) === settled) last.delete(lane);
    return result;
  };
}
