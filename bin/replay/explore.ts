import { availableParallelism } from "node:os";
import { playUnder } from "../../scenarios/conditions.ts";
import { type ExplorationReport, explore, type Subject } from "../../scenarios/exploration.ts";
import { explorationCounts, explorationReport, summaryLine } from "../../scenarios/exploration-reports.ts";
import { readScenarios, replayLine, scenarioFiles, shellWord } from "../../scenarios/replay.ts";
import { type Invocation, UsageError } from "../command.ts";
import { openProgress } from "../progress.ts";
import { firstSignal, untilSignal } from "../signals.ts";
import { countOf } from "../values.ts";
import { boundsOf } from "./bounds.ts";
import { openInProcess } from "./in-process.ts";
import { deliver, jobsOf, operandsOf, reportOf, SEEDS } from "./play.ts";
import { type Way, wayOf } from "./way.ts";

/** Flags of `replay` that need one world, or its own journal. */
const APART = ["target", "world", "record", "update", "keep"] as const;

/** `replay --vary` and `--sweep`: plays scenarios again in other ways, and reports where they do not hold. */
export async function exploreScenarios(invocation: Invocation): Promise<number> {
  const { flags, cwd } = invocation;
  const apart = APART.find((name) => flags[name] !== undefined);
  if (apart !== undefined)
    throw new UsageError(`--${apart}: not with --vary or --sweep, which start emulators of their own`);
  const way = wayOf(invocation, false);
  const seed = countOf(invocation, "seed", SEEDS);
  const scenarios = readScenarios(scenarioFiles(operandsOf(invocation), cwd));
  const environments = openInProcess();
  const again = [way.flag, ...(seed === undefined ? [] : [`--seed ${seed}`])];
  const subjects = scenarios.map(
    (scenario): Subject => ({
      name: scenario.name,
      file: scenario.file,
      play: (conditions) =>
        playUnder(seed === undefined ? scenario : { ...scenario, seed }, environments, conditions),
      again: (trial) => replayLine(scenario.file, cwd, [...again, `--only ${shellWord(trial)}`]),
    }),
  );
  return exploreSubjects(invocation, subjects, way, availableParallelism(), environments.close);
}

/** Explores subjects and reports it; `close` is called in any case. */
export async function exploreSubjects(
  invocation: Invocation,
  subjects: readonly Subject[],
  { exploration, perSubject }: Way,
  usualJobs: number,
  close: () => Promise<void>,
): Promise<number> {
  const { flags, cwd } = invocation;
  const report = reportOf(invocation);
  const jobs = jobsOf(invocation, usualJobs);
  const bounds = boundsOf(invocation);
  const interrupted = firstSignal();
  const progress = openProgress(invocation, "runs");
  try {
    const explored = explore(subjects, exploration, {
      ...bounds,
      perSubject: flags.all === true ? undefined : perSubject,
      jobs,
      onProgress: (done, total, latest) => progress.show(latest, done, total),
    });
    const outcome = await untilSignal(explored, progress.account, interrupted);
    progress.clear();
    const exitCode = exitCodeOf(outcome);
    deliver(invocation, exitCode > 0, explorationReport(report, outcome, cwd), summaryLine(outcome));
    return exitCode;
  } finally {
    progress.clear();
    await close();
  }
}

/** Exit codes: 1 where something differs or a baseline does not pass, 2 where a trial cannot be played. */
export function exitCodeOf(report: ExplorationReport): number {
  const { differs, refused, broken } = explorationCounts(report);
  if (differs + refused > 0) return 1;
  return broken > 0 ? 2 : 0;
}
