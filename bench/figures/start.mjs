import { commandTime } from "../harness/command-time.mjs";
import { CLI, cpuMsOf, launch, launchEmulator, peerFile, residentMbOf } from "../harness/processes.mjs";

/** From the start of the process to its ready line. */
const ready = {
  figure: "ready to serve",
  per: "start",
  rounds: 15,
  quick: { rounds: 7 },
  sides: ["emulator", "bare node:http server"],
  targets: [
    { against: "bare node:http server", cost: 1.5 },
    { atMost: 90, quantity: "peakMb" },
  ],
  open: async () => ({
    async round(side) {
      const started =
        side === "emulator"
          ? await launchEmulator(["--ephemeral"])
          : await launch(peerFile("bare-server.mjs"));
      const family = started.family();
      const sample = {
        items: 1,
        wallMs: started.wallMs,
        cpuMs: cpuMsOf(family),
        peakMb: residentMbOf(family),
      };
      await started.stop();
      return sample;
    },
  }),
};

const WORDS = {
  "emulator exec -- true": [CLI, "exec", "--", "true"],
  "bare Node": ["--eval", "0"],
};

/** A command next to an emulator, and Node alone, both until they have ended. */
const exec = {
  figure: "exec -- true",
  per: "run",
  rounds: 15,
  quick: { rounds: 7 },
  sides: Object.keys(WORDS),
  targets: [{ against: "bare Node", cost: 2.2 }],
  open: async () => ({ round: (side) => commandTime(WORDS[side]) }),
};

export const figures = [ready, exec];
