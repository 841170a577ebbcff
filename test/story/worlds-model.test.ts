import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Emulator } from "../../emulator/runtime/index.ts";
import { BEGIN, DESTINATION, type Rig, startRig } from "../support/emulator.ts";
import { objectStore } from "../support/object-store.ts";

const SESSION = "99999999-0000-4000-8000-000000000001";
const WORLDS_MAX = 5;

let rig: Rig;
let clients: Map<string, S3Client>;

beforeEach(() => {
  clients = new Map();
});

afterEach(() => {
  for (const client of clients.values()) client.destroy();
});

function store({ s3Url }: Emulator): S3Client {
  const known = clients.get(s3Url);
  if (known) return known;
  const client = objectStore(s3Url);
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
  const listed = await client.send(new ListObjectsV2Command({ Bucket: "traces" })).catch(() => undefined);
  const bodies = (listed?.Contents ?? []).map(async ({ Key = "", ETag, LastModified }) => {
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

/** What was asked of it may go on behind its answer. */
async function waitUntilIdle(world: Emulator): Promise<void> {
  for (;;) {
    const { in_flight } = await world.control<{ in_flight: unknown[] }>("GET", "/clock");
    if (in_flight.length === 0) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** All that a world shows of what it holds. */
async function digest(world: Emulator): Promise<string> {
  await waitUntilIdle(world);
  const { traces, open_streams } = (await ask<Record<string, unknown>>(
    world,
    "GET",
    "/_emulator/v1/status",
  )) as Record<string, unknown>;
  const seen: unknown[] = [{ rows: (traces as { rows: number }).rows, open_streams }];
  for (const [method, path, json] of OBSERVED_PATHS) seen.push(await ask(world, method, path, json));
  for (const { id } of (await ask<{ id: string }[]>(world, "GET", "/api/v1/bulk-exports")) ?? [])
    seen.push(await ask(world, "GET", `/api/v1/bulk-exports/${id}/runs`));
  seen.push(await objectsOf(world));
  return JSON.stringify(seen);
}

async function lastTurn(world: Emulator): Promise<number> {
  const journal = await world.control<{ turn: number }[]>("GET", "/journal");
  return journal.at(-1)?.turn ?? 0;
}

const rowId = (k: number) => `00000000-0000-4000-8000-00000000000${k}`;

async function exportAll(world: Emulator, advances: boolean): Promise<void> {
  const [known] = (await ask<{ id: string }[]>(world, "GET", "/api/v1/bulk-exports/destinations")) ?? [];
  const made =
    known ?? (await ask<{ id: string }>(world, "POST", "/api/v1/bulk-exports/destinations", DESTINATION));
  const order = {
    bulk_export_destination_id: made?.id,
    session_id: SESSION,
    start_time: "2026-02-01T00:00:00Z",
    end_time: "2026-02-28T00:00:00Z",
  };
  await ask(world, "POST", "/api/v1/bulk-exports", order);
  if (advances) await world.clock.advance("PT1H");
}

/** What can be asked of a world; what it refuses counts for nothing. */
const ACTIONS: Readonly<Record<string, (world: Emulator, k: number) => Promise<unknown>>> = {
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
  patch: (world, k) =>
    ask(world, "PATCH", `/runs/${rowId(k)}`, {
      outputs: { by: world.world },
      end_time: "2026-02-20T00:00:00Z",
    }),
  thread: (world, k) => ask(world, "POST", "/threads", { metadata: { k } }),
  run: (world) => ask(world, "POST", "/runs", { assistant_id: "echo", webhook: "/_emulator/inbox/box" }),
  wait: (world) => ask(world, "POST", "/runs/wait", { assistant_id: "echo" }),
  cron: (world) => ask(world, "POST", "/runs/crons", { assistant_id: "echo", schedule: "*/30 * * * *" }),
  export: (world, k) => exportAll(world, k > 1),
  put: (world, k) =>
    store(world)
      .send(new PutObjectCommand({ Bucket: "traces", Key: `k${k}`, Body: `${world.world} ${k}` }))
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
      plane: "worker",
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

/** A forest of worlds and snapshots, and what each of them is known to show. */
interface WorldSet {
  readonly worlds: Map<string, Emulator>;
  readonly shown: Map<string, { readonly digest: string; readonly turn: number }>;
  readonly kept: Map<string, string>;
  readonly fresh: string;
}

async function observe(worldSet: WorldSet, world: Emulator): Promise<string> {
  const seen = await digest(world);
  worldSet.shown.set(world.world, { digest: seen, turn: await lastTurn(world) });
  return seen;
}

async function expectUntouched(worldSet: WorldSet, by: string): Promise<void> {
  for (const [name, world] of worldSet.worlds) {
    const before = worldSet.shown.get(name);
    if (name === by || !before) continue;
    expect(await lastTurn(world), `turns of ${name} after a step in ${by}`).toBe(before.turn);
    expect(await observe(worldSet, world), `${name} after a step in ${by}`).toBe(before.digest);
  }
}

interface Step {
  readonly action: string;
  readonly world: number;
  readonly k: number;
}

async function fork(worldSet: WorldSet, world: Emulator, k: number): Promise<string> {
  const name = `f${k}`;
  if (worldSet.worlds.has(name) || worldSet.worlds.size >= WORLDS_MAX) return world.world;
  const kept = worldSet.kept.get(`s${k}`);
  const made = await world.fork({ id: name, ...(kept && { from: `s${k}` }) });
  worldSet.worlds.set(name, made);
  const source = kept ?? worldSet.shown.get(world.world)?.digest;
  expect(await observe(worldSet, made), `a fork of ${world.world}`).toBe(source);
  return name;
}

async function remove(worldSet: WorldSet, world: Emulator): Promise<string> {
  if (world.world === "main") return "main";
  await world.close();
  worldSet.worlds.delete(world.world);
  worldSet.shown.delete(world.world);
  return "";
}

async function keep(worldSet: WorldSet, world: Emulator, k: number): Promise<string> {
  await world.snapshots.save(`s${k}`);
  worldSet.kept.set(`s${k}`, worldSet.shown.get(world.world)?.digest ?? "");
  return "";
}

async function load(worldSet: WorldSet, world: Emulator, k: number): Promise<string> {
  const kept = worldSet.kept.get(`s${k}`);
  if (kept === undefined) return "";
  await world.snapshots.load(`s${k}`);
  expect(await observe(worldSet, world), `${world.world} with s${k}`).toBe(kept);
  return world.world;
}

async function forget(worldSet: WorldSet, world: Emulator, k: number): Promise<string> {
  if (worldSet.kept.delete(`s${k}`)) await world.snapshots.remove(`s${k}`);
  return "";
}

async function reset(worldSet: WorldSet, world: Emulator): Promise<string> {
  await world.reset();
  expect(await observe(worldSet, world), `${world.world}, reset`).toBe(worldSet.fresh);
  return world.world;
}

const WORLD_ACTIONS = { fork, remove, keep, load, forget, reset };
type WorldAction = keyof typeof WORLD_ACTIONS;

/** Takes one step; answers with the world that it may have changed. */
async function applyStep(worldSet: WorldSet, { action, world: nth, k }: Step): Promise<string> {
  const all = [...worldSet.worlds.values()];
  const world = all[nth % all.length] as Emulator;
  const act = ACTIONS[action];
  if (!act) return WORLD_ACTIONS[action as WorldAction](worldSet, world, k);
  await act(world, k);
  await observe(worldSet, world);
  return world.world;
}

const step = fc.record({
  // Moves among worlds come as often as actions within them.
  action: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...Object.keys(ACTIONS)) },
    { weight: 2, arbitrary: fc.constantFrom("fork", "fork", ...Object.keys(WORLD_ACTIONS)) },
  ),
  world: fc.nat(WORLDS_MAX - 1),
  k: fc.nat(3),
});

it("changes of one world never show in another, and forks equal their source (model)", async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 16 }), async (steps) => {
    rig = await startRig();
    try {
      const { emulator } = rig;
      const worldSet: WorldSet = {
        worlds: new Map([["main", emulator]]),
        shown: new Map(),
        kept: new Map(),
        fresh: await digest(emulator),
      };
      expect(emulator.clock.now()).toContain(BEGIN.slice(0, 10));
      await observe(worldSet, emulator);
      for (const each of steps) await expectUntouched(worldSet, await applyStep(worldSet, each));
    } finally {
      for (const client of clients.values()) client.destroy();
      clients.clear();
      await rig.close();
    }
  });
  await fc.assert(property, { numRuns: 8, seed: 7, endOnFailure: true });
});
