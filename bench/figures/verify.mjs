import { join } from "node:path";
import { call, timed } from "../harness/calls.mjs";
import { exportDay, filled, launchOn } from "../harness/stored-rows.mjs";

const ROWS = 50_000;

/** Each round exports the same rows and reads that export back, in one process. */
export const figures = [
  {
    figure: "verify-export of rows of 2.7 KB",
    per: "row",
    rounds: 5,
    sides: ["verify-export", "the export"],
    targets: [{ against: "the export", cost: 1, quantity: "cpuMs" }],
    async open({ folder, rows = ROWS }) {
      const data = join(folder, "data");
      await filled(data, rows);
      const emulator = await launchOn(data);
      let latest;
      return {
        close: emulator.stop,
        async round(side) {
          if (side === "the export") return latest.sample;
          latest = await exportDay(emulator, rows);
          return timed(emulator, rows, async () => {
            const { ok } = await call(emulator.url, "GET", `/_emulator/v1/exports/${latest.id}/verify`);
            if (!ok) throw new Error("the export was not verified");
          });
        },
      };
    },
  },
];
