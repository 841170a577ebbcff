import { openCredentials } from "../destinations/effects/open-credentials.ts";
import type { Validated } from "../destinations/events.ts";
import type {
  NoCredentials,
  ObjectStoreClient,
  ObjectStoreClients,
  ObjectStoreCredentials,
  ObjectStoreFailure,
} from "../destinations/object-store-client.ts";
import { noStoreFailure } from "../destinations/store-failure.ts";
import type { StagedFile, StagedWrite } from "../object-storage/staged.ts";
import type { Settings } from "../settings.ts";
import type { Runners, Secrets } from "../turn.ts";
import type { FileEncoder, FileRequest } from "./encoder.ts";
import type { FileWritten, WriteFile } from "./events.ts";
import { sizeFailure } from "./file.ts";

export interface ExportTools {
  readonly encoder: FileEncoder;
  /** Clients of external object stores. */
  readonly objectStores: ObjectStoreClients;
  /** Writes a file for the embedded store to disk. */
  readonly stageFile: (bytes: Uint8Array) => Promise<StagedFile | ObjectStoreFailure>;
  /** The feedback of a project as JSON lists, by row. */
  readonly feedbacksOf: (window: FileRequest) => ReadonlyMap<string, string>;
  readonly secrets: Secrets;
  readonly settings: Settings;
}

const TEST_FILE = new TextEncoder().encode(
  "Written to check that this bucket accepts files. It may be deleted.\n",
);

export function exportEffects(
  tools: ExportTools,
): Runners<"destination.validate" | "export.write_file" | "export.end_thread"> {
  const inLaneOrder = createLaneQueue();
  return {
    async "destination.validate"({ data: { destination, testKey } }) {
      const access = await openStore(tools, destination);
      if ("failure" in access) return access;
      if ("client" in access) return validate(access.client, testKey);
      const file = await tools.stageFile(TEST_FILE);
      return "failure" in file ? file : { staged: { file, ...access } };
    },

    async "export.write_file"({ lane, data: { order, key, destination } }) {
      // Files are encoded in parallel but stored in the order of the requests, so that a fault that counts calls
      // to the object store is triggered by the same file every time.
      const feedbacks = order.columns.includes("feedbacks") && tools.feedbacksOf(order);
      const encoding = tools.encoder.encode(feedbacks ? { ...order, feedbacks } : order);
      return inLaneOrder(lane, async (): Promise<FileWritten> => {
        const encoded = await encoding;
        if ("failure" in encoded) return encoded;
        const { bytes, rows, cursor, done } = encoded;
        if (bytes === null) return { rows: 0, bytes: 0, cursor, done };
        const outcome = await store(tools, destination, key, bytes);
        return "failure" in outcome ? outcome : { rows, bytes: bytes.length, cursor, done, ...outcome };
      });
    },

    async "export.end_thread"() {
      await tools.encoder.endThread();
      return {};
    },
  };
}

/** The client of an external store; for the embedded store, whose turns store staged files, only the credentials. */
async function openStore(
  { objectStores, secrets, settings }: ExportTools,
  { config, embedded, credentials }: WriteFile["destination"],
): Promise<
  NoCredentials | { readonly client: ObjectStoreClient } | { readonly credentials: ObjectStoreCredentials }
> {
  const { aws_role_arn: role } = config;
  if (role !== undefined && !embedded)
    return noStoreFailure(
      "NoCredentials",
      "the emulator does not call STS, so a role opens buckets of the embedded store only; set credentials",
    );
  if (role !== undefined)
    return { credentials: { accessKeyId: role, secretAccessKey: "", sessionToken: null, isRole: true } };
  const pair = await openCredentials(secrets, credentials, settings);
  if ("failure" in pair) return pair;
  if (embedded) return { credentials: pair };
  const { bucket_name, region, endpoint_url } = config;
  return { client: objectStores.open({ bucket: bucket_name, region, endpointUrl: endpoint_url }, pair) };
}

/** §2.4-5, 2.4-6: writes the test file, and deletes it if that is permitted. */
async function validate(client: ObjectStoreClient, testKey: string): Promise<Validated> {
  const putResult = await client.put(testKey, TEST_FILE);
  if ("failure" in putResult) return putResult;
  const deleted = await client.delete(testKey);
  return { testFile: "failure" in deleted ? "left" : "deleted" };
}

/** Stages a file for the embedded store. In an external store, stores it and checks its size if reading is permitted (§2.4-9). */
async function store(
  tools: ExportTools,
  destination: WriteFile["destination"],
  key: string,
  bytes: Uint8Array,
): Promise<Extract<FileWritten, { failure: unknown }> | { readonly staged?: StagedWrite }> {
  const access = await openStore(tools, destination);
  if ("failure" in access) return access;
  if ("credentials" in access) {
    const file = await tools.stageFile(bytes);
    return "failure" in file ? file : { staged: { file, ...access } };
  }
  const putResult = await access.client.put(key, bytes);
  if ("failure" in putResult) return putResult;
  return sizeFailure(key, bytes.length, await access.client.size(key)) ?? {};
}

/** Runs a part of the work of effects one after the other within each lane. */
function createLaneQueue() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(lane: string, act: () => Promise<T>): Promise<T> => {
    const before = last.get(lane) ?? Promise.resolve();
    const mine = before.then(act);
    const settlement = mine.catch(() => undefined);
    last.set(lane, settlement);
    const result = await mine;
    if (last.get(lane) === settlement) last.delete(lane);
    return result;
  };
}
