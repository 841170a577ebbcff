import { commandTime } from "../harness/command-time.mjs";
import { CLI } from "../harness/processes.mjs";

/** Exit code 1 means that a variation differs. */
const CODES = [0, 1];

/** The scenarios of the package under each single variation. */
export const figures = [
  {
    figure: "replay of all scenarios under all single variations",
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
        if (!(trials > 100)) throw new Error(`only ${trials} variations were tried`);
        return sample;
      },
    }),
  },
];
