import { existsSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readLocator } from "../../emulator/storage/locator.ts";
import type { Environments } from "../../scenarios/environment.ts";
import type { Outcome } from "../../scenarios/replay.ts";
import type { ReportName } from "../../scenarios/reports.ts";
import { type Command, CommandFailure, type Invocation, UsageError } from "../command.ts";
import { exitCodeAfter, firstSignal, waitedFor } from "../signals.ts";
import { print, printError } from "../terminal.ts";

const MAX_JOBS = 64;

export const command: Command = {
  summary: "play scenario files; without operands those that come with the emulator",
  operands: ["[files or folders…]"],
  flags: {
    target: {
      value: "<url>|<dir>",
      help: "play on the emulator that runs there (its address or data folder), each scenario in a world that is made for it",
    },
    world: {
      value: "<id>",
      help: "with --target or --record: this world, which --target empties for each scenario",
    },
    record: {
      value: "<url>|<dir>",
      help: "write what a running emulator (its address or data folder) was asked as a scenario into the file given",
    },
    update: { help: "write the journals that later ones are compared with" },
    keep: { help: "let the worlds of scenarios that fail stay, to look into them, until you press Ctrl-C" },
    seed: { value: "<n>", help: "instead of the seed of each scenario" },
    jobs: { value: "<n>", help: "how many are played at the same time (default: one for each processor)" },
    report: { value: "pretty|junit|json|md", help: "form of the report (default pretty)" },
    schema: { help: "print the JSON Schema of scenario files, and play nothing" },
    output: { value: "<file>", help: "file for the report (default: standard output)" },
  },
  run,
};

async function run(invocation: Invocation): Promise<number> {
  if (invocation.flags.schema === true) return printSchema();
  const { ScenarioProblem } = await import("../../scenarios/document.ts");
  try {
    const { record } = invocation.flags;
    return record === undefined ? await replayed(invocation) : await recorded(invocation, record);
  } catch (error) {
    if (error instanceof ScenarioProblem) throw new UsageError(error.message);
    throw error;
  }
}

async function printSchema(): Promise<number> {
  const { scenarioSchema } = await import("../../scenarios/schema.ts");
  print(JSON.stringify(scenarioSchema(), null, 2));
  return 0;
}

async function replayed(invocation: Invocation): Promise<number> {
  const { flags, operands, cwd } = invocation;
  const { readScenarios, replay, scenarioFiles } = await import("../../scenarios/replay.ts");
  const report = reportOf(invocation);
  const seed = countOf(flags.seed, "--seed", 0, Number.MAX_SAFE_INTEGER);
  const jobs = countOf(flags.jobs, "--jobs", 1, MAX_JOBS) ?? Math.min(availableParallelism(), MAX_JOBS);
  const address =
    flags.target === undefined ? undefined : targetAddressOf(flags.target, flags.world, "--target", cwd);
  if (address === undefined && flags.world !== undefined)
    throw new UsageError("--world: name the emulator as well, with --target");
  const scenarios = readScenarios(scenarioFiles(operands.length > 0 ? operands : [shippedFolder()], cwd));
  const interrupted = firstSignal();
  const environments = await environmentsAt(address);
  const played = replay(scenarios, {
    cwd,
    jobs,
    environments,
    update: flags.update === true,
    keep: flags.keep === true,
    ...(address && { againFlags: flagsFor(address) }),
    ...(seed !== undefined && { seed }),
  });
  try {
    const outcomes = await Promise.race([played, interrupted]);
    if (typeof outcomes === "string") return exitCodeAfter(outcomes);
    await publish(invocation, report, outcomes);
    // Worlds that last by themselves stay without anybody who waits.
    if (flags.keep === true && environments.keepsWorlds !== true && outcomes.some(({ isKept }) => isKept)) {
      printError("the worlds of scenarios that failed stay until you press Ctrl-C");
      await waitedFor(interrupted);
    }
    return exitCodeOf(outcomes);
  } finally {
    // The worlds that scenarios are played in go in any case.
    await environments.close();
  }
}

async function environmentsAt(address: TargetAddress | undefined): Promise<Environments> {
  if (address === undefined) return (await import("../replay/in-process.ts")).openInProcess();
  const { openTarget } = await import("../../scenarios/target.ts");
  return openTarget(address.url, address.world).catch((error: Error) => {
    throw error.name === "StageProblem" ? new UsageError(`--target: ${error.message}`) : error;
  });
}

async function recorded(invocation: Invocation, from: string | boolean): Promise<number> {
  const { flags, operands, cwd } = invocation;
  const [file, second] = operands;
  if (file === undefined || second !== undefined || !file.endsWith(".scenario.yaml"))
    throw new UsageError("--record: give one file to write, such as seen.scenario.yaml");
  const url = addressOf(targetAddressOf(from, flags.world, "--record", cwd));
  const { record } = await import("../../scenarios/recording.ts");
  const { text, steps, warnings } = await record(url).catch((error: Error) => {
    throw new CommandFailure(error.message);
  });
  write(resolve(cwd, file), text, flags.update === true);
  for (const warning of warnings) printError(warning);
  if (flags.quiet !== true) print(`${file}: ${steps} steps; play it with \`npx emulator replay ${file}\``);
  return 0;
}

/** A scenario that is there already is only overwritten when that is asked for. */
function write(file: string, text: string, isUpdate: boolean): void {
  try {
    writeFileSync(file, text, { flag: isUpdate ? "w" : "wx" });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === "EEXIST" ? "is there already; overwrite it with --update" : `cannot be written (${code})`;
    throw new UsageError(`--record: ${file} ${why}`);
  }
}

/** Played at all, played as told, and played as before. */
function exitCodeOf(outcomes: readonly Outcome[]): number {
  const verdicts = new Set(outcomes.map(({ verdict }) => verdict));
  if (verdicts.has("failed")) return 1;
  if (verdicts.has("broken")) return 2;
  return verdicts.has("drifted") ? 3 : 0;
}

async function publish(
  { flags, cwd }: Invocation,
  name: ReportName,
  outcomes: readonly Outcome[],
): Promise<void> {
  const { report } = await import("../../scenarios/reports.ts");
  const text = report(name, outcomes, cwd);
  if (typeof flags.output !== "string") {
    if (flags.quiet !== true || exitCodeOf(outcomes) > 0) print(text);
    return;
  }
  try {
    writeFileSync(resolve(cwd, flags.output), `${text}\n`);
  } catch (error) {
    throw new UsageError(
      `--output: ${flags.output} cannot be written (${(error as NodeJS.ErrnoException).code})`,
    );
  }
  if (flags.quiet !== true) print(report("pretty", outcomes, cwd));
}

function reportOf({ flags }: Invocation): ReportName {
  const name = flags.report ?? (flags.json === true ? "json" : "pretty");
  if (name === "pretty" || name === "junit" || name === "json" || name === "md") return name;
  throw new UsageError(`--report: "${String(name)}" will not do; give pretty, junit, json or md`);
}

function countOf(
  value: string | boolean | undefined,
  flag: string,
  least: number,
  most: number,
): number | undefined {
  if (value === undefined) return undefined;
  const count = /^\d+$/.test(String(value)) ? Number(value) : Number.NaN;
  if (count >= least && count <= most) return count;
  throw new UsageError(`${flag}: "${String(value)}" will not do; give a number from ${least} to ${most}`);
}

/** An emulator that runs, and the world of it that is meant when one is. */
interface TargetAddress {
  readonly url: string;
  readonly world: string | undefined;
}

/** An address, or the folder or file of a locator that holds one; `/w/<world>` behind it names a world. */
function targetAddressOf(
  value: string | boolean,
  world: string | boolean | undefined,
  flag: string,
  cwd: string,
): TargetAddress {
  const named = world === undefined ? undefined : String(world);
  const text = String(value);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return { url: locatedAt(text, flag, cwd), world: named };
  const [, inPath] = /^(?:\/w\/([^/]+))?\/?$/.exec(url.pathname) ?? [undefined, ""];
  if (inPath === "")
    throw new UsageError(`${flag}: "${text}" has a path that names no world; give ${url.origin}`);
  if (inPath !== undefined && named !== undefined && inPath !== named)
    throw new UsageError(`--world: ${flag} names the world ${inPath} already`);
  return { url: url.origin, world: named ?? inPath };
}

function locatedAt(text: string, flag: string, cwd: string): string {
  const path = resolve(cwd, text);
  const locator = readLocator(path.endsWith("locator.json") ? dirname(path) : path);
  if (locator !== undefined) return locator.url;
  throw new UsageError(
    `${flag}: "${text}" is neither an address such as http://127.0.0.1:4700 nor a locator`,
  );
}

function addressOf({ url, world = "main" }: TargetAddress): string {
  return world === "main" ? url : `${url}/w/${encodeURIComponent(world)}`;
}

function flagsFor({ url, world }: TargetAddress): readonly string[] {
  return [`--target ${url}`, ...(world === undefined ? [] : [`--world ${world}`])];
}

/** The scenarios that come with the package, which lie above the sources and above the bundle. */
function shippedFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (; dirname(folder) !== folder; folder = dirname(folder)) {
    const shipped = join(folder, "scenarios", "shipped");
    if (existsSync(shipped)) return shipped;
  }
  throw new Error("the scenarios of this package are missing");
}
