import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type RunningCli, startCli } from "../../support/cli.ts";
import { send } from "../../support/kill-load.ts";
import { descriptorsOf, type Usage, usageOf } from "../../support/process-usage.ts";
import { type Soak, soakPart } from "../soak.ts";

// Hundreds of forks and snapshots with writes between them: what is on disk and what a start costs go with what lives.

const FORKS = 500;
/** The limit, relative to the same world without forks. */
const MAX_TIMES = 3;
const MAX_START_TIMES = 2;
/** CPU time of a process that has nothing to read; less is noise. */
const START_NOISE_SECONDS = 0.1;
const FORK_NOISE_MS = 5;
/** A journal, and two files of rows for a day. */
const FILES_OF_FORK = 3;
const BYTES_OF_FORK = 8192;
const CONTROL = "/_emulator/v1";
const CLOCK_TICKS = 100;

const rowId = (number: number) => `${String(number).padStart(8, "0")}-0000-4000-8000-000000000003`;
const rowOf = (number: number) => ({
  id: rowId(number),
  name: `row ${number}`,
  run_type: "chain",
  session_name: `project ${number % 3}`,
  start_time: `2026-02-${String(1 + (number % 28)).padStart(2, "0")}T00:00:00Z`,
  inputs: { text: "x".repeat(500) },
});

async function ask(cli: RunningCli, method: string, path: string, body?: unknown): Promise<unknown> {
  const reply = await send(cli, method, path, body);
  if (reply.status >= 300)
    throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}

async function fill(cli: RunningCli): Promise<void> {
  for (let first = 0; first < 1000; first += 100) {
    const post = Array.from({ length: 100 }, (_, nth) => rowOf(first + nth));
    await ask(cli, "POST", "/runs/batch", { post });
  }
  for (let nth = 0; nth < 50; nth += 1) await ask(cli, "POST", "/threads", {});
}

/** What is written between two forks. */
async function write(cli: RunningCli, world: string, nth: number): Promise<void> {
  const base = world === "main" ? "" : `/w/${world}`;
  await ask(cli, "POST", `${base}/runs/batch`, { post: [rowOf(2000 + nth)] });
  await ask(cli, "PATCH", `${base}/runs/${rowId(nth)}`, { name: `changed ${nth}` });
  await ask(cli, "POST", `${base}/threads`, {});
}

/** A way of forking: what it does after each write to the newest world, and how many worlds live at the end. */
interface Way {
  /** Answers the world that is written to next. */
  fork(cli: RunningCli, world: string, nth: number): Promise<string>;
  /** The forks and snapshots that exist at the end, without the world that receives the writes. */
  living(forks: number): number;
  /** Whether `main` also exists at the end, with its first rows. */
  readonly leavesMain?: true;
}

const create = (cli: RunningCli, id: string, from: string) =>
  ask(cli, "POST", `${CONTROL}/worlds`, { id, from });
const remove = (cli: RunningCli, id: string) => ask(cli, "DELETE", `${CONTROL}/worlds/${id}`);
const save = (cli: RunningCli, name: string) => ask(cli, "POST", `${CONTROL}/snapshots`, { name });

const WAYS: Readonly<Record<string, Way>> = {
  "forks that stay": {
    async fork(cli, _, nth) {
      await create(cli, `f${nth}`, "main");
      await ask(cli, "POST", `/w/f${nth}/threads`, {});
      return "main";
    },
    living: (forks) => forks,
  },
  "forks that go": {
    async fork(cli, _, nth) {
      await create(cli, `f${nth}`, "main");
      await write(cli, `f${nth}`, nth + 1);
      await remove(cli, `f${nth}`);
      return "main";
    },
    living: () => 0,
  },
  "a snapshot that is replaced": {
    async fork(cli) {
      await save(cli, "kept");
      return "main";
    },
    living: () => 1,
  },
  "a snapshot that is loaded": {
    async fork(cli) {
      await save(cli, "kept");
      await ask(cli, "POST", `${CONTROL}/snapshots/kept/load`);
      return "main";
    },
    living: () => 1,
  },
  "forks of forks": {
    async fork(cli, world, nth) {
      await create(cli, `f${nth}`, world);
      if (world !== "main") await remove(cli, world);
      return `f${nth}`;
    },
    living: () => 0,
    leavesMain: true,
  },
};

const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;

/** CPU seconds of a process until it has answered a first request of a world. */
async function startSeconds(folder: string, world: string): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let nth = 0; nth < 2; nth += 1) {
    const cli = await startCli("--data", folder);
    await ask(cli, "POST", `${world === "main" ? "" : `/w/${world}`}/threads/count`, {});
    const fields = readFileSync(`/proc/${cli.child.pid}/stat`, "utf8").split(" ");
    least = Math.min(least, (Number(fields[13]) + Number(fields[14])) / CLOCK_TICKS);
    await cli.end("SIGKILL");
  }
  return least;
}

/** The same writes in a world that is never forked, once it was stopped. */
async function unforked(folder: string, forks: number): Promise<Usage> {
  const cli = await startCli("--data", folder);
  await fill(cli);
  for (let nth = 0; nth < forks; nth += 1) await write(cli, "main", nth);
  await cli.end("SIGTERM");
  return usageOf(folder);
}

async function tryWay(soak: Soak, name: string, way: Way, folder: string): Promise<void> {
  const data = join(folder, "forked");
  const cli = await startCli("--data", data);
  await fill(cli);
  const times: number[] = [];
  let world = "main";
  for (let nth = 0; nth < FORKS && soak.goesOn(); nth += 1) {
    await write(cli, world, nth);
    const began = performance.now();
    world = await way.fork(cli, world, nth);
    times.push(performance.now() - began);
    soak.count("forks");
  }
  const [usage, open] = [usageOf(data), descriptorsOf(cli.child)];
  await cli.end("SIGKILL");
  const plain = join(folder, "plain");
  const lives = await unforked(plain, times.length);
  const living = way.living(times.length);
  const worlds = way.leavesMain ? 2 : 1;
  const most = {
    files: MAX_TIMES * (worlds * lives.files + living * FILES_OF_FORK),
    bytes: MAX_TIMES * (worlds * lives.bytes + living * BYTES_OF_FORK),
  };
  if (usage.files > most.files || usage.bytes > most.bytes)
    soak.find(`${name}, ${times.length}: ${JSON.stringify(usage)} are more than ${JSON.stringify(most)}`);
  if (open > 256 + 128) soak.find(`${name}: ${open} descriptors are open`);
  const part = Math.min(50, Math.ceil(times.length / 2));
  const [first, last] = [median(times.slice(0, part)), median(times.slice(-part))];
  if (last > MAX_TIMES * first + FORK_NOISE_MS)
    soak.find(
      `${name}: the last of ${times.length} took ${last.toFixed(1)} ms, the first ${first.toFixed(1)} ms`,
    );
  if (existsSync("/proc/self/stat")) {
    const [after, fresh] = [await startSeconds(data, world), await startSeconds(plain, "main")];
    if (after > MAX_START_TIMES * fresh + START_NOISE_SECONDS)
      soak.find(
        `${name}, ${times.length}: a start takes ${after} s of CPU, one of the same content ${fresh} s`,
      );
  }
  soak.count("ways");
}

await soakPart(["forks", "ways"], async (soak) => {
  const ways = Object.entries(WAYS);
  for (let nth = soak.seed; soak.goesOn(); nth += 1) {
    const [name, way] = ways[nth % ways.length] as [string, Way];
    await tryWay(soak, name, way, join(soak.folder, String(nth)));
  }
});
