import { commandTime } from "../harness/command-time.mjs";
import { CLI } from "../harness/processes.mjs";

/** That a reading differs is what a sweep finds out, and ends it with 1. */
const CODES = [0, 1];

/** The scenarios of the package under each single reading. */
export const figures = [
  {
    figure: "replay of all scenarios under all single readings",
    per: "sweep",
    rounds: 3,
    warmUps: 0,
    quick: { rounds: 1 },
    sides: ["emulator"],
    targets: [{ atMost: 60_000 }],
    open: async () => ({
      async round() {
        const { lines, ...sample } = await commandTime([CLI, "replay", "--vary"], CODES);
        const trials = Number(/^--vary: (\d+) trials/m.exec(lines.join("\n"))?.[1]);
        if (!(trials > 100)) throw new Error(`it has tried ${trials} readings`);
        return sample;
      },
    }),
  },
];
