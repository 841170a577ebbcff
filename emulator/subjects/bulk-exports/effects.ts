import { openCredentials } from "../destinations/effects/open-credentials.ts";
import type { Validated } from "../destinations/events.ts";
import type {
  NoCredentials,
  ObjectStoreClient,
  ObjectStoreClients,
  ObjectStoreCredentials,
  ObjectStoreFailure,
} from "../destinations/object-store-client.ts";
import type { StagedFile, StagedWrite } from "../object-storage/staged.ts";
import type { Settings } from "../settings.ts";
import type { Runners, Secrets } from "../turn.ts";
import type { FileEncoder } from "./encoder.ts";
import type { FileWritten, WriteFile } from "./events.ts";
import { sizeFailure } from "./file.ts";

/** What the effects of exports work with. */
export interface ExportTools {
  readonly encoder: FileEncoder;
  /** The ways to stores elsewhere. */
  readonly objectStores: ObjectStoreClients;
  /** Writes the bodies of a file for the embedded store. */
  readonly stageFile: (bytes: Uint8Array) => Promise<StagedFile | ObjectStoreFailure>;
  readonly secrets: Secrets;
  readonly settings: Settings;
}

const TEST_FILE = new TextEncoder().encode(
  "Written to check that this bucket takes files. It may be deleted.\n",
);

/** What exports and destinations ask of the outside world. */
export function exportEffects(
  tools: ExportTools,
): Runners<"destination.validate" | "export.write_file" | "export.end_thread"> {
  const inLaneOrder = createLaneQueue();
  return {
    async "destination.validate"({ data: { destination, testKey } }) {
      const way = await wayTo(tools, destination);
      if ("failure" in way) return way;
      if ("client" in way) return validate(way.client, testKey);
      const file = await tools.stageFile(TEST_FILE);
      return "failure" in file ? file : { staged: { file, ...way } };
    },

    async "export.write_file"({ lane, data: { order, key, destination } }) {
      // Files are encoded side by side, but stored in the order asked for: a fault that counts calls
      // to the object store hits the same file every time.
      const encoding = tools.encoder.encode(order);
      return inLaneOrder(lane, async (): Promise<FileWritten> => {
        const encoded = await encoding;
        if ("failure" in encoded) return encoded;
        const { bytes, rows, cursor, done } = encoded;
        if (bytes === null) return { rows: 0, bytes: 0, cursor, done };
        const stored = await store(tools, destination, key, bytes);
        return "failure" in stored ? stored : { rows, bytes: bytes.length, cursor, done, ...stored };
      });
    },

    async "export.end_thread"() {
      await tools.encoder.endThread();
      return {};
    },
  };
}

/** The client of a store elsewhere; for the embedded one, whose turns store staged files, the key pair alone. */
async function wayTo(
  { objectStores, secrets, settings }: ExportTools,
  { config, embedded, credentials }: WriteFile["destination"],
): Promise<
  NoCredentials | { readonly client: ObjectStoreClient } | { readonly credentials: ObjectStoreCredentials }
> {
  const opened = await openCredentials(secrets, credentials, settings);
  if ("failure" in opened) return opened;
  if (embedded) return { credentials: opened };
  const { bucket_name, region, endpoint_url } = config;
  return { client: objectStores.open({ bucket: bucket_name, region, endpointUrl: endpoint_url }, opened) };
}

/** §2.4-5, 2.4-6: the test file is written, and taken away again where that is permitted. */
async function validate(client: ObjectStoreClient, testKey: string): Promise<Validated> {
  const put = await client.put(testKey, TEST_FILE);
  if ("failure" in put) return put;
  const deleted = await client.delete(testKey);
  return { testFile: "failure" in deleted ? "left" : "deleted" };
}

/** Stages a file for the embedded store; stores it elsewhere and, where reading is permitted, checks its size (§2.4-9). */
async function store(
  tools: ExportTools,
  destination: WriteFile["destination"],
  key: string,
  bytes: Uint8Array,
): Promise<Extract<FileWritten, { failure: unknown }> | { readonly staged?: StagedWrite }> {
  const way = await wayTo(tools, destination);
  if ("failure" in way) return way;
  if ("credentials" in way) {
    const file = await tools.stageFile(bytes);
    return "failure" in file ? file : { staged: { file, ...way } };
  }
  const put = await way.client.put(key, bytes);
  if ("failure" in put) return put;
  return sizeFailure(key, bytes.length, await way.client.size(key)) ?? {};
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
