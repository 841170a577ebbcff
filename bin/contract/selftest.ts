import {
  CASES,
  createEmulatorTarget,
  MUTANTS,
  type MutantResult,
  openOracle,
  type RequirementId,
  selftest,
} from "../../contracts/index.ts";
import { sectionOf } from "../../contracts/spec/requirements.ts";
import { type Invocation, UsageError } from "../command.ts";
import { complain, openProgress, print } from "../terminal.ts";

/** `contract selftest`: whether the suites notice lies; 1 when one survives. */
export async function runSelftest({ flags }: Invocation, selectors: readonly string[]): Promise<number> {
  const mutants = MUTANTS.filter(({ id, requirement }) => isMeant(id, requirement, selectors));
  if (mutants.length === 0) throw new UsageError(`${selectors.join(", ")}: no lie is about this`);
  const { startEmulator } = await import("../../emulator/index.ts");
  const progress = openProgress(flags.quiet === true);
  const { results, unsound } = await selftest({
    cases: CASES,
    mutants,
    targetWith: (settings) => createEmulatorTarget(startEmulator, settings),
    oracle: await openOracle(),
    onMutant: ({ mutant }, done, total) => progress.say(`${done}/${total} ${mutant.lie}`),
  });
  progress.clear();
  const survivors = results.filter(({ killedBy }) => killedBy === null);
  if (flags.json === true)
    print(JSON.stringify({ ok: survivors.length === 0, unsound, results: results.map(viewOf) }));
  else if (flags.quiet !== true) for (const line of linesOf(results)) print(line);
  for (const id of unsound)
    complain(`${id}: the honest emulator does not pass this case, so it proves nothing`);
  for (const { mutant } of survivors) complain(`survived: ${mutant.id}: ${mutant.lie}`);
  return survivors.length === 0 ? 0 : 1;
}

function isMeant(id: string, requirement: RequirementId, selectors: readonly string[]): boolean {
  const section = sectionOf(requirement);
  return (
    selectors.length === 0 ||
    selectors.some((one) => id.startsWith(one) || section === one || section.startsWith(`${one}.`))
  );
}

function viewOf({ mutant: { id, requirement, lie }, killedBy }: MutantResult) {
  return { id, requirement, lie, killed_by: killedBy };
}

function linesOf(results: readonly MutantResult[]): string[] {
  const sections = [...new Set(results.map(({ mutant }) => sectionOf(mutant.requirement)))].sort(bySection);
  const killed = (of: readonly MutantResult[]) => of.filter(({ killedBy }) => killedBy !== null).length;
  return [
    ...sections.map((section) => {
      const mine = results.filter(({ mutant }) => sectionOf(mutant.requirement) === section);
      return `§${section.padEnd(6)}${killed(mine)}/${mine.length}`;
    }),
    `${killed(results)} of ${results.length} lies were noticed`,
  ];
}

function bySection(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
