import { packageVersion } from "../../emulator/config/package-version.ts";
import { givenBy } from "../../emulator/config/resolve.ts";
import type { Capsule, CapsuleFacts } from "../../emulator/runtime/capsules/file.ts";
import { overlaid } from "../../scenarios/conditions.ts";
import { readScenario, type Scenario, ScenarioProblem } from "../../scenarios/document.ts";
import { EnvironmentError } from "../../scenarios/environment.ts";
import { type Failure, runScenario, type ScenarioRun } from "../../scenarios/run-scenario.ts";
import { type Invocation, UsageError } from "../command.ts";
import { openInProcess } from "../replay/in-process.ts";
import { print, withProgress } from "../terminal.ts";
import { openCapsule } from "./file.ts";

const FAILED = 1;
const DIFFERENT = 3;
const NO_TRUST =
  "it used no environment variables and no other hosts; if the failure needs them and you trust its author, give --trust";

/** `replay x.capsule`: replays it. Exit code 1 if the failure was reproduced, 0 if the result matches a recording, 3 otherwise. */
export async function replayCapsule(file: string, invocation: Invocation): Promise<number> {
  const capsule = await openCapsule(file);
  const environments = openInProcess();
  try {
    const scenario = await scenarioOf(capsule, invocation);
    const playing = runScenario(scenario, environments).catch((error: Error) => {
      throw error instanceof EnvironmentError ? new UsageError(error.message) : error;
    });
    const account = "it was not played to its end";
    const run = await withProgress(invocation, "playing the capsule", playing, account);
    const { lines, isSame } = comparisonOf(capsule, run, invocation.flags.trust === true);
    if (invocation.flags.quiet !== true || !isSame) print([...factLines(capsule), ...lines]);
    return isSame ? (capsule.facts.failure === null ? 0 : FAILED) : DIFFERENT;
  } finally {
    await environments.close();
    capsule.remove();
  }
}

/**
 * The scenario of a capsule, with the seed that it was played with. Somebody else may have written the capsule: without `--trust`
 * its emulator reaches only this machine, uses no environment variables, and reads and writes no files that it names.
 * Throws `UsageError` for a capsule that has gaps.
 */
export async function scenarioOf(
  { scenario, folder, snapshot, facts: { seed, settings, gaps = [] } }: Capsule,
  { flags, cwd }: Invocation,
): Promise<Scenario> {
  if (gaps.length > 0)
    throw new UsageError(
      "the capsule cannot be replayed, because it does not contain everything that happened:",
      ...gaps.map((gap) => `  ${gap}`),
      "Raise the limits that they name, or avoid the gaps, and make the capsule again.",
    );
  const isTrusted = flags.trust === true;
  const definition = readDefinition(scenario, isTrusted ? undefined : folder);
  const ownSettings = overlaid(settings, definition.settings);
  if (!isTrusted) await refuseMachineSettings(ownSettings, cwd);
  const isolation = isTrusted ? {} : { "server.isolated": true };
  const start = snapshot === undefined ? {} : { import: snapshot };
  // A snapshot is imported as the world main.
  const isAlone = definition.isAlone || snapshot !== undefined;
  return { ...definition, seed, isAlone, settings: { ...ownSettings, ...isolation, ...start } };
}

function readDefinition(file: string, folder: string | undefined): Scenario {
  try {
    return readScenario(file, folder);
  } catch (error) {
    throw error instanceof ScenarioProblem ? new UsageError(...error.message.split("\n")) : error;
  }
}

/** Settings of the process, such as files and addresses, are not those of a failure. Throws `UsageError`. */
async function refuseMachineSettings(
  settings: Readonly<Record<string, unknown>>,
  cwd: string,
): Promise<void> {
  const { config, ...options } = settings;
  const paths = (await givenBy({ cwd, options }, [])).map(({ path }) => path);
  if (config !== undefined) paths.push("config");
  const refusedPath = paths.find((path) => /^(server\.|config$|seed_data\.traces)/.test(path));
  if (refusedPath !== undefined)
    throw new UsageError(
      `the capsule has the setting ${refusedPath}, which can read or change files of this machine; if you trust its author, give --trust`,
    );
}

export function factLines({ facts }: Capsule): readonly string[] {
  const { command, version, node, notes, left_out } = facts;
  const hidden = left_out > 0 ? [`secrets replaced: ${left_out}`] : [];
  return [`${command} (version ${version}, Node ${node})`, ...notes, ...hidden];
}

/** Compares a run with the result in the capsule. */
function comparisonOf(
  { facts, journal }: Capsule,
  run: ScenarioRun,
  isTrusted: boolean,
): { readonly lines: readonly string[]; readonly isSame: boolean } {
  const isSame = sameFailure(facts.failure, run.failure);
  // Substitutes of secrets can have another place in it.
  const isComparable = facts.made_by === "replay" && facts.left_out === 0;
  const drift = isComparable && journal !== run.journal ? ["its journal differs"] : [];
  const verdict = facts.failure === null ? "the result matches the recording" : "the failure was reproduced";
  if (isSame) return { isSame, lines: [verdict, ...failureLines(run.failure), ...drift] };
  const before = facts.failure === null ? ["it passed"] : failureLines(facts.failure);
  const now = run.failure === undefined ? ["  it passes"] : failureLines(run.failure);
  return {
    isSame,
    lines: [
      ...["the result differs; it was:", ...before, "and is:", ...now, ...versionLines(facts)],
      ...(isTrusted ? [] : [NO_TRUST]),
    ],
  };
}

function sameFailure(before: CapsuleFacts["failure"], now: Failure | undefined): boolean {
  if (before === null || now === undefined) return before === null && now === undefined;
  return before.label === now.label && before.differences.join("\n") === now.differences.join("\n");
}

function failureLines(failure: CapsuleFacts["failure"] | Failure | undefined): readonly string[] {
  return failure ? [`  ${failure.label}`, ...failure.differences.map((text) => `    ${text}`)] : [];
}

/** The versions are the first that may explain another result. */
function versionLines({ version, node }: CapsuleFacts): readonly string[] {
  const own = packageVersion();
  if (own === version && node === process.version) return [];
  return [`it was made by version ${version} on Node ${node}; this is ${own} on ${process.version}`];
}
