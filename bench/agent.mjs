import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CLI, call, familyOf, HEADERS, launch, loadOn, median, memoryOf } from "./measure.mjs";
import { freePort } from "./peers/free-port.mjs";

const PEERS = fileURLToPath(new URL("./peers/", import.meta.url));
const PRISM = join(PEERS, "node_modules/@stoplight/prism-cli/dist/index.js");
const PLAIN = ["express", "lean-express", "fastify", "node"];
const RUNS = 1_000;
const MANY_RUNS = 10_000;
const PAGE_BYTES = 8_704;
const ROUNDS = Number(process.env.BENCH_AGENT_ROUNDS ?? 7);
const WARM_UPS = 2;
const ROUND_MS = 1_000;
const STARTS = 5;

/** Compares runs and threads with the open-source agent server and with minimal servers. */
export async function* run() {
  if (!existsSync(PRISM))
    throw new Error("First: npm i --legacy-peer-deps --no-package-lock --prefix bench/peers");
  const folder = await mkdtemp(join(tmpdir(), "emulator-bench-"));
  const servers = {};
  try {
    yield* starts(folder);
    servers.emulator = await emulatorIn(folder);
    servers.agent = await agentIn(folder);
    yield* lists(servers, folder);
    yield* pages(servers.emulator);
    yield* writes(servers);
  } finally {
    for (const { stop } of Object.values(servers)) await stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function* starts(folder) {
  const ours = [];
  const theirs = [];
  for (let start = 0; start < STARTS; start += 1) {
    ours.push(await startOf(emulatorIn(folder)));
    theirs.push(await startOf(agentIn(folder)));
  }
  const shown = (read, unit) =>
    `${(median(ours.map(read)) / median(theirs.map(read))).toFixed(2)} × (${median(ours.map(read)).toFixed(0)} against ${median(theirs.map(read)).toFixed(0)} ${unit})`;
  const against = "against the agent server with all its processes";
  yield { figure: `ready to serve, ${against}`, measured: shown(({ ms }) => ms, "ms"), target: "≤ 0.1 ×" };
  yield {
    figure: `memory when ready, ${against}`,
    measured: shown(({ mb }) => mb, "MB"),
    target: "≤ 0.33 ×",
  };
}

async function startOf(starting) {
  const { family, ms, stop } = await starting;
  const mb = family.reduce((sum, pid) => sum + memoryOf(pid).resident, 0);
  await stop();
  return { ms, mb };
}

/** Starts the emulator with rate limits on (too high to be reached) and records on disk. */
async function emulatorIn(folder) {
  const data = await mkdtemp(join(folder, "emulator-"));
  const args = ["start", "--json", "--port", "0", "--data", data, "--rate-limits", "on"];
  const env = { ...process.env, EMULATOR_RATE_LIMITS__SCALE: "1000" };
  return served(await launch(CLI, args, { env }));
}

async function agentIn(folder) {
  const own = await mkdtemp(join(folder, "agent-"));
  return served(await launch(join(PEERS, "agent-server.mjs"), [own]));
}

function served({ child, line, ms, stop }) {
  return { url: JSON.parse(line).url, family: familyOf(child.pid), ms, stop };
}

/** Starts minimal servers that return a copy of the emulator's reply. */
async function* lists(servers, folder) {
  servers.agent.path = await threadWith(servers.agent.url, RUNS, PAGE_BYTES);
  servers.emulator.path = await threadWith(servers.emulator.url, RUNS, PAGE_BYTES, emptied);
  const page = await call(servers.emulator.url, "GET", servers.emulator.path);
  const file = join(folder, "page.json");
  await writeFile(file, JSON.stringify(page));
  const { path } = servers.emulator;
  for (const kind of PLAIN)
    servers[kind] = { ...served(await launch(join(PEERS, "plain-server.mjs"), [kind, file])), path };
  servers.prism = { ...(await prismWith(page, folder)), path };
  const figures = await measured(Object.keys(servers), (name) => ({
    origin: servers[name].url,
    method: "GET",
    path: servers[name].path,
    family: servers[name].family,
  }));
  for (const [name, figure] of Object.entries(figures))
    yield {
      figure: `GET /threads/{id}/runs?limit=10 of ${RUNS} runs: ${name}`,
      measured: shown(figure),
      target: "",
    };
  for (const [name, target] of Object.entries({
    agent: "≥ 2.5 ×",
    express: "≥ 0.85 ×",
    prism: "",
    "lean-express": "",
    fastify: "",
    node: "",
  }))
    yield {
      figure: `the emulator against ${name}`,
      measured: ratio(figures.emulator, figures[name]),
      target,
    };
}

async function* pages({ url, family, path: path1000 }) {
  const path = await threadWith(url, MANY_RUNS, 0, emptied);
  const orders = {
    few: path1000,
    many: path,
    last: `${path}&offset=${MANY_RUNS - 10}`,
    ended: `${path}&status=success&offset=${MANY_RUNS / 2}`,
  };
  const figures = await measured(Object.keys(orders), (name) => ({
    origin: url,
    method: "GET",
    path: orders[name],
    family,
  }));
  const cost = (name) => (figures[name].cpuMicros / figures.few.cpuMicros).toFixed(2);
  yield {
    figure: "a page of 10,000 runs on one thread against one of 1,000: first, last, in the middle by status",
    measured: `${cost("many")} ×, ${cost("last")} ×, ${cost("ended")} ×`,
    target: "≤ 1.2 ×",
  };
}

async function* writes({ emulator, agent }) {
  const operations = [
    { path: "/threads", body: {}, target: "≥ 3 ×" },
    { path: "/runs/wait", body: { assistant_id: "echo", input: { text: "a" } }, target: "≥ 50 ×" },
  ];
  for (const { path, body, target } of operations) {
    const servers = { emulator, agent };
    const figures = await measured(Object.keys(servers), (name) => ({
      origin: servers[name].url,
      method: "POST",
      path,
      body,
      family: servers[name].family,
    }));
    for (const [name, figure] of Object.entries(figures))
      yield { figure: `POST ${path}: ${name}`, measured: shown(figure), target: "" };
    yield {
      figure: `the emulator against agent, POST ${path}`,
      measured: ratio(figures.emulator, figures.agent),
      target,
    };
  }
}

/** Measures in turns, so that other load affects all servers equally; the first rounds warm up. */
async function measured(names, orderOf) {
  const rounds = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < WARM_UPS + ROUNDS; round += 1)
    for (const name of names) {
      const { family, ...order } = orderOf(name);
      const figure = await loadOn(family, { ...order, headers: HEADERS, ms: ROUND_MS });
      if (round >= WARM_UPS) rounds[name].push(figure);
    }
  return Object.fromEntries(names.map((name) => [name, middle(rounds[name])]));
}

function middle(figures) {
  const of = (key) => median(figures.map((figure) => figure[key]));
  return { perSecond: of("perSecond"), p99: of("p99"), bytes: of("bytes"), cpuMicros: of("cpuMicros") };
}

function shown({ perSecond, p99, bytes, cpuMicros }) {
  return `${cpuMicros.toFixed(0)} µs of CPU, ${Math.round(perSecond).toLocaleString("en")} requests/s, p99 ${p99.toFixed(1)} ms, ${Math.round(bytes).toLocaleString("en")} bytes`;
}

function ratio(ours, theirs) {
  return `${(theirs.cpuMicros / ours.cpuMicros).toFixed(2)} × by CPU, ${(ours.perSecond / theirs.perSecond).toFixed(2)} × by requests/s`;
}

/** Leaves the thread of the emulator without values: else it keeps the messages of all of its runs. */
async function emptied(url, thread_id) {
  const script = { match: { thread_id }, then: { status: "success", values: {} } };
  await call(url, "POST", "/_emulator/v1/agent/scripts", script);
}

/** Creates a thread with ended runs, sized so that ten fill a page of the given bytes; returns the path of its first page. */
async function threadWith(url, runs, pageBytes, prepare = async () => {}) {
  const create = (thread, text) =>
    call(url, "POST", `/threads/${thread}/runs`, {
      assistant_id: "echo",
      input: { text },
      multitask_strategy: "enqueue",
    });
  const probe = await call(url, "POST", "/threads", {});
  // Two: the first run of a thread leaves metadata on it that all later ones carry.
  for (let made = 0; made < 2; made += 1) await create(probe.thread_id, "");
  await ended(url, probe.thread_id);
  const probed = await call(url, "GET", `/threads/${probe.thread_id}/runs`);
  const bytes = Math.max(...probed.map((run) => JSON.stringify(run).length));
  const text = "x".repeat(Math.max(0, Math.round((pageBytes - 11) / 10) - bytes));
  const { thread_id } = await call(url, "POST", "/threads", {});
  await prepare(url, thread_id);
  for (let made = 0; made < runs; made += 50)
    await Promise.all(Array.from({ length: Math.min(50, runs - made) }, () => create(thread_id, text)));
  await ended(url, thread_id);
  return `/threads/${thread_id}/runs?limit=10`;
}

async function ended(url, thread) {
  const left = async () =>
    (await call(url, "GET", `/threads/${thread}/runs?status=pending&limit=1`)).length > 0;
  const busy = async () => (await call(url, "GET", `/threads/${thread}`)).status === "busy";
  while ((await left()) || (await busy())) await new Promise((resolve) => setTimeout(resolve, 100));
}

async function prismWith(page, folder) {
  const file = join(folder, "prism.json");
  const parameter = (name, where, type) => ({
    name,
    in: where,
    required: where === "path",
    schema: { type },
  });
  const schema = { type: "array", items: { type: "object" } };
  const get = {
    parameters: [parameter("thread_id", "path", "string"), parameter("limit", "query", "integer")],
    responses: { 200: { description: "Runs", content: { "application/json": { schema, example: page } } } },
  };
  const document = {
    openapi: "3.1.0",
    info: { title: "Runs", version: "1" },
    paths: { "/threads/{thread_id}/runs": { get } },
  };
  await writeFile(file, JSON.stringify(document));
  const port = await freePort();
  const started = await launch(PRISM, ["mock", "-p", String(port), "-v", "silent", file]);
  const url = `http://127.0.0.1:${port}`;
  const path = `${url}/threads/x/runs`;
  while (
    !(await fetch(path).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await new Promise((resolve) => setTimeout(resolve, 100));
  return { url, family: familyOf(started.child.pid), stop: started.stop };
}
