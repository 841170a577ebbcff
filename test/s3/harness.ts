import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import { LIMITS } from "../../contracts/spec/limits.ts";
import type { Commit, WorldState } from "../../emulator/kernel/commit.ts";
import { createS3Front } from "../../emulator/s3/front/front.ts";
import { createS3Server } from "../../emulator/s3/front/server.ts";
import type { ObjectStore } from "../../emulator/s3/object-store.ts";
import { stageFile } from "../../emulator/s3/stage-file.ts";
import { Bodies } from "../../emulator/storage/objects/bodies.ts";
import { fileOfBody } from "../../emulator/storage/objects/body-location.ts";
import { readBody } from "../../emulator/storage/objects/opened-body.ts";
import type { BodyStage } from "../../emulator/storage/objects/stage.ts";
import { openPool } from "../../emulator/storage/pool/pool.ts";
import { createDelays } from "../../emulator/subjects/object-storage/delays.ts";
import type { TriggerS3Fault } from "../../emulator/subjects/object-storage/faults.ts";
import { objectId, objects, s3Parts } from "../../emulator/subjects/object-storage/records.ts";
import { SEEDED_KEY, seedObjectStorage } from "../../emulator/subjects/object-storage/seed.ts";
import {
  removeStored,
  sizeOf,
  storeStaged,
  type Writer,
} from "../../emulator/subjects/object-storage/writer.ts";
import type { Turn } from "../../emulator/subjects/turn.ts";
import { openWorld } from "../support/world.ts";

export const NOW = Date.UTC(2026, 0, 1);

/** Secrets that differ from their plain text, without a cipher. */
export const secrets = {
  seal: (plain: string) => Buffer.from(plain).toString("base64"),
  open: (sealed: string) => Buffer.from(sealed, "base64").toString(),
};

export interface StoreOptions {
  readonly folder?: string;
  readonly state?: WorldState;
  readonly triggerFault?: TriggerS3Fault;
  /** Smaller bodies share files; left out, each has its own. */
  readonly sharedBytes?: number;
}

export interface TestStore extends ObjectStore {
  /** Where people find its objects. */
  readonly folder: string;
  /** Bodies on the disk that no record names: incomplete or orphaned. */
  strayBodies(): string[];
  readonly commits: Commit[];
  control<R>(act: (turn: Turn) => R): R;
}

/** A world with an object store in it, seeded unless it continues from a state. */
export function openTestStore(options: StoreOptions = {}): TestStore {
  const { folder, state, triggerFault = () => undefined, sharedBytes = 0 } = options;
  const location = folder ?? mkdtempSync(join(tmpdir(), "objects-"));
  const pool = openPool(location, true);
  // Pending changes are carried out at the next flush, which is immediate here.
  const onPending = (): void => files.carryOut();
  const files = new Bodies({
    pool,
    owner: 1,
    world: "main",
    reader: () => world.reader,
    sharedBytes,
    onPending,
  });
  const delays = createDelays();
  const { world, commits } = openWorld({
    now: NOW,
    ...(state && { state }),
    ports: { secrets, bodies: files.keeper },
    delays,
  });
  if (state) files.mirror.rebuild();
  if (!state) world.turn({ type: "start", name: "seed" }, seedObjectStorage);
  return {
    world,
    files,
    delays,
    triggerFault,
    get folder() {
      return files.mirror.catchUp();
    },
    strayBodies() {
      const { reader } = world;
      const bodies = [...reader.list(objects), ...reader.list(s3Parts)];
      const names = new Set(bodies.map(({ file }) => fileOfBody(file)));
      return filesBelow(pool.path("1/bodies"))
        .map((path) => relative(pool.path(""), path))
        .filter((file) => !names.has(file));
    },
    commits,
    control: (act) => world.turn({ type: "control", name: "test" }, act),
  };
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** Writes a body; a turn may name it then. */
export async function writeBody(stage: BodyStage, ...chunks: readonly Uint8Array[]): Promise<void> {
  for (const chunk of chunks) await stage.write(chunk);
  await stage.close();
}

/** Stores files in the bucket `traces` as exports do: bodies first, then the turn that takes them. */
export function writerOf(store: TestStore, changes: Partial<Writer> = {}, partBytes?: number) {
  const credentials = {
    accessKeyId: SEEDED_KEY.access_key_id,
    secretAccessKey: SEEDED_KEY.secret_access_key,
    sessionToken: null,
  };
  const writer: Writer = { bucket: "traces", credentials, triggerFault: store.triggerFault, ...changes };
  return {
    async put(key: string, bytes: Uint8Array) {
      const file = await stageFile(store.files, bytes, partBytes);
      if ("failure" in file) return file;
      return store.control((turn) => storeStaged(turn, writer, key, file)) ?? { stored: true };
    },
    size: (key: string) => store.control((turn) => sizeOf(turn, writer, key)),
    delete: (key: string) => store.control((turn) => removeStored(turn, writer, key)),
    /** Past all permissions; the body is opened at once. */
    async get(key: string): Promise<Buffer | undefined> {
      const object = store.world.reader.get(objects, objectId(writer.bucket, key));
      return object && readBody(await store.files.open(object));
    },
  };
}

export interface TestServer extends TestStore {
  readonly port: number;
  readonly url: string;
  readonly defects: unknown[];
  client(config?: S3ClientConfig): S3Client;
  close(): Promise<void>;
}

export interface ServerOptions extends StoreOptions {
  readonly wallNow?: () => number;
  readonly requireRoom?: (bytes: number) => void;
}

/** The same on a real port, with clients for it. */
export async function openTestServer(options: ServerOptions = {}): Promise<TestServer> {
  const store = openTestStore(options);
  const defects: unknown[] = [];
  const listener = createS3Front({
    resolve: (url) => ({ store, basePath: url.startsWith("/w/other/") ? "/w/other" : "" }),
    wallNow: options.wallNow ?? Date.now,
    ...(options.requireRoom && { requireRoom: options.requireRoom }),
    onDefect: (error) => void defects.push(error),
  });
  const server = createS3Server(LIMITS.request_headers.value, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const clients: S3Client[] = [];
  return {
    ...store,
    get folder() {
      return store.folder;
    },
    port,
    url: `http://127.0.0.1:${port}`,
    defects,
    client(config = {}) {
      const client = new S3Client({
        endpoint: `http://127.0.0.1:${port}`,
        region: "us-east-1",
        forcePathStyle: true,
        maxAttempts: 1,
        credentials: {
          accessKeyId: SEEDED_KEY.access_key_id,
          secretAccessKey: SEEDED_KEY.secret_access_key,
        },
        ...config,
      });
      clients.push(client);
      return client;
    },
    async close() {
      for (const client of clients) client.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(store.folder, { recursive: true, force: true });
    },
  };
}

interface SdkError {
  readonly Code?: string;
  readonly name: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** The code of the S3 error that a call ends in. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "no error";
  } catch (error) {
    const { Code, name, $metadata } = error as SdkError;
    // A 304 has no document that could name it.
    return Code ?? ($metadata?.httpStatusCode === 304 ? "304" : name);
  }
}
