import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { expect } from "vitest";
import type { Emulator } from "../../emulator/runtime/index.ts";
import { DESTINATION } from "./emulator.ts";
import { objectStore } from "./object-store.ts";

const SESSION = "99999999-0000-4000-8000-000000000001";

const clients = new Map<string, S3Client>();

/** Closes the connections to the object stores of all worlds. */
export function closeStores(): void {
  for (const client of clients.values()) client.destroy();
  clients.clear();
}

function store({ s3Url }: Emulator): S3Client {
  const client = clients.get(s3Url) ?? objectStore(s3Url);
  clients.set(s3Url, client);
  return client;
}

async function ask<T>(world: Emulator, method: string, path: string, json?: unknown): Promise<T | undefined> {
  const reply = await world.request(path, { method, ...(json !== undefined && { json }) });
  const text = await reply.text();
  expect(reply.status, `${method} ${path}: ${text}`).toBeLessThan(500);
  return reply.ok && text !== "" ? (JSON.parse(text) as T) : undefined;
}

async function objectsOf(world: Emulator): Promise<unknown> {
  const client = store(world);
  const listing = await client.send(new ListObjectsV2Command({ Bucket: "traces" })).catch(() => undefined);
  const bodies = (listing?.Contents ?? []).map(async ({ Key = "", ETag, LastModified }) => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: "traces", Key }));
    const bytes = Buffer.from((await Body?.transformToByteArray()) ?? []);
    return [Key, ETag, LastModified, bytes.toString("base64")];
  });
  return Promise.all(bodies);
}

const OBSERVED_PATHS = [
  ["GET", "/_emulator/v1/clock"],
  ["GET", "/_emulator/v1/faults"],
  ["GET", "/_emulator/v1/rate-limits"],
  ["GET", "/_emulator/v1/webhooks/deliveries"],
  ["GET", "/_emulator/v1/webhooks/inbox/box"],
  ["GET", "/_emulator/v1/s3/buckets"],
  ["GET", "/_emulator/v1/s3/credentials"],
  ["GET", "/api/v1/bulk-exports"],
  ["GET", "/api/v1/bulk-exports/destinations"],
  ["POST", "/threads/search", {}],
  ["POST", "/runs/crons/search", {}],
  ["GET", "/sessions"],
  ["POST", "/runs/query", { session: [SESSION] }],
] as const;

/** Work may continue after its reply. */
export async function waitUntilIdle(world: Emulator): Promise<void> {
  for (;;) {
    const { in_flight } = await world.control<{ in_flight: unknown[] }>("GET", "/clock");
    if (in_flight.length === 0) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** All readable state of a world. */
export async function digest(world: Emulator): Promise<string> {
  await waitUntilIdle(world);
  const { traces, open_streams } = (await ask<Record<string, unknown>>(
    world,
    "GET",
    "/_emulator/v1/status",
  )) as Record<string, unknown>;
  const states: unknown[] = [{ rows: (traces as { rows: number }).rows, open_streams }];
  for (const [method, path, json] of OBSERVED_PATHS) states.push(await ask(world, method, path, json));
  for (const { id } of (await ask<{ id: string }[]>(world, "GET", "/api/v1/bulk-exports")) ?? [])
    states.push(await ask(world, "GET", `/api/v1/bulk-exports/${id}/runs`));
  states.push(await objectsOf(world));
  // How long a receiver took on the wall clock is not compared.
  return JSON.stringify(states).replaceAll(/"wall_ms":\d+/g, '"wall_ms":0');
}

/** The number of the last turn of a world. */
export async function lastTurn(world: Emulator): Promise<number> {
  const journal = await world.control<{ turn: number }[]>("GET", "/journal");
  return journal.at(-1)?.turn ?? 0;
}

const rowId = (k: number) => `00000000-0000-4000-8000-00000000000${k}`;

async function exportAll(world: Emulator, advances: boolean): Promise<void> {
  const [existingDestination] =
    (await ask<{ id: string }[]>(world, "GET", "/api/v1/bulk-exports/destinations")) ?? [];
  const destination =
    existingDestination ??
    (await ask<{ id: string }>(world, "POST", "/api/v1/bulk-exports/destinations", DESTINATION));
  const order = {
    bulk_export_destination_id: destination?.id,
    session_id: SESSION,
    start_time: "2026-02-01T00:00:00Z",
    end_time: "2026-02-28T00:00:00Z",
  };
  await ask(world, "POST", "/api/v1/bulk-exports", order);
  if (advances) await world.clock.advance("PT1H");
}

/** What is asked of a world; `by` is written into what it stores. */
export type Action = (world: Emulator, k: number, by: string) => Promise<unknown>;

/** What can be asked of a world; what it refuses counts for nothing. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  ingest: (world, k) =>
    ask(world, "POST", "/runs/batch", {
      post: [
        {
          id: rowId(k),
          trace_id: rowId(k),
          name: `row ${k}`,
          run_type: "chain",
          session_id: SESSION,
          start_time: `2026-02-0${k + 1}T00:00:00Z`,
        },
      ],
    }),
  patch: (world, k, by) =>
    ask(world, "PATCH", `/runs/${rowId(k)}`, {
      outputs: { by },
      end_time: "2026-02-20T00:00:00Z",
    }),
  thread: (world, k) => ask(world, "POST", "/threads", { metadata: { k } }),
  run: (world) => ask(world, "POST", "/runs", { assistant_id: "echo", webhook: "/_emulator/inbox/box" }),
  wait: (world) => ask(world, "POST", "/runs/wait", { assistant_id: "echo" }),
  cron: (world) => ask(world, "POST", "/runs/crons", { assistant_id: "echo", schedule: "*/30 * * * *" }),
  export: (world, k) => exportAll(world, k > 1),
  put: (world, k, by) =>
    store(world)
      .send(new PutObjectCommand({ Bucket: "traces", Key: `k${k}`, Body: `${by} ${k}` }))
      .catch(() => undefined),
  drop: (world, k) =>
    store(world)
      .send(new DeleteObjectCommand({ Bucket: "traces", Key: `k${k}` }))
      .catch(() => undefined),
  bucket: (world, k) =>
    k > 1
      ? ask(world, "DELETE", "/_emulator/v1/s3/buckets/traces")
      : ask(world, "POST", "/_emulator/v1/s3/buckets", { name: "traces" }),
  key: (world, k) =>
    ask(world, "POST", "/_emulator/v1/s3/credentials", {
      access_key_id: `key${k}`,
      secret_access_key: "s".repeat(9),
    }),
  fault: (world) =>
    ask(world, "POST", "/_emulator/v1/faults", {
      target: "worker",
      match: { run: "*" },
      then: { crash: true },
    }),
  trip: (world) => ask(world, "PUT", "/_emulator/v1/rate-limits/repos_key", { remaining: 0 }),
  // So slowly that a test sees no difference; only that it flows.
  flow: (world, k) =>
    k > 1
      ? ask(world, "POST", "/_emulator/v1/clock/freeze")
      : ask(world, "POST", "/_emulator/v1/clock/flow", { rate: 1e-9 }),
  advance: (world, k) => world.clock.advance(`PT${10 ** k}M`),
};
