import { readdirSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { readScenario, SCENARIO_NAME, type Scenario, ScenarioProblem } from "./document.ts";
import { EnvironmentError, type Environments } from "./environment.ts";
import { compareGolden, type Drift } from "./golden.ts";
import { type Failure, runScenario, type ScenarioRun } from "./run-scenario.ts";

/** Of an emulator that is told none. */
const DEFAULT_SEED = 1;
/** Each may hold an emulator with its ports. */
const KEPT_MAX = 16;

/** How a scenario went. */
export interface Outcome {
  readonly name: string;
  readonly file: string;
  readonly sentence: string;
  /** `broken` could not be played at all. */
  readonly verdict: "passed" | "failed" | "drifted" | "broken";
  readonly durationMs: number;
  readonly steps: number;
  readonly seed: number | undefined;
  readonly failure: Failure | undefined;
  readonly drift: Drift | undefined;
  readonly problem: string | undefined;
  /** True when its world is as the step left it that failed, for whoever looks into it. */
  readonly isKept: boolean;
  /** A command that does it again. */
  readonly again: string;
}

/** How scenarios are played. */
export interface ReplayOptions {
  readonly cwd: string;
  /** How many are played at the same time. */
  readonly jobs: number;
  readonly environments: Environments;
  /** Instead of the seed that the scenario names. */
  readonly seed?: number;
  readonly update?: boolean;
  /** Lets the worlds stay in which scenarios failed, the first ones, until the environments are closed. */
  readonly keep?: boolean;
  /** What is given to the command that does it again, such as `--target <url>`. */
  readonly againFlags?: readonly string[];
}

/** The scenario files that operands name: files as they are, folders with all that is below them but `node_modules`. */
export function scenarioFiles(operands: readonly string[], cwd: string): readonly string[] {
  const found = operands.flatMap((operand) => {
    const path = resolve(cwd, operand);
    const kind = statSync(path, { throwIfNoEntry: false });
    if (kind === undefined) throw new ScenarioProblem(`${operand}: no such file or folder`);
    if (!kind.isDirectory()) return [path];
    return [...filesBelow(path)].sort();
  });
  if (found.length === 0)
    throw new ScenarioProblem(
      `${operands.join(", ")}: no *.scenario.yaml in there; an empty run proves nothing`,
    );
  return [...new Set(found)];
}

/** Packages bring scenarios of their own, those of this one among them. */
const SKIPPED_FOLDERS = new Set(["node_modules", ".git"]);

function* filesBelow(folder: string): Iterable<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) {
      if (SCENARIO_NAME.test(entry.name)) yield path;
    } else if (!SKIPPED_FOLDERS.has(entry.name)) yield* filesBelow(path);
  }
}

/** Reads all of them before the first is played; throws every problem of every file. */
export function readScenarios(files: readonly string[]): readonly Scenario[] {
  const problems: string[] = [];
  const scenarios = files.flatMap((file) => {
    try {
      return [readScenario(file)];
    } catch (error) {
      if (!(error instanceof ScenarioProblem)) throw error;
      problems.push(error.message);
      return [];
    }
  });
  if (problems.length > 0) throw new ScenarioProblem(problems.join("\n"));
  return scenarios;
}

/** Plays scenarios, some at a time, each in an environment of its own; outcomes come in the order of the scenarios. */
export async function replay(
  scenarios: readonly Scenario[],
  options: ReplayOptions,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = scenarios.map((scenario, index) => ({ scenario, index }));
  let kept = 0;
  function shouldKeepOpen({ failure }: ScenarioRun): boolean {
    if (failure === undefined || options.keep !== true || kept >= KEPT_MAX) return false;
    kept += 1;
    return true;
  }
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift())
      outcomes[next.index] = await runOne(next.scenario, options, shouldKeepOpen);
  }
  const { jobs, environments } = options;
  const count = Math.max(1, Math.min(jobs, environments.maxOpen ?? jobs, scenarios.length));
  await Promise.all(Array.from({ length: count }, work));
  return outcomes;
}

async function runOne(
  scenario: Scenario,
  options: ReplayOptions,
  shouldKeepOpen: (result: ScenarioRun) => boolean,
): Promise<Outcome> {
  const { environments, seed = scenario.seed, update = false } = options;
  const begun = performance.now();
  const common = { name: scenario.name, file: scenario.file, sentence: scenario.sentence };
  const rest = { failure: undefined, drift: undefined, problem: undefined, isKept: false };
  let isKept = environments.keepsWorlds === true;
  try {
    const result = await runScenario({ ...scenario, seed }, environments, (each) => {
      const isKeptOpen = shouldKeepOpen(each);
      isKept ||= isKeptOpen;
      return isKeptOpen;
    });
    const drift = result.failure ? undefined : driftOf(scenario, result, update);
    const verdict = result.failure ? "failed" : drift?.kind === "drifted" ? "drifted" : "passed";
    const again = rerunLine(scenario, options, result.seed);
    const durationMs = performance.now() - begun;
    return {
      ...common,
      ...rest,
      verdict,
      durationMs,
      steps: result.steps,
      seed: result.seed,
      failure: result.failure,
      drift,
      isKept,
      again,
    };
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    const again = rerunLine(scenario, options, seed);
    const durationMs = performance.now() - begun;
    return {
      ...common,
      ...rest,
      verdict: "broken",
      durationMs,
      steps: 0,
      seed,
      problem: error.message,
      again,
    };
  }
}

/** A journal is that of one seed: with another every id is another. */
function driftOf({ file, seed }: Scenario, result: ScenarioRun, update: boolean): Drift {
  if (result.seed !== (seed ?? DEFAULT_SEED)) return { kind: "none" };
  return compareGolden(file, result.journal, update);
}

function rerunLine(
  { file }: Scenario,
  { cwd, againFlags = [] }: ReplayOptions,
  seed: number | undefined,
): string {
  const near = relative(cwd, file);
  const words = ["npx emulator replay", shellWord(near.startsWith("..") ? file : near)];
  if (seed !== undefined) words.push(`--seed ${seed}`);
  return [...words, ...againFlags].join(" ");
}

function shellWord(text: string): string {
  return /^[\w./:\\@%+=,~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
