import { readdirSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { shellWord } from "../emulator/client/shell.ts";
import { readScenario, SCENARIO_NAME, type Scenario, ScenarioProblem } from "./document.ts";
import { EnvironmentError, type Environments } from "./environment.ts";
import { compareGolden, type Drift } from "./golden.ts";
import { type Failure, runScenario, type ScenarioRun } from "./run-scenario.ts";
import { INTERRUPTED, untilStopped } from "./until-stopped.ts";

const DEFAULT_SEED = 1;
/** Maximum parallelism: each job may start an emulator with its ports. */
const MAX_OPEN_WORLDS = 16;

/** The outcome of a scenario. */
export interface Outcome {
  readonly name: string;
  readonly file: string;
  readonly sentence: string;
  /** `broken`: could not be played; `not run`: interrupted before its end. */
  readonly verdict: "passed" | "failed" | "drifted" | "broken" | "not run";
  readonly durationMs: number;
  readonly steps: number;
  readonly seed: number | undefined;
  readonly failure: Failure | undefined;
  readonly drift: Drift | undefined;
  readonly problem: string | undefined;
  /** Warnings of the emulator, such as unused fields; they change no verdict. */
  readonly warnings: readonly string[];
  /** True if its world is kept in the state after the failed step. */
  readonly isKept: boolean;
  /** The command that repeats it. */
  readonly again: string;
}

export interface ReplayOptions {
  readonly cwd: string;
  /** Number of scenarios played in parallel. */
  readonly jobs: number;
  readonly environments: Environments;
  /** Overrides the seed of each scenario. */
  readonly seed?: number;
  readonly update?: boolean;
  /** Keeps the worlds of the first failed scenarios until the environments are closed. */
  readonly keep?: boolean;
  /** When it is aborted, no further scenario begins and running ones are abandoned. */
  readonly stop?: AbortSignal;
  /** Arguments of the command that repeats a scenario, such as `--target <url>`. */
  readonly againFlags?: readonly string[];
  /** Plays a scenario, if not here. */
  readonly play?: (scenario: Scenario) => Promise<Outcome>;
  /** Called with each outcome, in the order of completion. */
  readonly onOutcome?: (outcome: Outcome, done: number) => void;
}

/** The scenario files of the operands; folders are searched recursively, without `node_modules`. */
export function scenarioFiles(operands: readonly string[], cwd: string): readonly string[] {
  const scenarioPaths = operands.flatMap((operand) => {
    const path = resolve(cwd, operand);
    const kind = statSync(path, { throwIfNoEntry: false });
    if (kind === undefined) throw new ScenarioProblem(`${operand}: no such file or folder`);
    if (!kind.isDirectory()) return [path];
    return [...filesBelow(path)].sort();
  });
  if (scenarioPaths.length === 0)
    throw new ScenarioProblem(`${operands.join(", ")}: contains no *.scenario.yaml`);
  return [...new Set(scenarioPaths)];
}

/** Installed packages may contain scenarios, which are not the user's. */
const SKIPPED_FOLDERS = new Set(["node_modules", ".git"]);

function* filesBelow(folder: string): Iterable<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) {
      if (SCENARIO_NAME.test(entry.name)) yield path;
    } else if (!SKIPPED_FOLDERS.has(entry.name)) yield* filesBelow(path);
  }
}

/** Reads all scenarios before playing the first. Throws `ScenarioProblem` with all problems of all files. */
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

/** Plays scenarios in parallel, each in its own environment; outcomes are in the order of the scenarios. */
export async function replay(
  scenarios: readonly Scenario[],
  options: ReplayOptions,
): Promise<readonly Outcome[]> {
  const { jobs, environments } = options;
  const { play = (scenario) => playScenario(scenario, options, shouldKeepOpen) } = options;
  const outcomes: Outcome[] = [];
  const waiting = scenarios.map((scenario, index) => ({ scenario, index }));
  let openWorldCount = 0;
  let done = 0;
  function shouldKeepOpen({ failure }: ScenarioRun): boolean {
    if (failure === undefined || options.keep !== true || openWorldCount >= MAX_OPEN_WORLDS) return false;
    openWorldCount += 1;
    return true;
  }
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { scenario, index } = next;
      const outcome = await untilStopped(() => play(scenario), options.stop);
      outcomes[index] = outcome === INTERRUPTED ? notRun(scenario, options) : outcome;
      if (outcome === INTERRUPTED) continue;
      done += 1;
      options.onOutcome?.(outcome, done);
    }
  }
  const count = Math.max(1, Math.min(jobs, environments.maxOpen ?? jobs, scenarios.length));
  await Promise.all(Array.from({ length: count }, work));
  return outcomes;
}

/** Plays one scenario in its own environment. */
export async function playScenario(
  scenario: Scenario,
  options: Pick<ReplayOptions, "cwd" | "environments" | "seed" | "update" | "againFlags">,
  shouldKeepOpen: (result: ScenarioRun) => boolean = () => false,
): Promise<Outcome> {
  const { environments, seed = scenario.seed, update = false } = options;
  const startedAt = performance.now();
  let isKept = environments.keepsWorlds === true;
  try {
    const result = await runScenario({ ...scenario, seed }, environments, (each) => {
      const isKeptOpen = shouldKeepOpen(each);
      isKept ||= isKeptOpen;
      return isKeptOpen;
    });
    const drift = result.failure ? undefined : driftOf(scenario, result, update);
    const verdict = result.failure ? "failed" : drift?.kind === "drifted" ? "drifted" : "passed";
    const { steps, failure, warnings } = result;
    return {
      ...baseOutcome(scenario, options, result.seed),
      ...{ verdict, durationMs: performance.now() - startedAt, steps, failure, warnings, drift, isKept },
    };
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    const durationMs = performance.now() - startedAt;
    return {
      ...baseOutcome(scenario, options, seed),
      ...{ verdict: "broken", durationMs, problem: error.message },
    };
  }
}

function notRun(scenario: Scenario, options: ReplayOptions): Outcome {
  const { environments, seed = scenario.seed } = options;
  const isKept = environments.keepsWorlds === true;
  return { ...baseOutcome(scenario, options, seed), verdict: "not run", problem: INTERRUPTED, isKept };
}

/** The outcome of a scenario of which no step was played, without its verdict. */
function baseOutcome(
  { name, file, sentence }: Scenario,
  { cwd, againFlags = [] }: Pick<ReplayOptions, "cwd" | "againFlags">,
  seed: number | undefined,
): Omit<Outcome, "verdict"> {
  const again = replayLine(file, cwd, [...(seed === undefined ? [] : [`--seed ${seed}`]), ...againFlags]);
  return {
    ...{ name, file, sentence, durationMs: 0, steps: 0, seed, again },
    ...{ failure: undefined, drift: undefined, problem: undefined, warnings: [], isKept: false },
  };
}

/** Journals are compared only for the scenario's own seed, since ids depend on it. */
function driftOf({ file, seed }: Scenario, result: ScenarioRun, update: boolean): Drift {
  if (result.seed !== (seed ?? DEFAULT_SEED)) return { kind: "none" };
  return compareGolden(file, result.journal, update);
}

/** The command that replays a file with these flags. */
export function replayLine(file: string, cwd: string, flags: readonly string[]): string {
  const near = relative(cwd, file);
  return ["npx emulator replay", shellWord(near.startsWith("..") ? file : near), ...flags].join(" ");
}
