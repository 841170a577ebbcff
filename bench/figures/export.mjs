import { join } from "node:path";
import { launch, peerFile } from "../harness/processes.mjs";
import { exported, filled } from "../harness/stored-rows.mjs";

const ROWS = 200_000;

/** Each round is the first export of a process: of rows in a data folder, and by the Parquet writer of rows in memory. */
export const figures = [
  {
    figure: "first export",
    per: "row",
    rounds: 7,
    warmUps: 0,
    sides: ["emulator", "hyparquet-writer"],
    needs: { "hyparquet-writer": "hyparquet-writer" },
    targets: [{ against: "hyparquet-writer", faster: 1, eachRound: 0.85 }],
    async open({ folder, rows = ROWS }) {
      const data = join(folder, "data");
      await filled(data, rows);
      return {
        async round(side) {
          if (side === "emulator") return exported(data, rows);
          const alone = await launch(peerFile("writer-alone.mjs"), [String(rows)]);
          await alone.stop();
          return JSON.parse(alone.line);
        },
      };
    },
  },
];
