import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call, launchEmulator, median } from "./measure.mjs";
import { batchBody, uuidOf } from "./rows.mjs";

const ROWS_PER_REQUEST = 100;
const REQUESTS = 300;
const IN_FLIGHT = 4;
const PROJECT = uuidOf(9, 1);

/** Durable ingest over HTTP, and the cost of a small write as the number of records grows. */
export async function* run() {
  const folder = await mkdtemp(join(tmpdir(), "emulator-bench-"));
  const emulator = await launchEmulator("--data", folder, "--rate-limits", "off");
  const { url } = emulator.ready;
  try {
    yield {
      figure: "ingest, POST /runs/batch of 100 rows",
      measured: await ingestRate(url),
      target: "≥ 10,000 rows/s",
    };
    yield {
      figure: "cost of a write at 100 k records against 1 k",
      measured: await growth(url),
      target: "≤ 1.2 ×",
    };
  } finally {
    await emulator.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function ingestRate(url) {
  const bodies = Array.from({ length: REQUESTS }, (_, n) =>
    batchBody(n * ROWS_PER_REQUEST, ROWS_PER_REQUEST, PROJECT),
  );
  await call(url, "POST", "/runs/batch", batchBody(50_000_000, ROWS_PER_REQUEST, PROJECT));
  const began = performance.now();
  let next = 0;
  const client = async () => {
    while (next < bodies.length) await call(url, "POST", "/runs/batch", bodies[next++]);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, client));
  const rows = (REQUESTS * ROWS_PER_REQUEST) / ((performance.now() - began) / 1000);
  return `${Math.round(rows).toLocaleString("en")} rows/s`;
}

/** Projects are the smallest records: each write is one turn, one line of the journal, one reply. */
async function growth(url) {
  let count = 0;
  const create = () => call(url, "POST", "/sessions", { name: `project-${count++}` });
  const fill = async (upTo) => {
    while (count < upTo) await Promise.all(Array.from({ length: Math.min(50, upTo - count) }, create));
  };
  const cost = async () => {
    const samples = [];
    for (let sample = 0; sample < 400; sample += 1) {
      const began = performance.now();
      await create();
      samples.push(performance.now() - began);
    }
    return median(samples);
  };
  await fill(1000);
  await cost();
  const small = await cost();
  await fill(100_000);
  const large = await cost();
  return `${(large / small).toFixed(2)} × (${(small * 1000).toFixed(0)} µs, then ${(large * 1000).toFixed(0)} µs)`;
}
