import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call } from "../harness/calls.mjs";
import { cpuMsOf } from "../harness/processes.mjs";
import { exported, filled, launchOn } from "../harness/stored-rows.mjs";
import { batchBody, PROJECT } from "../rows.mjs";

const ROWS = 1_000_000;
const FORKS = 20;
const WORLDS = "/_emulator/v1/worlds";

const stock = new Map();

/** A data folder with so many rows, filled once and removed in the end, and what it took to fill it. */
function stocked(rows) {
  if (!stock.has(rows)) {
    const folder = mkdtempSync(join(tmpdir(), "emulator-bench-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    const data = join(folder, "data");
    stock.set(
      rows,
      filled(data, rows).then((sample) => ({ data, sample })),
    );
  }
  return stock.get(rows);
}

/** Memory of one process for each round. */
const ingest = {
  figure: "ingest of a million rows of 2.7 KB",
  per: "row",
  rounds: 1,
  warmUps: 0,
  minutes: 60,
  sides: ["emulator"],
  targets: [{ atMost: 180, quantity: "peakMb" }],
  open: async ({ folder, rows = ROWS }) => ({
    round: async (_side, n) =>
      n === 0 ? (await stocked(rows)).sample : filled(join(folder, `data-${n}`), rows),
  }),
};

const restart = {
  figure: "start",
  per: "start",
  rounds: 9,
  minutes: 60,
  sides: [`on a million rows and ${FORKS} forks`, "on no rows"],
  targets: [{ against: "on no rows", cost: 1.2 }],
  async open({ folder, rows = ROWS }) {
    const { data } = await stocked(rows);
    await forked(data);
    return {
      async round(side) {
        const started = await launchOn(side === "on no rows" ? join(folder, "empty") : data);
        const sample = { items: 1, wallMs: started.wallMs, cpuMs: cpuMsOf(started.family()) };
        await started.stop();
        return sample;
      },
    };
  },
};

/** Forks that have written, until there are enough. */
async function forked(data) {
  const emulator = await launchOn(data);
  const worlds = await call(emulator.url, "GET", WORLDS);
  for (let n = worlds.length; n <= FORKS; n += 1) {
    const { id } = await call(emulator.url, "POST", WORLDS, { from: "main" });
    await call(emulator.url, "POST", `/w/${id}/runs/batch`, batchBody(ROWS + n, 1, PROJECT));
  }
  await emulator.stop();
}

/** The peak memory of a process with a limited heap. */
const limited = (figure) => ({
  ...figure,
  per: "row",
  rounds: 1,
  warmUps: 0,
  minutes: 60,
  sides: ["emulator"],
  targets: [{ atMost: 350, quantity: "peakMb" }],
});
const LIMIT = { NODE_OPTIONS: "--max-old-space-size=512" };

const ingestLimited = limited({
  figure: "ingest of a million rows of 2.7 KB with a heap of 512 MB",
  open: async ({ folder, rows = ROWS }) => ({
    round: async (_side, n) => filled(join(folder, `data-${n}`), rows, undefined, LIMIT),
  }),
});

/** By the same process; the time is that of the export. */
const exportLimited = limited({
  figure: "export and verification of a million rows of 2.7 KB with a heap of 512 MB",
  async open({ rows = ROWS }) {
    const { data } = await stocked(rows);
    return { round: () => exported(data, rows, undefined, LIMIT, verify) };
  },
});

async function verify({ url }, id) {
  const { ok, problems } = await call(url, "GET", `/_emulator/v1/exports/${id}/verify`);
  if (!ok) throw new Error(`the export is not correct: ${JSON.stringify(problems)}`);
}

const waiting = {
  figure: "p99 of a request during an export",
  per: "request",
  rounds: 5,
  sides: ["emulator"],
  targets: [{ atMost: 50 }],
  async open({ folder, rows = ROWS / 5 }) {
    const data = join(folder, "data");
    await filled(data, rows);
    return { round: async () => ({ items: 1, wallMs: (await exported(data, rows)).waitMs }) };
  },
};

export const figures = [ingest, restart, ingestLimited, exportLimited, waiting];
