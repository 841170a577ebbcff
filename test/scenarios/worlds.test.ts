import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openInProcess } from "../../bin/replay/in-process.ts";
import { readParquet } from "../../bin/replay/read-parquet.ts";
import { type Emulator, startEmulator } from "../../emulator/runtime/index.ts";
import { readScenario } from "../../scenarios/document.ts";
import type { Environments } from "../../scenarios/environment.ts";
import { readScenarios, replay, scenarioFiles } from "../../scenarios/replay.ts";
import { runScenario } from "../../scenarios/run-scenario.ts";
import * as target from "../../scenarios/target.ts";
import { workingFolder } from "../support/emulator-process.ts";

const openTarget = (url: string, world: string | undefined) => target.openTarget(url, world, readParquet);

const NOW = "2026-03-01T00:00:00Z";
const SHIPPED = fileURLToPath(new URL("../../scenarios/shipped", import.meta.url));

let folder: string;

beforeEach(() => {
  folder = workingFolder();
});

function write(name: string, ...lines: readonly string[]): void {
  const text = ["scenario: A sentence.", ...lines].join("\n");
  writeFileSync(join(folder, `${name}.scenario.yaml`), `${text}\n`);
}

/** Only ever one thread in its world. */
const ONE_THREAD = [
  "when:",
  "  - request: POST /threads",
  "    body: {}",
  "  - request: POST /threads/search",
  "    body: {}",
  "    expect: { body: { length: 1 } }",
];

const playAll = (environments: Environments, jobs = 3) =>
  replay(readScenarios(scenarioFiles([folder], folder)), { cwd: folder, jobs, environments });

describe("scenarios in this process", () => {
  let environments: Environments;

  beforeEach(() => {
    environments = openInProcess();
  });

  afterEach(() => environments.close());

  const openFor = (isAlone: boolean, now: string | undefined = NOW) =>
    environments.open({ seed: 1, now, settings: {}, isAlone });

  it("are played in worlds of one emulator when they begin alike, and only then", async () => {
    const alike = await Promise.all([openFor(false), openFor(false)]);
    const later = await openFor(false, "2026-03-02T00:00:00Z");
    const alone = await openFor(true);
    const origins = [...alike, later, alone].map(({ url }) => new URL(url).origin);
    expect(origins[0]).toBe(origins[1]);
    expect(new Set(origins).size).toBe(3);
    expect(alike.map(({ url }) => new URL(url).pathname)).toEqual(["/w/scenario-1", "/w/scenario-2"]);
    expect(new URL(alone.url).pathname).toBe("/");
  });

  it("leave nothing behind: neither a world, nor the emulators of many kinds of scenarios", async () => {
    const first = await openFor(false);
    await first.close();
    expect((await fetch(`${first.url}/ok`)).status).toBe(404);
    for (let day = 2; day < 7; day += 1) await (await openFor(false, `2026-03-0${day}T00:00:00Z`)).close();
    expect(await fetch(first.url).catch(() => "closed")).toBe("closed");
    const last = await openFor(false);
    await environments.close();
    expect(await fetch(last.url).catch(() => "closed")).toBe("closed");
    await expect(openFor(false)).rejects.toThrow("the replay was interrupted");
  });

  it.each(["webhook-twice-and-late"])(
    "leave the journal in a world that they leave in an emulator of their own: %s",
    async (name) => {
      const scenario = readScenario(join(SHIPPED, `${name}.scenario.yaml`));
      const [own, world] = await Promise.all([
        runScenario({ ...scenario, isAlone: true }, environments),
        runScenario(scenario, environments),
      ]);
      expect(world.failure).toBe(undefined);
      expect(world.journal).toBe(own.journal);
      expect(world.journal.length).toBeGreaterThan(1000);
    },
  );

  it.each([
    [true, "  - control: POST /snapshots"],
    [true, "  - request: DELETE /_emulator/v1/worlds/side"],
    [true, "  - request: GET /w/side/ok"],
    [true, "  - request: GET /ok\n    headers: { X-Emulator-World: side }"],
    [true, "  - repeat: 2\n    steps:\n      - control: GET /worlds"],
    [false, "  - request: GET /ok\n    headers: { x-other: /worlds }"],
    [false, "  - request: POST /threads\n    body: { metadata: { worlds: http://a/w/b } }"],
  ])("have a separate emulator (%s) with: %s", (isAlone, step) => {
    write("said", "when:", step);
    expect(readScenario(join(folder, "said.scenario.yaml")).isAlone).toBe(isAlone);
    write("seeded", "settings: { seed_data: { buckets: [more] } }", "when:", step);
    expect(readScenario(join(folder, "seeded.scenario.yaml")).isAlone).toBe(true);
  });

  it("do not meet in what all worlds share", async () => {
    for (const name of ["a", "b", "c"])
      write(
        name,
        "when:",
        "  - request: POST /threads",
        `    body: { metadata: { by: ${name} } }`,
        "  - control: POST /snapshots",
        "    body: { name: before }",
        "  - control: POST /snapshots/before/load",
        "  - request: POST /threads/search",
        "    body: {}",
        `    expect: { body: { length: 1, 0.metadata.by: ${name} } }`,
        "  - control: GET /worlds",
        "    expect: { body: { length: 1 } }",
      );
    const outcomes = await playAll(environments);
    expect(outcomes.map(({ verdict, failure }) => [verdict, failure])).toEqual(
      Array.from({ length: 3 }, () => ["passed", undefined]),
    );
  });
});

describe("scenarios on a running emulator", () => {
  let emulator: Emulator;

  beforeEach(async () => {
    emulator = await startEmulator({ clock: "frozen", now: NOW, seed: 4 });
    await emulator.request("/threads", { json: { metadata: { of: "somebody" } } });
  });

  afterEach(() => emulator.close());

  const threads = async (world: Emulator) => (await world.request("/threads/count", { json: {} })).json();
  const worlds = async () => (await emulator.control<{ id: string }[]>("GET", "/worlds")).map(({ id }) => id);

  it("run in separate worlds, which are removed afterwards, and change no other", async () => {
    for (const name of ["a", "b", "c"]) write(name, `now: ${NOW}`, "seed: 4", ...ONE_THREAD);
    write("failing", "when:", "  - request: GET /ok", "    expect: { status: 201 }");
    const environments = await openTarget(emulator.url, undefined);
    const outcomes = await playAll(environments, 4);
    expect(outcomes.map(({ verdict }) => verdict)).toEqual(["passed", "passed", "passed", "failed"]);
    expect(outcomes[3]?.failure?.curl).toMatch(/\/w\/world-\d\/ok'$/);
    expect(await worlds()).toEqual(["main"]);
    expect(await threads(emulator)).toBe(1);
  });

  it("leave the journal that they leave in this process", async () => {
    const scenario = readScenario(join(SHIPPED, "spawned-run-schedule.scenario.yaml"));
    const [here, there] = [openInProcess(), await openTarget(emulator.url, undefined)];
    const [own, away] = await Promise.all([
      runScenario({ ...scenario, seed: 4 }, here),
      runScenario(scenario, there),
    ]);
    await here.close();
    expect(away.failure).toBe(undefined);
    expect(away.journal).toBe(own.journal);
  });

  it("refuse options that the address decides: the caller gets the reason, and the world is removed", async () => {
    write("early", "now: 2025-01-01T00:00:00Z", ...ONE_THREAD);
    write("other", "seed: 5", ...ONE_THREAD);
    write("set", "settings: { limits: { max_retries: 1 } }", ...ONE_THREAD);
    write("shared", "when:", "  - control: POST /snapshots", "    body: { name: x }");
    const settings = expect.stringContaining("it needs settings (limits)");
    const outcomes = await playAll(await openTarget(emulator.url, undefined));
    expect(outcomes.map(({ verdict, problem }) => problem ?? verdict)).toEqual([
      "passed",
      "passed",
      settings,
      expect.stringContaining("or with --world main"),
    ]);
    expect(await worlds()).toEqual(["main"]);
    const inMain = await playAll(await openTarget(emulator.url, "main"));
    expect(inMain.map(({ problem }) => problem).slice(0, 3)).toEqual([
      expect.stringContaining("start that one with --clock frozen --now 2025-01-01T00:00:00Z"),
      expect.stringContaining("start that one with --seed 5"),
      settings,
    ]);
  });

  it("play with settings that it has already", async () => {
    write("same", "settings: { profile: spec, rate_limits: { enabled: false } }", ...ONE_THREAD);
    write("unlike", "settings: { profile: spec, rate_limits: { enabled: true } }", ...ONE_THREAD);
    const outcomes = await playAll(await openTarget(emulator.url, undefined));
    expect(outcomes.map(({ verdict, problem }) => problem ?? verdict)).toEqual([
      "passed",
      expect.stringContaining(
        "it needs settings (rate_limits) that this emulator does not have; play it without --target",
      ),
    ]);
  });

  it("use the world that is named one after the other, and no other", async () => {
    const side = await emulator.fork({ id: "side" });
    for (const name of ["a", "b"]) write(name, ...ONE_THREAD);
    const outcomes = await playAll(await openTarget(emulator.url, "side"));
    expect(outcomes.map(({ verdict }) => verdict)).toEqual(["passed", "passed"]);
    expect(await worlds()).toEqual(["main", "side"]);
    expect([await threads(emulator), await threads(side)]).toEqual([1, 1]);
    const nowhere = await playAll(await openTarget(emulator.url, "nowhere"));
    expect(nowhere[0]).toMatchObject({
      verdict: "broken",
      problem: expect.stringContaining("The world nowhere does not exist."),
    });
    await playAll(await openTarget(emulator.url, "main"));
    expect(await (await emulator.request("/threads/search", { json: {} })).json()).toMatchObject([
      { metadata: {} },
    ]);
  });

  it("have one world after the other removed when they are ended in the middle", async () => {
    const environments = await openTarget(emulator.url, undefined);
    const setting = { seed: undefined, now: undefined, settings: {}, isAlone: false };
    await Promise.all([environments.open(setting), environments.open(setting)]);
    const late = environments.open(setting);
    await environments.close();
    await expect(late).rejects.toThrow("the replay was interrupted");
    await expect(environments.open(setting)).rejects.toThrow("the replay was interrupted");
    expect(await worlds()).toEqual(["main"]);
  });

  it("make do with a server that has no worlds, emptied for each of them", async () => {
    const { server, asked, url } = await withoutWorlds(emulator);
    for (const name of ["a", "b"]) write(name, ...ONE_THREAD);
    const outcomes = await playAll(await openTarget(url, undefined));
    server.close();
    expect(outcomes.map(({ verdict }) => verdict)).toEqual(["passed", "passed"]);
    expect(asked.filter((line) => line === "POST /_emulator/v1/reset")).toHaveLength(2);
    expect(asked.findIndex((line) => line.endsWith("/reset"))).toBeLessThan(asked.indexOf("POST /threads"));
  });

  it("report a server that does not answer", async () => {
    await expect(openTarget("http://127.0.0.1:9", undefined)).rejects.toThrow("No emulator answers at");
  });
});

/** The emulator, behind a proxy that does not support worlds. */
async function withoutWorlds(emulator: Emulator) {
  const requests: string[] = [];
  const server: Server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    requests.push(`${method} ${url}`);
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    if (url.startsWith("/_emulator/v1/worlds")) return void response.writeHead(404).end("{}");
    const input = { "content-type": headers["content-type"] ?? "application/json", host: "localhost" };
    const reply = await emulator.request(url, { method, headers: input, ...(body !== "" && { body }) });
    response.writeHead(reply.status, { "content-type": "application/json" }).end(await reply.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, asked: requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
