import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { CLI, cpuMsOf } from "../harness/processes.mjs";

const SWEPT = fileURLToPath(
  new URL("../../test/full/scenarios/sweeps/nightly.scenario.yaml", import.meta.url),
);
const LOOK_MS = 100;

/** One `replay`, whose trials may differ: their number, and what they took. */
async function played(...words) {
  const began = performance.now();
  const child = spawn(process.execPath, [CLI, "replay", ...words, "--report", "json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece) => {
    text += piece;
  });
  let cpuMs;
  // Only a process that is still there can be asked.
  const look = setInterval(() => {
    cpuMs = cpuMsOf([child.pid]) ?? cpuMs;
  }, LOOK_MS);
  const [code] = await once(child, "close");
  clearInterval(look);
  if (code > 1) throw new Error(`replay ${words.join(" ")} ended with ${code}`);
  const { exploration } = JSON.parse(text);
  return { trials: exploration?.results.length, wallMs: performance.now() - began, cpuMs };
}

const THREADS = "a thread for each processor";

/** The same with one thread; the goal is for two processors. */
const spread = (targets, ...words) => ({
  figure: `${["replay", ...words].join(" ")} of all shipped scenarios`,
  per: "run",
  rounds: 3,
  warmUps: 0,
  quick: { rounds: words.length === 0 ? 3 : 1 },
  sides: [THREADS, "one thread"],
  targets: [...targets, { against: "one thread", faster: 1.7 }],
  open: async () => ({
    async round(side) {
      const { wallMs, cpuMs } = await played(...words, ...(side === THREADS ? [] : ["--jobs", "1"]));
      return { items: 1, wallMs, cpuMs };
    },
  }),
});

const sweep = (name) => ({
  figure: `replay --sweep ${name} of one scenario`,
  per: "trial",
  rounds: 3,
  sides: ["sweep"],
  targets: [],
  open: async () => ({
    async round() {
      const { trials, ...costs } = await played(SWEPT, "--sweep", name);
      return { items: trials, ...costs };
    },
  }),
});

export const figures = [
  spread([]),
  spread([{ atMost: 60_000 }], "--vary"),
  spread([], "--sweep", "limits"),
  ...["crash", "edges", "store", "limits"].map(sweep),
];
