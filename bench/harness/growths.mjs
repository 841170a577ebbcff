import { PROJECT, postOf } from "../rows.mjs";
import { signed } from "./signed.mjs";

const TOGETHER = 50;
const ROWS = 500;
const RUNS_A_THREAD = 5_000;

/** `add` adds up to `left` items, the first of which has the number `n`, and resolves with how many it added. */
export const GROWTHS = {
  threads: { add: together((emulator) => send(emulator, "/threads", {})) },
  runs: { add: runs },
  worlds: {
    options: { limits: { worlds: 20_000 } },
    async add(emulator, n) {
      const world = await emulator.fork({ id: `world-${n}` });
      await send(world, "/threads", {});
      return 1;
    },
  },
  events: { add: waitingRuns },
  rows: {
    async add(emulator, n, left) {
      const count = Math.min(ROWS, left);
      await send(emulator, "/runs/batch", {
        post: Array.from({ length: count }, (_, at) => smallRow(n + at)),
      });
      return count;
    },
  },
  objects: { add: objects },
};

/** In parallel, as the files of a data folder are flushed for several at once. */
function together(act) {
  return async (emulator, n, left) => {
    const count = Math.min(TOGETHER, left);
    await Promise.all(Array.from({ length: count }, (_, at) => act(emulator, n + at)));
    return count;
  };
}

async function send(emulator, path, json) {
  const reply = await emulator.request(path, { json });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}

const threads = new WeakMap();

/** A thread of the emulator, the same one for `each` numbers. */
async function threadOf(emulator, n, each) {
  const known = threads.get(emulator) ?? new Map();
  threads.set(emulator, known);
  const at = Math.floor(n / each);
  if (!known.has(at)) known.set(at, await send(emulator, "/threads", {}));
  return known.get(at).thread_id;
}

/** Runs that end before the next ones come, of one thread. */
async function runs(emulator, _n, left) {
  const thread = await threadOf(emulator, 0, 1);
  const count = Math.min(TOGETHER, left);
  for (let run = 0; run < count; run += 1)
    await send(emulator, `/threads/${thread}/runs`, {
      assistant_id: "echo",
      input: { text: "a" },
      multitask_strategy: "enqueue",
    });
  await emulator.clock.advance("PT1H");
  return count;
}

/** Runs that wait for their time. */
async function waitingRuns(emulator, n, left) {
  const thread = await threadOf(emulator, n, RUNS_A_THREAD);
  const count = Math.min(TOGETHER, left, RUNS_A_THREAD - (n % RUNS_A_THREAD));
  for (let run = 0; run < count; run += 1)
    await send(emulator, `/threads/${thread}/runs`, {
      assistant_id: "echo",
      input: { text: "a" },
      multitask_strategy: "enqueue",
      after_seconds: 3_600 + ((n + run) % 1_000),
    });
  return count;
}

function smallRow(number) {
  const { inputs: _, outputs: __, extra: ___, ...row } = postOf(number, PROJECT);
  return row;
}

/** Tiny objects of one bucket. */
async function objects(emulator, n, left) {
  const count = Math.min(TOGETHER, left);
  const puts = Array.from({ length: count }, (_, at) => ({
    method: "PUT",
    path: `/traces/${n + at}`,
    bytes: 1,
  }));
  const key = { accessKeyId: "emulator", secretAccessKey: "emulator-secret" };
  for (const { method, path, headers } of signed(emulator.s3Url, key, puts)) {
    const reply = await fetch(emulator.s3Url + path, { method, headers, body: "x" });
    await reply.arrayBuffer();
    if (!reply.ok) throw new Error(`PUT ${path}: ${reply.status}`);
  }
  return count;
}
