import {
  CASES,
  createEmulatorTarget,
  MUTANTS,
  openOracle,
  type RequirementId,
  selftest,
  VARIANTS,
} from "../../contracts/index.ts";
import { isProven, selftestJson, selftestLines, selftestProblems } from "../../contracts/report/selftest.ts";
import { sectionOf } from "../../contracts/spec/requirements.ts";
import { Interrupted, type Invocation, UsageError } from "../command.ts";
import { openProgress } from "../progress.ts";
import { firstSignal } from "../signals.ts";
import { print, printError } from "../terminal.ts";

/** `contract selftest`: exit code 1 when a mutant survives, a case fails on a variant or the unmodified emulator fails. */
export async function runSelftest(invocation: Invocation, selectors: readonly string[]): Promise<number> {
  const { flags } = invocation;
  const mutants = MUTANTS.filter(({ id, requirement }) => isSelected(id, requirement, selectors));
  const variants = VARIANTS.filter(({ id, requirement }) => isSelected(id, requirement, selectors));
  if (mutants.length + variants.length === 0)
    throw new UsageError(
      `${selectors.join(", ")}: no mutant or variant is in this section or has this id; docs/look-up/mutants-and-variants.md of the package lists them`,
    );
  const { startEmulator } = await import("../../emulator/runtime/index.ts");
  const progress = openProgress(invocation, "servers");
  const interruption = new AbortController();
  void firstSignal().then((name) => interruption.abort(new Interrupted(name, progress.account())));
  const result = await selftest({
    cases: CASES,
    mutants,
    variants,
    targetWith: (settings) => createEmulatorTarget(startEmulator, settings),
    oracle: await openOracle(),
    signal: interruption.signal,
    onServer: progress.show,
  }).finally(progress.clear);
  if (flags.json === true) print(selftestJson(result));
  else if (flags.quiet !== true) print(selftestLines(result));
  for (const line of selftestProblems(result)) printError(line);
  interruption.signal.throwIfAborted();
  return isProven(result) ? 0 : 1;
}

function isSelected(id: string, requirement: RequirementId, selectors: readonly string[]): boolean {
  const section = sectionOf(requirement);
  return (
    selectors.length === 0 ||
    selectors.some(
      (selector) => id.startsWith(selector) || section === selector || section.startsWith(`${selector}.`),
    )
  );
}
