import { spawn } from "node:child_process";
import { on, once } from "node:events";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { ReadyLine } from "../../emulator/config/configuration.ts";
import { sendSigned } from "../s3/signed-request.ts";
import { workingFolder } from "../support/emulator-process.ts";
import { HOLDING_DESCRIPTORS } from "../support/held-descriptors.ts";

const CLI = fileURLToPath(new URL("../../dist/bin/emulator.js", import.meta.url));
const KEY = { "content-type": "application/json", "x-api-key": "emulator-key" };
const CROWD = 100;

/** An emulator that may open so many files and connections. */
function startWith(descriptors: number, cwd: string, env: Readonly<Record<string, string>> = {}) {
  const words = [
    process.execPath,
    CLI,
    "start",
    "--port",
    "0",
    "--json",
    "--rate-limits",
    "off",
    "--data",
    "data",
  ];
  const child = spawn("sh", ["-c", `ulimit -n ${descriptors}; exec "$0" "$@"`, ...words], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  return { child, ended: once(child, "close").then(([code]) => ({ code, stderr })) };
}

it("with too few descriptors is not started, and says how many it needs", async () => {
  const { ended } = startWith(64, workingFolder());
  const says =
    "emulator: This process may open 64 files and connections, and needs 128 at least. Raise the limit";
  expect(await ended).toEqual({ code: 2, stderr: expect.stringContaining(says) });
});

it("with few descriptors turns away whom it cannot serve, and loses nothing of the others", async () => {
  const { child, ended } = startWith(128, workingFolder());
  const [line] = await once(child.stdout, "data");
  const { url } = JSON.parse(String(line)) as { url: string };
  const { port } = new URL(url);
  const ask = (path: string, body: unknown) =>
    fetch(url + path, { method: "POST", headers: KEY, body: JSON.stringify(body) });
  for (let n = 0; n < 60; n += 1) {
    const post = [
      { name: "r", run_type: "chain", session_name: `p${n}`, start_time: "2026-02-10T00:00:00Z" },
    ];
    const runs = post.map((run) => ({
      ...run,
      id: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
    }));
    expect((await ask("/runs/batch", { post: runs })).status).toBe(202);
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
  expect(await (await ask("/threads/count", {})).text()).toBe("1");
  child.kill();
  expect(await ended).toEqual({ code: 0, stderr: "" });
});

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** A connection of its own for each request; it is asked for until there is one. */
function statusOf(url: string, { method, path, headers, body }: Asked): Promise<number> {
  return new Promise((resolve) => {
    const options = { method, headers: { ...KEY, ...headers }, agent: false as const };
    request(url + path, options, (reply) => {
      reply.resume().on("end", () => resolve(reply.statusCode ?? 0));
    })
      .on("error", () =>
        resolve(statusOf(url, { method, path, ...(headers && { headers }), ...(body && { body }) })),
      )
      .end(body);
  });
}

async function signedStatus(port: number, asked: Parameters<typeof sendSigned>[1]): Promise<number> {
  const headers = { connection: "close", ...asked.headers };
  const reply = await sendSigned({ port }, { ...asked, headers }).catch(() => undefined);
  return reply?.status ?? signedStatus(port, asked);
}

const CONTROL = "/_emulator/v1";
const ZSTD = Buffer.concat([Buffer.from("28b52ffd200b590000", "hex"), Buffer.from('{"post":[]}')]);
const DELETION = "<Delete><Object><Key>none</Key></Object></Delete>";

it("when descriptors have run out, what is loaded or opened with a first request is refused, and works later", async () => {
  const { child, ended } = startWith(128, workingFolder(), HOLDING_DESCRIPTORS);
  const [line] = await once(child.stdout, "data");
  const { url, s3_url } = JSON.parse(String(line)) as ReadyLine;
  const port = Number(new URL(s3_url).port);
  const json = (path: string, body: unknown) => ({ method: "POST", path, body: JSON.stringify(body) });
  const signed = (method: string, path: string, more = {}) => signedStatus(port, { method, path, ...more });
  const toggle = async (said: string): Promise<void> => {
    child.kill("SIGUSR2");
    for await (const [text] of on(child.stderr, "data")) if (String(text).includes(said)) return;
  };
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
  await toggle("taken");
  expect(await all.console?.()).toBe(429);
  for (const [name, ask] of Object.entries(all)) {
    const status = await ask();
    // The object store has its own way to say so.
    expect(status < 500 || (status === 503 && /xml|put|get/.test(name)), `${name}: ${status}`).toBe(true);
  }
  await toggle("released");
  for (const [name, ask] of Object.entries(all)) {
    const status = await ask();
    expect(status >= 200 && status < 300, `${name}: ${status}`).toBe(true);
  }
  child.kill();
  expect(await ended).toMatchObject({ code: 0 });
});
