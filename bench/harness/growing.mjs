import { fileURLToPath } from "node:url";
import { launch } from "./processes.mjs";

const CHILD = fileURLToPath(new URL("./growth-child.mjs", import.meta.url));

/**
 * The cost of each further item: of the last tenth of `items` against the first, and of memory by item
 * then against a tenth of the way. `kind` is one of GROWTHS, which a process of its own carries out.
 */
export function growing({ kind, figure, items, quickItems, per, targets = [] }) {
  return {
    figure,
    per,
    rounds: 1,
    warmUps: 0,
    minutes: 90,
    quick: { rows: quickItems },
    sides: ["last tenth", "first tenth"],
    targets: [
      { against: "first tenth", cost: 1.2 },
      { against: "first tenth", cost: 1.2, quantity: "bytes" },
      ...targets,
    ],
    async open({ folder, rows = items }) {
      const samples = {};
      return {
        async round(side, n) {
          samples[n] ??= await grown(kind, rows, folder);
          return samples[n][side];
        },
      };
    },
  };
}

async function grown(kind, items, folder) {
  const { line, stop } = await launch(CHILD, [kind, String(items), folder], { nodeArgs: ["--expose-gc"] });
  await stop();
  return JSON.parse(line);
}
