import { availableParallelism } from "node:os";
import { REPORTERS } from "../../contracts/report/write.ts";
import { type ExplorationOptions, type ExplorationReport, explore } from "../../scenarios/exploration.ts";
import { explorationCounts, explorationReport, isEmpty } from "../../scenarios/exploration-reports.ts";
import { scenarioFiles } from "../../scenarios/replay.ts";
import type { Subject } from "../../scenarios/trials.ts";
import { type Invocation, UsageError } from "../command.ts";
import { openProgress } from "../progress.ts";
import { formatOf, publish } from "../report-output.ts";
import { firstSignal, reportAlsoWhenStopped } from "../signals.ts";
import { countOf, FROM_ZERO } from "../values.ts";
import { boundsOf } from "./bounds.ts";
import { openInProcess } from "./in-process.ts";
import { jobsOf, operandsOf } from "./play.ts";
import { type SubjectFiles, subjectsOf } from "./subjects.ts";
import { openThread } from "./thread-pool.ts";
import { spreadTrials } from "./trial-threads.ts";
import { type Way, wayOf } from "./way.ts";

/** Flags of `replay` that need one world, or its own journal. */
const APART = ["target", "world", "record", "update", "keep"] as const;

/** `replay --vary` and `--sweep`: plays scenarios again in other ways, and reports where they do not hold. */
export async function exploreScenarios(invocation: Invocation): Promise<number> {
  const { flags, cwd } = invocation;
  const apart = APART.find((name) => flags[name] !== undefined);
  if (apart !== undefined)
    throw new UsageError(
      `--${apart}: it cannot be combined with --vary or --sweep, which start their own emulators; remove it`,
    );
  const way = wayOf(invocation, false);
  const seed = countOf(invocation, "seed", FROM_ZERO);
  const files = scenarioFiles(operandsOf(invocation), cwd);
  const subjectFiles: SubjectFiles = { files, cwd, seed, flag: way.flag };
  const environments = openInProcess();
  const subjects = subjectsOf(subjectFiles, environments);
  const jobs = jobsOf(invocation, availableParallelism());
  const trials = spreadTrials({ subjects, openThread: () => openThread({ subjects: subjectFiles, flags }) });
  return exploreSubjects(invocation, way, { subjects, trials, jobs }, async () => {
    await Promise.all([environments.close(), trials.close()]);
  });
}

interface Explored extends Required<Pick<ExplorationOptions, "trials" | "jobs">> {
  readonly subjects: readonly Subject[];
}

/** Explores subjects and reports it; `close` is called in any case. */
export async function exploreSubjects(
  invocation: Invocation,
  { exploration, perSubject }: Way,
  { subjects, trials, jobs }: Explored,
  close: () => Promise<void>,
): Promise<number> {
  const { flags, cwd } = invocation;
  const format = formatOf(invocation, REPORTERS);
  const bounds = boundsOf(invocation);
  const interrupted = firstSignal();
  const progress = openProgress(invocation, "runs");
  try {
    const options: ExplorationOptions = {
      ...bounds,
      perSubject: flags.all === true ? undefined : perSubject,
      jobs,
      trials,
      onProgress: (done, total, latest) => progress.show(latest, done, total),
    };
    const exploring = {
      work: (stop: AbortSignal) => explore(subjects, exploration, { ...options, stop }),
      account: progress.account,
      report(outcome: ExplorationReport) {
        progress.clear();
        refuseUnknown(bounds, outcome);
        const exitCode = exitCodeOf(outcome);
        publish(invocation, explorationReport(outcome, cwd), { format, isLoud: exitCode > 0 });
        return exitCode;
      },
    };
    return await reportAlsoWhenStopped(exploring, interrupted);
  } finally {
    progress.clear();
    await close();
  }
}

/** Nothing held because nothing was played. */
function refuseUnknown(
  { only }: Pick<ExplorationOptions, "only">,
  { results, notRun, refused }: ExplorationReport,
): void {
  if (only === undefined || results.length + notRun.length + refused.length > 0) return;
  throw new UsageError(
    `--only: nothing here is named ${JSON.stringify(only)}, or depends on it; the report without --only has the names`,
  );
}

/** Exit codes: 1 where something differs, a baseline does not pass or nothing was run; 2 where a trial cannot be played. */
export function exitCodeOf(report: ExplorationReport): number {
  const { differs, refused, broken } = explorationCounts(report);
  if (differs + refused > 0 || isEmpty(report)) return 1;
  return broken > 0 ? 2 : 0;
}
