import { rmSync } from "node:fs";
import { join } from "node:path";
import { call, load } from "../harness/calls.mjs";
import { cpuMsOf } from "../harness/processes.mjs";
import { exported, filled, launchOn } from "../harness/stored-rows.mjs";
import { twoBuilds } from "../harness/two-builds.mjs";
import { PROJECT } from "../rows.mjs";

const ROWS = 50_000;

/** By processor time: the same build, with what it stores checked and unchecked. */
const checks = ({ what, ...figure }) => ({
  figure: `checks of stored data: ${what}`,
  rounds: 11,
  sides: ["checked", "unchecked"],
  targets: [{ against: "unchecked", cost: 1.03, quantity: "cpuMs" }],
  ...figure,
});

const send = (emulator, rows, from, count) =>
  load(emulator, {
    origin: emulator.url,
    method: "POST",
    path: "/runs/batch",
    bodies: { kind: "batch", rows, session: PROJECT, from: from * rows },
    count,
    itemsPerRequest: rows,
  });

/** A process of its own in each round: two of the same program may differ by more than the checks cost. */
const ingest = (rows, requests) =>
  checks({
    what: `ingest of ${rows} ${rows === 1 ? "row" : "rows"} a call`,
    per: "row",
    async open({ folder }) {
      const builds = await twoBuilds();
      return {
        async round(side, n) {
          const data = join(folder, `${side}-${n}`);
          const emulator = await launchOn(data, builds[side]);
          await send(emulator, rows, 0, requests);
          const sample = await send(emulator, rows, requests, requests);
          await emulator.stop();
          rmSync(data, { recursive: true });
          return sample;
        },
      };
    },
  });

const exporting = checks({
  what: `first export of ${ROWS} rows`,
  per: "row",
  async open({ folder, rows = ROWS }) {
    const builds = await twoBuilds();
    for (const [side, cli] of Object.entries(builds)) await filled(join(folder, side), rows, cli);
    return { round: (side) => exported(join(folder, side), rows, builds[side]) };
  },
});

/** Until a first request of the world is answered; the process before was killed, and left its journal. */
const starting = checks({
  what: `start on ${ROWS} rows after a kill`,
  per: "start",
  rounds: 21,
  async open({ folder, rows = ROWS }) {
    const builds = await twoBuilds();
    const killed = async (emulator) => {
      emulator.child.kill("SIGKILL");
      await emulator.stop();
    };
    for (const [side, cli] of Object.entries(builds)) {
      const emulator = await launchOn(join(folder, side), cli);
      await send(emulator, 10, 0, rows / 10);
      await killed(emulator);
    }
    return {
      async round(side) {
        const emulator = await launchOn(join(folder, side), builds[side]);
        await call(emulator.url, "POST", "/threads/count", {});
        const sample = { items: 1, wallMs: emulator.wallMs, cpuMs: cpuMsOf(emulator.family()) };
        await killed(emulator);
        return sample;
      },
    };
  },
});

export const figures = [ingest(100, 120), ingest(1, 3_000), exporting, starting];
