import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Plugin } from "esbuild";
import { withBundles } from "../mutations/mutated-run.ts";
import { ROOT } from "../mutations/mutation.ts";
import { copyOfProject, testsOf } from "./project-copy.ts";
import type { Answer, Outcome, Question } from "./question.ts";
import { type BlindMutation, sampleOf } from "./sample.ts";
import { SWITCH_CODE, withSwitches } from "./schemata.ts";

export interface BlindOptions {
  readonly count: number;
  /** Leaves out the first ones, to continue a run. */
  readonly from: number;
  readonly seed: number;
  /** Runs tests instead of the contract cases. */
  readonly tests: boolean;
}

const RESULTS = ["FAIL", "difference", "survived", "not reached", "not run"] as const;

type Result = (typeof RESULTS)[number];
type Verdict = readonly [result: Result, detail: string];

/** Prints what notices each mutation of a sample, and the totals; returns the exit code. */
export async function runBlind({ count, from, seed, tests }: BlindOptions): Promise<number> {
  const sample = sampleOf(seed, count).slice(from);
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: ROOT, encoding: "utf8" });
  const totals = new Map<Result, number>(RESULTS.map((result) => [result, 0]));
  const report = (mutation: BlindMutation, [result, detail]: Verdict) => {
    totals.set(result, (totals.get(result) ?? 0) + 1);
    process.stdout.write(`${result}\t${mutation.operator}\t${mutation.title}\t${detail}\n`);
  };
  if (tests) await byTests(sample, report);
  else await byContract(sample, report);
  const figures = [...totals].map(([result, number]) => `${number} ${result}`).join(", ");
  process.stdout.write(`seed ${seed}, commit ${commit.trim()}: ${figures} of ${sample.length}\n`);
  return 0;
}

type Report = (mutation: BlindMutation, verdict: Verdict) => void;

async function byTests(sample: readonly BlindMutation[], report: Report): Promise<void> {
  const copy = copyOfProject();
  try {
    for (const mutation of sample) {
      const { failed, isUsual } = await testsOf(copy, mutation);
      if (failed === undefined) report(mutation, ["survived", ""]);
      else report(mutation, isUsual ? ["not run", `without the change: ${failed}`] : ["FAIL", failed]);
    }
  } finally {
    copy.remove();
  }
}

async function byContract(sample: readonly BlindMutation[], report: Report): Promise<void> {
  const bundling = { entries: ["test/blind/child.ts"], plugins: [switches(sample)], banner: SWITCH_CODE };
  await withBundles(bundling, async (dist) => {
    const file = join(dist, "test/blind/child.mjs");
    let child = await startChild(file, -1);
    try {
      const base = await ask(child, { active: -1, isBail: false });
      const wrong = base?.findings.filter(({ verdict }) => verdict !== "PASS") ?? [];
      if (!base || wrong.length > 0)
        throw new Error(`contract run finds without a mutation: ${JSON.stringify(wrong.slice(0, 5))}`);
      for (const [id, mutation] of sample.entries()) {
        const isOnLoad = mutation.isOnLoad || base.loaded.includes(id);
        const cases = casesFor(id, base, isOnLoad);
        if (cases.length === 0) {
          report(mutation, ["not reached", ""]);
          continue;
        }
        if (isOnLoad) child = await replace(child, file, id);
        const outcome = await ask(child, { active: id, cases, isBail: true });
        report(mutation, verdictOf(outcome));
        if (!outcome || isOnLoad) child = await replace(child, file, -1);
      }
    } finally {
      child.kill("SIGKILL");
    }
  });
}

/** For what hangs, not for what is slow: a case itself waits 60 s for a reply. */
const ONE_CASE_MS = 75_000;

/** The cases that reach a place, the cheapest first; all of them for a place that is reached by loading. */
function casesFor(id: number, { reached, cpuMs }: Outcome, isOnLoad: boolean): readonly string[] {
  return Object.keys(reached)
    .filter((name) => isOnLoad || reached[name]?.includes(id))
    .sort((a, b) => (cpuMs[a] ?? 0) - (cpuMs[b] ?? 0));
}

function verdictOf(outcome: Outcome | undefined): Verdict {
  if (!outcome) return ["FAIL", "the process ended, or a case did not"];
  const { findings } = outcome;
  const failed = findings.find(({ verdict }) => verdict === "FAIL");
  const difference = findings.find(({ verdict }) => verdict === "NON-STRICT" || verdict === "UNSPECIFIED");
  if (failed) return ["FAIL", `${failed.id}: ${failed.text.split("\n")[0]}`];
  return difference ? ["difference", `${difference.id}: ${difference.text}`] : ["survived", ""];
}

/** Every source that has mutations, with all of them. */
function switches(sample: readonly BlindMutation[]): Plugin {
  const numbered = sample.map((mutation, id) => ({ ...mutation, id }));
  return {
    name: "switches",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const changes = numbered.filter(({ file }) => file === relative(ROOT, path));
        if (changes.length === 0) return undefined;
        return { contents: withSwitches(readFileSync(path, "utf8"), changes), loader: "ts" };
      });
    },
  };
}

async function startChild(file: string, active: number): Promise<ChildProcess> {
  const env = { ...process.env, BLIND_CHANGE: String(active) };
  const child = fork(file, { cwd: ROOT, env, stdio: ["ignore", "ignore", "ignore", "ipc"] });
  await Promise.race([once(child, "message"), once(child, "exit")]);
  return child;
}

async function replace(child: ChildProcess, file: string, active: number): Promise<ChildProcess> {
  child.kill("SIGKILL");
  return startChild(file, active);
}

/** Undefined if the child ends first, or no case of it ends in time. */
async function ask(child: ChildProcess, question: Question): Promise<Outcome | undefined> {
  if (child.exitCode !== null || !child.connected) return undefined;
  child.send(question);
  return new Promise((resolve) => {
    const end = (outcome?: Outcome) => {
      clearTimeout(timer);
      child.off("message", onMessage).off("exit", onExit);
      resolve(outcome);
    };
    const onMessage = (message: Answer) => {
      if (message === "case") timer.refresh();
      else end(message);
    };
    const onExit = () => end();
    const timer = setTimeout(() => end(), ONE_CASE_MS);
    child.on("message", onMessage).on("exit", onExit);
  });
}
