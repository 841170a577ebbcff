import { packageVersion } from "../../emulator/config/package-version.ts";
import type { Capsule, CapsuleFacts } from "../../emulator/runtime/capsules/file.ts";
import { overlaid } from "../../scenarios/conditions.ts";
import { readScenario, type Scenario } from "../../scenarios/document.ts";
import { EnvironmentError } from "../../scenarios/environment.ts";
import { type Failure, runScenario, type ScenarioRun } from "../../scenarios/run-scenario.ts";
import { CommandFailure, type Invocation } from "../command.ts";
import { openInProcess } from "../replay/in-process.ts";
import { print, withProgress } from "../terminal.ts";
import { openCapsule } from "./file.ts";

const FAILED = 1;
const DIFFERENT = 3;

/** `replay x.capsule`: replays it. Exit code 1 if the failure was reproduced, 0 if the result matches a recording, 3 otherwise. */
export async function replayCapsule(file: string, invocation: Invocation): Promise<number> {
  const capsule = await openCapsule(file);
  const environments = openInProcess();
  try {
    const playing = runScenario(scenarioOf(capsule), environments).catch((error: Error) => {
      throw error instanceof EnvironmentError ? new CommandFailure(error.message) : error;
    });
    const account = "it was not played to its end";
    const run = await withProgress(invocation, "playing the capsule", playing, account);
    const { lines, isSame } = comparisonOf(capsule, run);
    if (invocation.flags.quiet !== true || !isSame) print([...factLines(capsule), ...lines]);
    return isSame ? (capsule.facts.failure === null ? 0 : FAILED) : DIFFERENT;
  } finally {
    await environments.close();
    capsule.remove();
  }
}

/** The scenario of a capsule, with the seed that it was played with. */
export function scenarioOf({ scenario, snapshot, facts: { seed, settings } }: Capsule): Scenario {
  const definition = readScenario(scenario);
  const start = snapshot === undefined ? {} : { import: snapshot };
  // A snapshot is imported as the world main.
  const isAlone = definition.isAlone || snapshot !== undefined;
  return { ...definition, seed, isAlone, settings: { ...overlaid(settings, definition.settings), ...start } };
}

/** The command, the versions and the notes of a capsule. */
export function factLines({ facts }: Capsule): readonly string[] {
  const { command, version, node, notes, left_out } = facts;
  const hidden = left_out > 0 ? [`secrets replaced: ${left_out}`] : [];
  return [`${command} (version ${version}, Node ${node})`, ...notes, ...hidden];
}

/** Compares a run with the result in the capsule. */
function comparisonOf(
  { facts, journal }: Capsule,
  run: ScenarioRun,
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
    lines: ["the result differs; it was:", ...before, "and is:", ...now, ...versionLines(facts)],
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
