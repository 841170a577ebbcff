import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cpuMsOf } from "../harness/processes.mjs";
import { exported, filled, launchOn } from "../harness/stored-rows.mjs";

const ROWS = 1_000_000;

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
  sides: ["on a million rows", "on no rows"],
  targets: [{ against: "on no rows", cost: 1.1 }],
  async open({ folder, rows = ROWS }) {
    const { data } = await stocked(rows);
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

const exporting = {
  figure: "export of a million rows of 2.7 KB",
  per: "row",
  rounds: 1,
  warmUps: 0,
  minutes: 60,
  sides: ["emulator"],
  targets: [{ atMost: 350, quantity: "peakMb" }],
  async open({ rows = ROWS }) {
    const { data } = await stocked(rows);
    return { round: () => exported(data, rows) };
  },
};

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

export const figures = [ingest, restart, exporting, waiting];
