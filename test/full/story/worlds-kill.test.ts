import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { afterAll, expect, it } from "vitest";
import { type RunningCli, startCli } from "../../support/cli.ts";
import { HEADERS } from "../../support/emulator.ts";
import { objectStore } from "../../support/object-store.ts";
import { unneededFiles } from "../../support/pool-files.ts";

const ROUNDS = 4;
const LANES = ["a", "b", "c"];
const NAMES = 3;
const folder = mkdtempSync(join(tmpdir(), "worlds-kill-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a world or snapshot shows: how many threads, and which objects with which bodies. */
interface Shown {
  readonly threads: number;
  readonly objects: Readonly<Record<string, string>>;
}

/** Worlds as `world a1`, snapshots as `snapshot a1-kept`; absent ones are not in it. */
type Model = Map<string, Shown>;

/** A request without an answer: afterwards the object has its old or its new state. */
interface Asked {
  readonly name: string;
  readonly then: Shown | undefined;
}

const EMPTY: Shown = { threads: 0, objects: {} };

/** Draws that are the same in every run. */
function randomOf(seed: number) {
  let state = seed;
  return (sides: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

async function ask(cli: RunningCli, method: string, path: string, body?: unknown): Promise<unknown> {
  const reply = await fetch(cli.ready.url + path, {
    method,
    headers: HEADERS,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
  return JSON.parse(text);
}

async function inStore<T>(cli: RunningCli, world: string, use: (client: S3Client) => Promise<T>): Promise<T> {
  const client = objectStore(`${cli.ready.s3_url}/w/${world}`);
  try {
    return await use(client);
  } finally {
    client.destroy();
  }
}

async function readWorld(cli: RunningCli, world: string): Promise<Shown> {
  const threads = (await ask(cli, "POST", `/w/${world}/threads/count`, {})) as number;
  const objects = await inStore(cli, world, async (client) => {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: "traces" }));
    const bodies = Contents.map(async ({ Key = "" }) => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: "traces", Key }));
      return [Key, (await Body?.transformToString()) ?? ""] as const;
    });
    return Object.fromEntries(await Promise.all(bodies));
  });
  return { threads, objects };
}

/** One step of a lane: its request, and the effect on the model. */
function stepOf(cli: RunningCli, lane: string, model: Model, draw: (sides: number) => number) {
  const world = `${lane}${draw(NAMES)}`;
  const snapshotName = `${lane}${draw(NAMES)}-kept`;
  const replies = model.get(`world ${world}`);
  const still = model.get(`snapshot ${snapshotName}`);
  const control = (method: string, path: string, body?: unknown) => () =>
    ask(cli, method, `/w/${replies ? world : "main"}/_emulator/v1${path}`, body);
  const step = (name: string, then: Shown | undefined, act: () => Promise<unknown>) => ({ name, then, act });
  if (!replies) {
    const from = still ? { from: snapshotName } : {};
    return step(`world ${world}`, still ?? EMPTY, control("POST", "/worlds", { id: world, ...from }));
  }
  switch (draw(9)) {
    case 0:
      return step(`world ${world}`, undefined, control("DELETE", `/worlds/${world}`));
    case 1:
      return step(`world ${world}`, EMPTY, control("POST", "/reset", {}));
    case 2:
    case 3:
      return step(`snapshot ${snapshotName}`, replies, control("POST", "/snapshots", { name: snapshotName }));
    case 4:
      if (still) return step(`world ${world}`, still, control("POST", `/snapshots/${snapshotName}/load`));
      break;
    case 5:
      if (still)
        return step(`snapshot ${snapshotName}`, undefined, control("DELETE", `/snapshots/${snapshotName}`));
      break;
    case 6: {
      const more = { ...replies, threads: replies.threads + 1 };
      return step(`world ${world}`, more, () => ask(cli, "POST", `/w/${world}/threads`, {}));
    }
  }
  const [Key, Body] = [`k${draw(4)}`, `${world}-${draw(1000)}`];
  const put = new PutObjectCommand({ Bucket: "traces", Key, Body });
  const objects = { ...replies.objects, [Key]: Body };
  return step(`world ${world}`, { ...replies, objects }, () =>
    inStore(cli, world, (client) => client.send(put)),
  );
}

/** Asks until the process is gone; answers with what was under way then. */
async function drive(
  cli: RunningCli,
  lane: string,
  model: Model,
  isAnswered: () => boolean,
): Promise<Asked | undefined> {
  const draw = randomOf(model.size * 7919 + lane.charCodeAt(0) * 31 + cli.ready.pid);
  for (;;) {
    const { name, then, act } = stepOf(cli, lane, model, draw);
    try {
      await act();
    } catch (error) {
      if (!cli.child.killed) throw error;
      return { name, then };
    }
    if (then) model.set(name, then);
    else model.delete(name);
    if (isAnswered()) return undefined;
  }
}

/** What is there, under the names of the model. */
async function readWorlds(cli: RunningCli): Promise<Model> {
  const model: Model = new Map();
  const worlds = (await ask(cli, "GET", "/_emulator/v1/worlds")) as { id: string }[];
  for (const { id } of worlds) if (id !== "main") model.set(`world ${id}`, await readWorld(cli, id));
  const snapshots = (await ask(cli, "GET", "/_emulator/v1/snapshots")) as { name: string }[];
  for (const { name } of snapshots) {
    await ask(cli, "POST", "/_emulator/v1/worlds", { id: "looked-at", from: name });
    model.set(`snapshot ${name}`, await readWorld(cli, "looked-at"));
    await ask(cli, "DELETE", "/_emulator/v1/worlds/looked-at");
  }
  return model;
}

it("kill -9 leaves every world and snapshot complete, and no stray files", async () => {
  const model: Model = new Map();
  for (let round = 1; round <= ROUNDS; round += 1) {
    const cli = await startCli("--data", folder);
    let left = 20 + round * 9;
    const isAnswered = () => {
      left -= 1;
      if (left === 0) void cli.end("SIGKILL");
      return false;
    };
    const pending = await Promise.all(LANES.map((lane) => drive(cli, lane, model, isAnswered)));
    const again = await startCli("--data", folder);
    const worlds = await readWorlds(again);
    for (const request of pending) {
      if (!request) continue;
      const { name, then } = request;
      // The request may have succeeded although nobody received the reply.
      if (!isDeepStrictEqual(worlds.get(name), then)) continue;
      if (then) model.set(name, then);
      else model.delete(name);
    }
    expect(Object.fromEntries([...worlds].sort())).toEqual(Object.fromEntries([...model].sort()));
    await again.end("SIGTERM");
    expect(unneededFiles(folder)).toEqual([]);
    expect(existsSync(join(folder, ".trash"))).toBe(false);
  }
});
