import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call, launchEmulator, median } from "./measure.mjs";
import { batchBody, uuidOf } from "./rows.mjs";

const PROJECT = uuidOf(9, 1);
const ROWS_PER_REQUEST = 500;
const SMALL = 1_000;
const LARGE = Number(process.env.BENCH_QUERY_ROWS ?? 200_000);
const PAGES = 60;

/** Cost of a page as the number of rows grows, with a new row before each page. */
export async function* run() {
  const folder = await mkdtemp(join(tmpdir(), "emulator-bench-"));
  const emulator = await launchEmulator("--data", folder, "--rate-limits", "off");
  const { url } = emulator.ready;
  let rows = 0;
  const fill = async (upTo) => {
    for (; rows < upTo; rows += ROWS_PER_REQUEST)
      await call(url, "POST", "/runs/batch", batchBody(rows, ROWS_PER_REQUEST, PROJECT));
  };
  try {
    await fill(SMALL);
    await pageCost(url);
    const small = await pageCost(url);
    await fill(LARGE);
    const large = await pageCost(url);
    yield {
      figure: `a page of 20 rows among ${LARGE.toLocaleString("en")} against among ${SMALL.toLocaleString("en")}`,
      measured: `${(large / small).toFixed(2)} × (${large.toFixed(1)} ms against ${small.toFixed(1)} ms)`,
      target: "≤ 1.5 ×",
    };
  } finally {
    await emulator.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

let extra = 900_000_000;

async function pageCost(url) {
  const samples = [];
  let cursor = null;
  for (let page = 0; page < PAGES; page += 1) {
    await call(url, "POST", "/runs/batch", batchBody(extra++, 1, PROJECT));
    const began = performance.now();
    const body = await call(url, "POST", "/runs/query", { session: [PROJECT], limit: 20, cursor });
    samples.push(performance.now() - began);
    if (body.runs.length !== 20 && body.cursors.next) throw new Error("a short page");
    cursor = body.cursors.next;
  }
  return median(samples);
}
