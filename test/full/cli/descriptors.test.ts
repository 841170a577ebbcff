import { on, once } from "node:events";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { expect, it } from "vitest";
import { sendSigned } from "../../s3/signed-request.ts";
import { DESTINATION, type ExportRunReply, HEADERS } from "../../support/emulator.ts";
import { launch, type RunningProcess, start, workingFolder } from "../../support/emulator-process.ts";
import { DESCRIPTOR_HOLDER_ENVIRONMENT } from "../../support/held-descriptors.ts";
import { countThreads, send } from "../../support/send.ts";

const CROWD = 100;
const DAY = "2026-02-25T00:00:00Z";

/** An emulator that may open so many files and connections. */
const limited = (descriptors: number, env: Readonly<Record<string, string>> = {}) => ({
  cwd: workingFolder(),
  env: { EMULATOR_RATE_LIMITS: "off", ...env },
  limit: `ulimit -n ${descriptors}`,
});

it("refuses to start with too few descriptors, and prints the required number", async () => {
  const { ended } = launch(["start", "--port", "0"], limited(64));
  const says =
    "emulator: This process may open 64 files and connections, but it needs at least 128. Raise the limit";
  expect(await ended).toMatchObject({ code: 2, stderr: expect.stringContaining(says) });
});

it("with few descriptors turns away whom it cannot serve, and loses nothing of the others", async () => {
  const { ready, child, ended } = await start([], limited(128));
  const { port } = new URL(ready.url);
  const ask = (path: string, body: unknown) => send(ready.url, "POST", path, body);
  for (let n = 0; n < 60; n += 1) {
    const id = `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
    const run = { id, name: "r", run_type: "chain", session_name: `p${n}`, start_time: DAY };
    expect((await ask("/runs/batch", { post: [run] })).status).toBe(202);
  }
  const sockets: Socket[] = [];
  const said: string[] = [];
  for (let n = 0; n < CROWD; n += 1) {
    const socket = connect(Number(port), "127.0.0.1");
    await once(socket, "connect");
    socket.on("error", () => undefined).on("data", (text) => said.push(String(text)));
    sockets.push(socket);
  }
  await expect.poll(() => said.length).toBeGreaterThan(CROWD / 3);
  expect(new Set(said.map((text) => text.slice(9, 12)))).toEqual(new Set(["429"]));
  for (const socket of sockets) socket.destroy();
  await expect.poll(async () => (await ask("/threads", {}).catch(() => undefined))?.status).toBe(200);
  expect(await countThreads(ready.url)).toBe(1);
  child.kill();
  expect(await ended).toMatchObject({ code: 0, stderr: "" });
});

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

interface Answered {
  readonly status: number;
  readonly text: string;
}

/** A connection of its own for each request; it is asked for until there is one. */
function replyOf(url: string, original: Asked): Promise<Answered> {
  const { method, path, headers, body } = original;
  return new Promise((resolve) => {
    const options = { method, headers: { ...HEADERS, ...headers }, agent: false as const };
    request(url + path, options, (reply) => {
      let text = "";
      reply.setEncoding("utf8").on("data", (piece) => {
        text += piece;
      });
      reply.on("end", () => resolve({ status: reply.statusCode ?? 0, text }));
    })
      .on("error", () => resolve(replyOf(url, original)))
      .end(body);
  });
}

const statusOf = async (url: string, request: Asked): Promise<number> => (await replyOf(url, request)).status;

const json = (path: string, body: unknown): Asked => ({ method: "POST", path, body: JSON.stringify(body) });

/** Has a process that holds descriptors take them, or give them back. */
async function toggle({ child }: Pick<RunningProcess, "child">, said: "taken" | "released") {
  child.kill("SIGUSR2");
  for await (const [text] of on(child.stderr as Readable, "data")) if (String(text).includes(said)) return;
}

async function signedStatus(port: number, request: Parameters<typeof sendSigned>[1]): Promise<number> {
  const headers = { connection: "close", ...request.headers };
  const reply = await sendSigned({ port }, { ...request, headers }).catch(() => undefined);
  return reply?.status ?? signedStatus(port, request);
}

const CONTROL = "/_emulator/v1";
const ZSTD = Buffer.concat([Buffer.from("28b52ffd200b590000", "hex"), Buffer.from('{"post":[]}')]);
const DELETION = "<Delete><Object><Key>none</Key></Object></Delete>";

it("without free descriptors refuses a request that needs one, and accepts it later", async () => {
  const running = await start([], limited(128, DESCRIPTOR_HOLDER_ENVIRONMENT));
  const { url, s3_url } = running.ready;
  const port = Number(new URL(s3_url).port);
  const signed = (method: string, path: string, more = {}) => signedStatus(port, { method, path, ...more });
  expect(await signed("PUT", "/traces/object", { body: "body" })).toBe(200);

  const all: Readonly<Record<string, () => Promise<number>>> = {
    console: () => statusOf(url, { method: "GET", path: "/_emulator/console/" }),
    control: () => statusOf(url, json(`${CONTROL}/worlds`, {})),
    zstd: () =>
      statusOf(url, {
        method: "POST",
        path: "/runs/batch",
        body: ZSTD,
        headers: { "content-encoding": "zstd" },
      }),
    otlp: () =>
      statusOf(url, {
        method: "POST",
        path: "/otel/v1/traces",
        headers: { "content-type": "application/x-protobuf" },
      }),
    cron: () => statusOf(url, json("/runs/crons", { assistant_id: "echo", schedule: "0 0 * * *" })),
    xml: () => signed("POST", "/traces", { query: { delete: "" }, body: DELETION }),
    snapshot: () => statusOf(url, json(`${CONTROL}/snapshots`, { name: "kept" })),
    archive: () => statusOf(url, { method: "GET", path: `${CONTROL}/snapshots/kept/file` }),
    put: () => signed("PUT", "/traces/other", { body: "other" }),
    get: () => signed("GET", "/traces/object"),
  };
  await toggle(running, "taken");
  expect(await all.console?.()).toBe(429);
  for (const [name, ask] of Object.entries(all)) {
    const status = await ask();
    // The object store has its own way to say so.
    expect(status < 500 || (status === 503 && /xml|put|get/.test(name)), `${name}: ${status}`).toBe(true);
  }
  await toggle(running, "released");
  for (const [name, ask] of Object.entries(all)) {
    const status = await ask();
    expect(status >= 200 && status < 300, `${name}: ${status}`).toBe(true);
  }
  running.child.kill();
  expect(await running.ended).toMatchObject({ code: 0 });
});

const LARGE_ROWS = 12;

/** So many bytes of one day that a thread encodes them. */
const largeRows = () =>
  Array.from({ length: LARGE_ROWS }, (_, n) => ({
    id: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
    name: "r",
    run_type: "chain",
    session_name: "p",
    start_time: DAY,
    inputs: { text: "x".repeat(100_000) },
  }));

/** So many bytes of turns that a thread folds them. */
const FOLDED_THREADS = 90;
const largeThread = json("/threads", { metadata: { text: "x".repeat(100_000) } });

it("without a descriptor for a thread, an export reports that and a long journal keeps its turns; both work later", async () => {
  const frozen = ["--clock", "frozen", "--now", "2026-03-01T00:00:00Z"];
  const running = await start(frozen, limited(128, DESCRIPTOR_HOLDER_ENVIRONMENT));
  const { url } = running.ready;
  const ask = async <T>(request: Asked): Promise<T> => {
    const { status, text } = await replyOf(url, request);
    expect(status, `${request.path}: ${text}`).toBeLessThan(300);
    return JSON.parse(text);
  };
  await ask(json("/runs/batch", { post: largeRows() }));
  const [project] = await ask<{ id: string }[]>({ method: "GET", path: "/api/v1/sessions" });
  const destination = await ask<{ id: string }>(json("/api/v1/bulk-exports/destinations", DESTINATION));
  const latestRun = async () => {
    const { id } = await ask<{ id: string }>(
      json("/api/v1/bulk-exports", {
        bulk_export_destination_id: destination.id,
        session_id: project?.id,
        start_time: DAY,
        end_time: "2026-02-26T00:00:00Z",
      }),
    );
    await ask(json(`${CONTROL}/clock/advance`, { by: "PT1H" }));
    const [run] = await ask<ExportRunReply[]>({ method: "GET", path: `/api/v1/bulk-exports/${id}/runs` });
    return run;
  };

  await toggle(running, "taken");
  const failed = await latestRun();
  expect(failed).toMatchObject({ status: "FAILED", rows_exported: 0 });
  expect(JSON.stringify(failed?.errors)).toContain("EMFILE");
  for (let n = 0; n < FOLDED_THREADS; n += 1) expect(await statusOf(url, largeThread)).toBe(200);

  await toggle(running, "released");
  expect(await latestRun()).toMatchObject({ status: "COMPLETED", rows_exported: LARGE_ROWS });
  for (let n = 0; n < FOLDED_THREADS; n += 1) expect(await statusOf(url, largeThread)).toBe(200);
  expect(await ask(json("/threads/count", {}))).toBe(2 * FOLDED_THREADS);
  running.child.kill();
  expect(await running.ended).toMatchObject({ code: 0 });
});
