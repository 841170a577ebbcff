import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { GetObjectCommand, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Emulator } from "../../../emulator/runtime/index.ts";
import { startCli } from "../../support/cli.ts";
import { BEGIN, HEADERS, type Rig, startRig } from "../../support/emulator.ts";
import { workingFolder } from "../../support/emulator-process.ts";
import { objectStore } from "../../support/object-store.ts";

const CLI = fileURLToPath(new URL("../../../dist/bin/emulator.js", import.meta.url));

let rig: Rig;
let clients: S3Client[];

beforeEach(async () => {
  clients = [];
  rig = await startRig();
});

afterEach(async () => {
  for (const client of clients) client.destroy();
  await rig.close();
});

function storeOf({ s3Url }: Emulator): S3Client {
  const client = objectStore(s3Url);
  clients.push(client);
  return client;
}

const threads = async (world: Emulator) => (await world.request("/threads/count", { json: {} })).json();

/** The results of several calls: a value, or the reason of a refusal. */
async function outcomes(calls: readonly Promise<unknown>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((each) => (each.status === "fulfilled" ? each.value : (each.reason as Error).message));
}

const ENDS = {
  reset: { act: (world: Emulator) => world.reset(), says: /was reset/ },
  removed: { act: (world: Emulator) => world.close(), says: /was removed/ },
} as const;
type End = keyof typeof ENDS;

describe("at once", () => {
  it("forks without a name get different names", async () => {
    const forks = await Promise.all(Array.from({ length: 20 }, () => rig.emulator.fork()));
    expect(new Set(forks.map(({ world }) => world)).size).toBe(20);
  });

  it("a world is removed by one only", async () => {
    await rig.emulator.fork({ id: "side" });
    const remove = () => rig.emulator.control("DELETE", "/worlds/side").then(() => "removed");
    const said = await outcomes([remove(), remove(), remove()]);
    const refusal = expect.stringMatching(
      /^The world side does not exist\. GET \/_emulator\/v1\/worlds lists the worlds; .*\.$/,
    );
    expect([...said].sort()).toEqual([refusal, refusal, "removed"]);
    await rig.emulator.fork({ id: "side" });
  });

  it("several clients reset, fork and save a world at once, and each gets a reply", async () => {
    const world = await rig.emulator.fork({ id: "side" });
    await world.snapshots.save("kept");
    const said = await outcomes([
      world.reset(),
      world.snapshots.load("kept"),
      world.fork({ id: "other" }).then(({ world: id }) => id),
      world.snapshots.save("later").then(({ name }) => name),
      world.reset({ empty: true }),
      world.snapshots.load("kept"),
    ]);
    for (const each of said)
      if (typeof each === "string" && each !== "other" && each !== "later") expect(each).toMatch(/was reset/);
    expect(await threads(world)).toBe(0);
  });
});

describe.each(Object.keys(ENDS) as End[])("when its world is %s", (how) => {
  const { act, says } = ENDS[how];

  it("a request to its store that a fault holds up is refused", async () => {
    const world = await rig.emulator.fork();
    await world.faults.arm({ target: "s3", match: { op: "PutObject" }, then: { delay: "PT1H" } });
    const put = new PutObjectCommand({ Bucket: "traces", Key: "a", Body: "x" });
    const putting = storeOf(world).send(put);
    const refusal = expect(putting).rejects.toMatchObject({ name: "OperationAborted", message: says });
    await expect.poll(async () => (await world.faults.list())[0]?.hits).toBe(1);
    await act(world);
    await refusal;
  });

  it("waiting webhooks of a removed world are not sent by a new world of the same name", async () => {
    const world = await rig.emulator.fork({ id: "side" });
    await world.faults.arm({
      target: "http",
      match: { op: "POST /threads" },
      then: { delay: "PT1H" },
      times: 100,
    });
    for (let n = 0; n < 20; n += 1)
      await world.request("/runs", { json: { assistant_id: "echo", webhook: "/threads" } });
    const advancing = world.clock.advance("PT10M");
    // A call that a removal by its own emulator cuts off says so itself, and why in its cause.
    const reason = advancing.catch((error: Error) => Promise.reject(error.cause ?? error));
    const refusal = expect(reason).rejects.toThrow(says);
    await expect.poll(async () => (await world.faults.list())[0]?.hits).toBe(16);
    await act(world);
    await refusal;
    const next = how === "reset" ? world : await rig.emulator.fork({ id: "side" });
    // Whatever was on its way has come after so many rounds.
    for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(await threads(next)).toBe(0);
  });
});

describe("a request that names", () => {
  function ask(url: string, headers: Record<string, string | string[]>, method = "GET") {
    return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>(
      (resolve, reject) => {
        const clientRequest = request(url, { method, headers }, (reply) => {
          let body = "";
          reply.on("data", (chunk) => {
            body += chunk;
          });
          reply.on("end", () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body }));
        });
        clientRequest.on("error", reject);
        clientRequest.end();
      },
    );
  }

  it("two worlds is refused on every port, and one that names the same twice is not", async () => {
    const { url, s3Url } = rig.emulator;
    await rig.emulator.fork({ id: "side" });
    const twice = await ask(`${url}/ok`, { "x-emulator-world": ["side", "side"] });
    expect(twice.status).toBe(200);
    const two = await ask(`${url}/ok`, { "x-emulator-world": ["side", "main"] });
    expect([two.status, two.body]).toEqual([400, expect.stringContaining("names side and main")]);
    const both = await ask(`${s3Url}/w/side/traces`, { "x-emulator-world": "main" });
    expect([both.status, both.body]).toEqual([400, expect.stringContaining("the path the world side")]);
  });

  it("a path that ends with the name of a world is a path of that world", async () => {
    const { s3Url } = rig.emulator;
    await rig.emulator.fork({ id: "side" });
    const list = await ask(`${s3Url}/w/side?list-type=2`, {});
    expect(list.body).toContain("AccessDenied");
  });

  it("a world that is not there can be read of by pages of other origins", async () => {
    const { url } = rig.emulator;
    const page = { origin: "http://localhost:5173" };
    const request = { ...page, "access-control-request-method": "POST" };
    const before = await ask(`${url}/w/nowhere/threads`, request, "OPTIONS");
    expect([before.status, before.headers["access-control-allow-origin"]]).toEqual([
      204,
      "http://localhost:5173",
    ]);
    expect(before.headers["access-control-allow-headers"]).toContain("x-emulator-world");
    const reply = await ask(`${url}/w/nowhere/threads`, page);
    expect([reply.status, reply.headers["access-control-allow-origin"]]).toEqual([
      404,
      "http://localhost:5173",
    ]);
  });

  it.each(["con", "nul", "aux.txt", "com1", "lpt9.a.b"])(
    "%s, a device of Windows, is refused",
    async (id) => {
      const reply = await rig.call<{ error: { code: string } }>("POST", "/_emulator/v1/worlds", { id });
      expect([reply.status, reply.body.error.code]).toEqual([422, "invalid_name"]);
    },
  );

  it("its open streams counts those of that world", async () => {
    const world = await rig.emulator.fork();
    await world.clock.flow();
    await world.control("POST", "/agent/scripts", {
      match: { assistant_id: "echo" },
      then: { status: "success", after: "PT5H" },
    });
    const body = JSON.stringify({ assistant_id: "echo" });
    const reply = await fetch(`${world.url}/runs/stream`, { method: "POST", headers: HEADERS, body });
    expect(await world.control("GET", "/status")).toMatchObject({ open_streams: 1 });
    expect(await rig.emulator.control("GET", "/status")).toMatchObject({ open_streams: 0 });
    await reply.body?.cancel();
  });
});

it("a snapshot that reads through many folders is loaded whole over another world's objects", async () => {
  const DEPTH = 32;
  let world = rig.emulator;
  for (let n = 0; n < DEPTH; n += 1) {
    world = await world.fork({ id: `f${n}` });
    await storeOf(world).send(new PutObjectCommand({ Bucket: "traces", Key: `k${n}`, Body: `v${n}` }));
  }
  await world.snapshots.save("deep");
  // The snapshot is given what its world loses, so it has bodies of its own.
  const last = { Bucket: "traces", Key: `k${DEPTH - 1}`, Body: "newer" };
  await storeOf(world).send(new PutObjectCommand(last));
  const other = await rig.emulator.fork({ id: "other" });
  await storeOf(other).send(new PutObjectCommand({ Bucket: "traces", Key: "k3", Body: "other" }));
  await other.snapshots.load("deep");
  const client = storeOf(other);
  for (let n = 0; n < DEPTH; n += 1) {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: "traces", Key: `k${n}` }));
    expect(await Body?.transformToString()).toBe(`v${n}`);
  }
});

it("the time of a flowing world is the present, for its list, its handle and its forks", async () => {
  const side = await rig.emulator.fork({ id: "side" });
  await side.clock.flow(1_000_000);
  const startMs = Date.now();
  await expect.poll(() => Date.now() - startMs).toBeGreaterThan(20);
  const list = await rig.emulator.control<{ id: string; now: string }[]>("GET", "/worlds");
  const passed = (now = "") => Date.parse(now) - Date.parse(BEGIN);
  expect(passed(list.find(({ id }) => id === "side")?.now)).toBeGreaterThan(20_000_000);
  const before = side.clock.now();
  await expect.poll(() => side.clock.now() > before).toBe(true);
  const { now, clock } = await rig.emulator.control<{ now: string; clock: { mode: string; rate: number } }>(
    "POST",
    "/worlds",
    { id: "later", from: "side" },
  );
  expect(now > before).toBe(true);
  expect(clock).toEqual({ mode: "flowing", rate: 1_000_000 });
});

it("a stored flowing world stands still until it is used, and then has the present time", async () => {
  await rig.close();
  const data = workingFolder();
  try {
    const options = { ephemeral: false, data, clock: "flowing", now: undefined } as const;
    rig = await startRig(options);
    await rig.emulator.fork({ id: "side" });
    await rig.close();
    rig = await startRig(options);
    const list = () => rig.emulator.control<{ id: string; now: string | null }[]>("GET", "/worlds");
    expect(await list()).toMatchObject([{ id: "main" }, { id: "side", now: null }]);
    const startMs = Date.now();
    await rig.emulator.request("/ok", { headers: { "x-emulator-world": "side" } });
    const [, side] = await list();
    expect(Date.parse(side?.now ?? "")).toBeGreaterThanOrEqual(startMs);
  } finally {
    await rig.close();
  }
});

describe("seed data", () => {
  const ROWS = 3_000;
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = workingFolder();
    file = join(folder, "rows.ndjson");
    const row = (n: number) => {
      const id = `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;
      return JSON.stringify({ id, name: `row ${n}`, run_type: "chain", start_time: "2026-02-10T00:00:00Z" });
    };
    writeFileSync(file, Array.from({ length: ROWS }, (_, n) => `${row(n)}\n`).join(""));
  });

  afterEach(() => rig.close());

  it("is all data of a seeded world, whatever requests arrive meanwhile", async () => {
    await rig.close();
    const seed_data = { traces: [{ file, project: "seeds" }] };
    const options = { ephemeral: false, data: join(folder, "data"), seed_data } as never;
    await (await startRig(options)).close();
    rig = await startRig({ ...(options as object), now: undefined });
    const { emulator } = rig;
    let isReset = false;
    const resetting = emulator.reset().finally(() => {
      isReset = true;
    });
    const requests: Promise<Response>[] = [];
    while (!isReset) {
      requests.push(emulator.request("/threads", { json: {} }));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await resetting;
    for (const reply of await Promise.all(requests)) expect([200, 409]).toContain(reply.status);
    expect(await emulator.control("GET", "/status")).toMatchObject({ traces: { rows: ROWS } });
    const seeded = await emulator.fork({ from: "seeded" });
    expect(await threads(seeded)).toBe(0);
    expect(await seeded.control("GET", "/status")).toMatchObject({ traces: { rows: ROWS } });
  });

  it("is begun with by those alone that have no way of their own to begin", async () => {
    await rig.close();
    rig = await startRig({ seed_data: { traces: [{ file, project: "seeds" }] } } as never);
    const { emulator } = rig;
    const order = { id: "own", from: "seeded", seed: 77, now: "2030-01-01T00:00:00Z" };
    const { url } = await emulator.control<{ url: string }>("POST", "/worlds", order);
    const ask = async (method: string, path: string) =>
      (await fetch(`${url}/_emulator/v1${path}`, { method })).json();
    const begun = { seed: 77, now: expect.stringMatching(/^2030-01-01/), traces: { rows: ROWS } };
    await ask("POST", "/reset");
    expect(await ask("GET", "/status")).toMatchObject(begun);
    await emulator.reset();
    expect(await emulator.control("GET", "/status")).toMatchObject({ seed: 1, traces: { rows: ROWS } });
    await ask("POST", "/reset");
    expect(await ask("GET", "/status")).toMatchObject(begun);
  });

  it("is there whole after a start that was killed in the middle of it", async () => {
    const data = join(folder, "data");
    const config = join(folder, "emulator.config.json");
    writeFileSync(config, JSON.stringify({ seed_data: { traces: [{ file, project: "seeds" }] } }));
    const args = ["--data", data, "--config", config];
    const child = spawn(process.execPath, [CLI, "start", "--port", "0", "--quiet", ...args], {
      stdio: "ignore",
    });
    const ended = once(child, "exit");
    await expect.poll(() => existsSync(join(data, "pool", "1", "rows")), { interval: 1 }).toBe(true);
    child.kill("SIGKILL");
    await ended;
    const cli = await startCli(...args);
    const status = await (await fetch(`${cli.ready.url}/_emulator/v1/status`)).json();
    expect(status).toMatchObject({ traces: { rows: ROWS } });
    await cli.end("SIGTERM");
  });
});
