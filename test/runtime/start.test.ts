import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { resolveConfiguration } from "../../emulator/config/resolve.ts";
import type { EmulatorOptions } from "../../emulator/runtime/library/options.ts";
import { type ServingEmulator, serve } from "../../emulator/runtime/start.ts";
import { HEADERS } from "../support/emulator.ts";
import { workingFolder } from "../support/emulator-process.ts";

/** Where temporary data folders are made. */
let folder: string;
const serving: ServingEmulator[] = [];

beforeEach(() => {
  folder = workingFolder();
  vi.stubEnv("TMPDIR", folder);
});

afterEach(async () => {
  await Promise.all(serving.splice(0).map(({ close }) => close()));
  vi.unstubAllEnvs();
});

async function served(options: EmulatorOptions = {}): Promise<ServingEmulator> {
  const resolution = await resolveConfiguration({
    cwd: folder,
    options: { port: 0, ephemeral: true, ...options },
  });
  if (!resolution.ok) throw new Error(resolution.problems.join("\n"));
  const emulator = await serve(resolution.configuration);
  serving.push(emulator);
  return emulator;
}

async function clockOf({ ready }: ServingEmulator): Promise<{ now: string }> {
  return (await fetch(`${ready.url}/_emulator/v1/clock`)).json() as Promise<{ now: string }>;
}

it("the first request may reach any server, and all reach the same world", async () => {
  const { ready } = await served();
  const create = (url: string) => fetch(`${url}/threads`, { method: "POST", headers: HEADERS, body: "{}" });
  const [us, eu, s3] = await Promise.all([
    create(ready.url),
    create(ready.eu_url),
    fetch(`${ready.s3_url}/exports`),
  ]);
  expect([us.status, eu.status, s3.status]).toEqual([200, 200, 403]);
  // A client that pauses for less reuses its connection; Node's 5 s would end it when a loaded machine pauses.
  expect([us, s3].map(({ headers }) => headers.get("keep-alive"))).toEqual(["timeout=65", "timeout=65"]);
  const worlds = await fetch(`${ready.url}/_emulator/v1/worlds`);
  expect(((await worlds.json()) as { id: string }[]).map(({ id }) => id)).toEqual(["main"]);
});

it("a world that begins with the first request has the seed of the ready line, and is never before its time", async () => {
  const emulator = await served({ seed: 7 });
  const status = await fetch(`${emulator.ready.url}/_emulator/v1/status`);
  expect(await status.json()).toMatchObject({ seed: emulator.ready.seed });
  const { now } = await clockOf(emulator);
  expect(Date.parse(now)).toBeGreaterThanOrEqual(Date.parse(emulator.ready.now));
});

it("a frozen clock has the time of the ready line", async () => {
  const now = "2026-01-01T00:00:00.000000Z";
  for (const options of [{ clock: "frozen" }, { clock: "frozen", now }] as const) {
    const emulator = await served(options);
    expect((await clockOf(emulator)).now).toBe(emulator.ready.now);
  }
});

it("what a start has to refuse is refused before it serves", async () => {
  const destinations = [{ display_name: "nowhere" }];
  await expect(served({ seed_data: { destinations } })).rejects.toThrow("nowhere");
  await expect(served({ import: join(folder, "missing") })).rejects.toThrow("missing");
  expect(readdirSync(folder)).toEqual([]);
});

it("an emulator without requests has no faults and writes no files", async () => {
  const emulator = await served();
  expect(readdirSync(folder)).toHaveLength(1);
  expect(emulator.untriggeredFaults()).toEqual([]);
  await emulator.close();
  expect(readdirSync(folder)).toEqual([]);
  serving.length = 0;
});

it("it may be closed while its worlds are opened", async () => {
  const emulator = await served();
  const prepared = emulator.prepare();
  await emulator.close();
  await prepared;
  expect(readdirSync(folder)).toEqual([]);
  serving.length = 0;
});
