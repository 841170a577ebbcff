import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { scenarioOf } from "../../../bin/capsule/play.ts";
import { openInProcess } from "../../../bin/replay/in-process.ts";
import { readCapsule, writeCapsule } from "../../../emulator/runtime/capsules/file.ts";
import { writeRecording } from "../../../emulator/runtime/capsules/recording.ts";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../../emulator/runtime/index.ts";
import { runScenario } from "../../../scenarios/run-scenario.ts";
import { workingFolder } from "../../support/emulator-process.ts";
import { objectStore } from "../../support/object-store.ts";

let folder: string;
let emulator: Emulator;

beforeEach(() => {
  folder = workingFolder();
});

afterEach(() => emulator.close());

async function begin(options: EmulatorOptions = {}): Promise<void> {
  emulator = await startEmulator({ clock: "frozen", now: "2026-03-01T00:00:00Z", seed: 9, ...options });
}

async function thread(metadata: object = {}): Promise<string> {
  const reply = await emulator.request("/threads", { json: { metadata } });
  return ((await reply.json()) as { readonly thread_id: string }).thread_id;
}

async function createKeyPair(id: string, secret: string): Promise<void> {
  const json = { access_key_id: id, secret_access_key: secret };
  await emulator.request("/_emulator/v1/s3/credentials", { json });
}

/** Creates a destination with the key pair `one`. */
async function createDestination(secret: string) {
  const json = {
    destination_type: "s3",
    display_name: secret,
    config: { bucket_name: "traces", prefix: "p", region: "us-east-1", endpoint_url: emulator.s3Url },
    credentials: { access_key_id: "one", secret_access_key: secret },
  };
  const reply = await emulator.request("/api/v1/bulk-exports/destinations", { json });
  return { status: reply.status, body: (await reply.json()) as { readonly id?: string } };
}

async function runStatuses(threadId: string): Promise<readonly unknown[]> {
  const reply = await emulator.request(`/threads/${threadId}/runs`);
  return ((await reply.json()) as readonly { readonly status: unknown }[]).map(({ status }) => status);
}

/** Writes a capsule of the requests so far; resolves with its gaps and its file. */
async function keep(settings: object = {}) {
  const file = join(folder, "x.capsule");
  const about = { command: "x", made_by: "vitest", notes: [], settings: { ...settings } } as const;
  return { file, gaps: await writeRecording(file, emulator.url, about) };
}

/** Replays a capsule as `emulator replay` does; resolves with the first failed step. */
async function replayed(file: string) {
  const capsule = await readCapsule(file);
  const environments = openInProcess();
  try {
    const scenario = await scenarioOf(capsule, { operands: [], flags: {}, env: {}, cwd: folder });
    return (await runScenario(scenario, environments)).failure;
  } finally {
    await environments.close();
    capsule.remove();
  }
}

describe("a capsule is not replayed when it lacks", () => {
  it("requests that the recording dropped: it names the settings to raise", async () => {
    await begin({ limits: { recorded_requests: 2 } });
    for (let n = 0; n < 3; n += 1) await thread();
    const { file, gaps } = await keep();
    expect(gaps).toEqual([
      "1 earlier request is missing from the recording. Raise limits.recorded_requests and limits.recorded_bytes, and record again.",
    ]);
    await expect(replayed(file)).rejects.toThrow(/^the capsule cannot be replayed.*\n {2}1 earlier request/);
  });

  it("bodies that are too long, or not text", async () => {
    await begin({ limits: { recorded_body_bytes: 50 } });
    await thread({ long: "x".repeat(100) });
    await emulator.request("/threads", { method: "POST", body: new Uint8Array([0xff, 0xfe]) });
    const { file, gaps } = await keep();
    expect(gaps).toEqual([expect.stringContaining("2 bodies are missing")]);
    await expect(replayed(file)).rejects.toThrow("limits.recorded_body_bytes");
  });

  it("a request without a reply", async () => {
    await begin();
    await thread();
    const { fault } = { fault: { target: "http", match: { op: "createThread" }, then: { delay: "PT1H" } } };
    await emulator.request("/_emulator/v1/faults", { json: fault });
    const waiting = thread().catch(() => undefined);
    const { gaps } = await keep();
    expect(gaps).toEqual([expect.stringContaining("1 request is missing, because the reply was not sent")]);
    await emulator.close();
    await waiting;
  });

  it("the world before it, when the history does not include it", async () => {
    await begin({ limits: { history_turns: 0 } });
    await emulator.request("/_emulator/v1/snapshots", { json: { name: "before" } });
    await emulator.request("/_emulator/v1/snapshots/before/load", { json: {} });
    await thread();
    const { file, gaps } = await keep();
    expect(gaps).toEqual([expect.stringContaining("The world existed before the recording")]);
    await expect(replayed(file)).rejects.toThrow("Record again with a new world");
  });

  it("objects that S3 clients wrote, and no reads", async () => {
    await begin();
    await thread();
    const client = objectStore(emulator.s3Url);
    await client.send(new ListObjectsV2Command({ Bucket: "traces" }));
    expect((await keep()).gaps).toEqual([]);
    await client.send(new PutObjectCommand({ Bucket: "traces", Key: "a", Body: "text" }));
    client.destroy();
    expect((await keep()).gaps).toEqual([expect.stringContaining("(PutObject)")]);
  });

  it("a closed connection that cancelled its run", async () => {
    await begin();
    const id = await thread();
    await emulator.control("POST", "/agent/scripts", { then: { never_starts: true } });
    const controller = new AbortController();
    const json = { assistant_id: "echo", on_disconnect: "cancel" };
    const opened = await fetch(`${emulator.url}/threads/${id}/runs/stream`, {
      ...{ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(json) },
      signal: controller.signal,
    });
    expect(opened.status).toBe(200);
    controller.abort();
    await expect.poll(() => runStatuses(id)).toEqual(["interrupted"]);
    const { file, gaps } = await keep();
    expect(gaps).toContainEqual(expect.stringContaining("A client closed its connection"));
    await expect(replayed(file)).rejects.toThrow("Record again without on_disconnect: cancel.");
  });

  it("secrets of the world before it, if exports used them", async () => {
    await begin();
    await createKeyPair("one", "first-secret");
    const { body } = await createDestination("first-secret");
    await emulator.request("/_emulator/v1/snapshots", { json: { name: "before" } });
    await emulator.request("/_emulator/v1/snapshots/before/load", { json: {} });
    await thread();
    expect((await keep()).gaps).toEqual([]);
    const { session_id } = await emulator.control("POST", "/traces/generate", { count: 1 });
    const window = { start_time: "2026-02-27T00:00:00Z", end_time: "2026-02-28T00:00:00Z" };
    const json = { bulk_export_destination_id: body.id, session_id, ...window };
    expect((await emulator.request("/api/v1/bulk-exports", { json })).status).toBe(200);
    await emulator.control("POST", "/clock/advance", { by: "PT1H" });
    const { file, gaps } = await keep();
    expect(gaps).toEqual([expect.stringContaining("Exports used secrets of the world before the recording")]);
    await expect(replayed(file)).rejects.toThrow("Create the destinations and key pairs in the recording.");
  });
});

describe("a capsule repeats", () => {
  it("the requests since the last reset, in the world that they began in", async () => {
    await begin();
    await thread({ n: 1 });
    await emulator.request("/_emulator/v1/reset", { json: { empty: true } });
    const id = await thread({ n: 2 });
    await emulator.request(`/threads/${id}`);
    const { file, gaps } = await keep();
    expect(gaps).toEqual([]);
    expect(await replayed(file)).toBeUndefined();
  });

  it("whether two secrets are equal", async () => {
    await begin();
    await createKeyPair("one", "first-secret");
    const statuses: number[] = [];
    for (const secret of ["first-secret", "another-secret"])
      statuses.push((await createDestination(secret)).status);
    expect(statuses[0]).not.toBe(statuses[1]);
    const { file, gaps } = await keep();
    expect(gaps).toEqual([]);
    expect(await replayed(file)).toBeUndefined();
  });
});

it("capsules of versions without gaps are replayed", async () => {
  await begin();
  await thread();
  const { file } = await keep();
  const { facts, journal, scenario, remove } = await readCapsule(file);
  const { gaps: _, ...oldFacts } = facts;
  const files = new Map([[facts.scenario, readFileSync(scenario, "utf8")]]);
  remove();
  await writeCapsule(file, { facts: oldFacts, journal, files });
  expect(await replayed(file)).toBeUndefined();
});
