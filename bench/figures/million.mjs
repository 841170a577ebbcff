import { join } from "node:path";
import { cpuMsOf } from "../harness/processes.mjs";
import { exported, filled, launchOn } from "../harness/stored-rows.mjs";

const ROWS = 1_000_000;

/** Memory of one process for each round. */
const ingest = {
  figure: "ingest of a million rows of 2.7 KB",
  per: "row",
  rounds: 1,
  warmUps: 0,
  sides: ["emulator"],
  targets: [{ atMost: 180, quantity: "peakMb" }],
  open: async ({ folder, rows = ROWS }) => ({ round: (_side, n) => filled(join(folder, `data-${n}`), rows) }),
};

const restart = {
  figure: "start",
  per: "start",
  rounds: 9,
  sides: ["on a million rows", "on no rows"],
  targets: [{ against: "on no rows", cost: 1.1 }],
  async open({ folder, rows = ROWS }) {
    await filled(join(folder, "data"), rows);
    return {
      async round(side) {
        const started = await launchOn(join(folder, side === "on no rows" ? "empty" : "data"));
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
  sides: ["emulator"],
  targets: [{ atMost: 350, quantity: "peakMb" }],
  async open({ folder, rows = ROWS }) {
    const data = join(folder, "data");
    await filled(data, rows);
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
