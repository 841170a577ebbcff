import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Scenario } from "../../scenarios/document.ts";
import type { Environments } from "../../scenarios/environment.ts";
import {
  type Outcome,
  type ReplayOptions,
  readScenarios,
  replay,
  scenarioFiles,
} from "../../scenarios/replay.ts";
import { near, replayReport } from "../../scenarios/reports.ts";
import { runScenario } from "../../scenarios/run-scenario.ts";
import { partOf } from "../../scenarios/shard.ts";
import { type Invocation, UsageError } from "../command.ts";
import { openProgress } from "../progress.ts";
import { formatOf, publish } from "../report-output.ts";
import { firstSignal, reportAlsoWhenStopped, waitForSignal } from "../signals.ts";
import { print, printError } from "../terminal.ts";
import { countOf, FROM_ZERO } from "../values.ts";
import { flagsFor, type TargetAddress, targetAddressOf } from "./address.ts";
import { refuseBounds, refuseEmpty, shardOf } from "./bounds.ts";
import { openInProcess } from "./in-process.ts";
import { readParquet } from "./read-parquet.ts";
import { createThreadPool, openThread } from "./thread-pool.ts";

const MAX_JOBS = 64;

/** How many are played at the same time. Throws `UsageError`. */
export function jobsOf(invocation: Invocation, usual: number): number {
  return countOf(invocation, "jobs", { most: MAX_JOBS }) ?? Math.min(usual, MAX_JOBS);
}

/** `replay`: plays scenarios and reports how they went. */
export async function playScenarios(invocation: Invocation): Promise<number> {
  const { flags, cwd } = invocation;
  refuseBounds(flags);
  const format = formatOf(invocation);
  const seed = countOf(invocation, "seed", FROM_ZERO);
  const jobs = jobsOf(invocation, availableParallelism());
  const address =
    flags.target === undefined ? undefined : targetAddressOf(flags.target, flags.world, "--target", cwd);
  if (address === undefined && flags.world !== undefined)
    throw new UsageError(
      "--world: it is only valid with --target or --record; add one of them, or remove it",
    );
  const capsule = await capsuleOf(invocation, address);
  const allFiles = scenarioFiles(operandsOf(invocation), cwd);
  const { items: files, part } = partOf(allFiles, (file) => near(file, cwd), shardOf(flags));
  refuseEmpty(part, allFiles.length, "scenario");
  const scenarios = readScenarios(files);
  const interrupted = firstSignal();
  const environments = await environmentsAt(address);
  const progress = openProgress(invocation, "scenarios");
  const keep = flags.keep === true;
  const how = { cwd, update: flags.update === true, ...(seed !== undefined && { seed }) };
  // Kept worlds are read in this process, and one job needs no thread.
  const isSpread = address === undefined && !keep && Math.min(jobs, scenarios.length) > 1;
  const threads = isSpread ? createThreadPool(() => openThread(how)) : undefined;
  const options: ReplayOptions = {
    ...how,
    jobs,
    environments,
    keep,
    ...(address && { againFlags: flagsFor(address) }),
    ...(threads && { play: (scenario) => threads.ask({ scenario }) as Promise<Outcome> }),
    onOutcome: ({ name, verdict }, done) => progress.show(`${verdict} ${name}`, done, scenarios.length),
  };
  let outcomes: readonly Outcome[] = [];
  const playing = {
    work: (stop: AbortSignal) => replay(scenarios, { ...options, stop }),
    account: progress.account,
    report(result: readonly Outcome[]) {
      progress.clear();
      outcomes = result;
      const exitCode = exitCodeOf(outcomes);
      const model = replayReport(outcomes, cwd, part);
      publish(invocation, model, { format, page: "replay", isLoud: exitCode > 0 });
      return exitCode;
    },
  };
  try {
    const exitCode = await reportAlsoWhenStopped(playing, interrupted);
    await keepFailed(invocation, capsule, { scenarios, outcomes, environments });
    // Worlds of a running emulator stay without this process.
    if (keep && environments.keepsWorlds !== true && outcomes.some(({ isKept }) => isKept)) {
      printError("the worlds of scenarios that failed stay until you press Ctrl-C");
      await waitForSignal(interrupted);
    }
    return exitCode;
  } finally {
    progress.clear();
    // The worlds of scenarios are removed in any case.
    await Promise.all([environments.close(), threads?.close()]);
  }
}

/** Where a failed scenario is kept. Throws `UsageError` where it could not be written. */
async function capsuleOf(
  { flags, cwd }: Invocation,
  address: TargetAddress | undefined,
): Promise<string | undefined> {
  if (flags.capsule === undefined) return undefined;
  if (address !== undefined)
    throw new UsageError(
      "--capsule: it cannot be combined with --target, because the earlier requests of its world are not known; remove it",
    );
  const file = resolve(cwd, String(flags.capsule));
  await (await import("../capsule/file.ts")).checkCapsule(file);
  return file;
}

interface PlayedAll {
  readonly scenarios: readonly Scenario[];
  readonly outcomes: readonly Outcome[];
  readonly environments: Environments;
}

/** Plays the first scenario that failed once more, and keeps all that repeats it. */
async function keepFailed(
  invocation: Invocation,
  file: string | undefined,
  { scenarios, outcomes, environments }: PlayedAll,
): Promise<void> {
  const failure = outcomes.find(({ verdict }) => verdict === "failed");
  const scenario = scenarios.find((each) => each.file === failure?.file);
  if (file === undefined || failure === undefined || scenario === undefined) return;
  const { scenarioParts } = await import("../../emulator/runtime/capsules/parts.ts");
  const { writeCapsule } = await import("../../emulator/runtime/capsules/file.ts");
  const { withFileErrors } = await import("../capsule/file.ts");
  const run = await runScenario({ ...scenario, seed: failure.seed }, environments);
  await withFileErrors(() => writeCapsule(file, scenarioParts(scenario, run, failure.again)));
  if (invocation.flags.quiet === true) return;
  // A report for programs stands alone.
  const tell = formatOf(invocation) === "pretty" ? print : printError;
  tell(
    `${failure.name} is kept in ${file}; repeat it with \`npx emulator replay ${file}\`, look at it with \`npx emulator open ${file}\``,
  );
}

async function environmentsAt(address: TargetAddress | undefined): Promise<Environments> {
  if (address === undefined) return openInProcess();
  const { openTarget } = await import("../../scenarios/target.ts");
  return openTarget(address.url, address.world, readParquet).catch((error: Error) => {
    throw error.name === "EnvironmentError" ? new UsageError(`--target: ${error.message}`) : error;
  });
}

/** Exit codes: 2 for a scenario that could not be played, 1 for a failure, 3 for drift, 0 for success. */
export function exitCodeOf(outcomes: readonly Outcome[]): number {
  const verdicts = new Set(outcomes.map(({ verdict }) => verdict));
  if (verdicts.has("failed")) return 1;
  if (verdicts.has("broken")) return 2;
  return verdicts.has("drifted") ? 3 : 0;
}

/** The files and folders that are named, or those of the package. */
export function operandsOf({ operands }: Invocation): readonly string[] {
  return operands.length > 0 ? operands : [shippedFolder()];
}

/** The folder of the scenarios shipped with the package, above the sources and above the bundle. */
function shippedFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (; dirname(folder) !== folder; folder = dirname(folder)) {
    const shipped = join(folder, "scenarios", "shipped");
    if (existsSync(shipped)) return shipped;
  }
  throw new Error("the scenarios of this package are missing");
}
