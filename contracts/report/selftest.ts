import type { CaseResult } from "../engine/case.ts";
import type { MutantResult, Selftest } from "../engine/selftest.ts";
import type { VariantResult } from "../engine/variant.ts";
import { sectionOf } from "../spec/requirements.ts";
import { findingLines } from "./pretty.ts";
import { counted } from "./summary.ts";

const REASONS_SHOWN = 3;

/** Whether every mutant was detected, by cases that the unmodified server passes, and no variant was convicted. */
export function isProven(selftest: Selftest): boolean {
  return selftestProblems(selftest).length === 0;
}

/** Detected mutants by section. */
export function selftestLines({ results, acquittals }: Selftest): string[] {
  const sections = [...new Set(results.map(({ mutant }) => sectionOf(mutant.requirement)))].sort(bySection);
  const killed = (of: readonly MutantResult[]) => of.length - survivorsOf(of).length;
  return [
    ...sections.map((section) => {
      const mine = results.filter(({ mutant }) => sectionOf(mutant.requirement) === section);
      return `§${section.padEnd(6)}${killed(mine)}/${mine.length}`;
    }),
    `${killed(results)} of ${results.length} mutants were detected`,
    ...(acquittals.length > 0
      ? [`${acquittals.filter(isAcquitted).length} of ${acquittals.length} conforming variants passed`]
      : []),
  ];
}

/** Why a selftest proves nothing. */
export function selftestProblems({ results, unsound: failedOnHonest, acquittals }: Selftest): string[] {
  return [
    ...failedOnHonest.flatMap(unsoundLines),
    ...survivorsOf(results).map(
      ({ mutant, cases }) =>
        `not detected: ${mutant.id}: ${mutant.lie}; ${counted(cases, "case")} about §${mutant.requirement} passed`,
    ),
    ...acquittals.filter((result) => !isAcquitted(result)).flatMap(convictionLines),
  ];
}

/** No case FAILs on it, and at least one sees its difference at all. */
function isAcquitted({ cases, convictedBy }: VariantResult): boolean {
  return cases > 0 && convictedBy.length === 0;
}

function convictionLines({ variant: { id, differs }, cases, convictedBy }: VariantResult): string[] {
  if (cases === 0) return [`${id}: ${differs}; no case observes the difference, so the variant proves nothing`];
  return convictedBy.flatMap((result) => [
    `wrongly failed: ${id}: ${differs}; ${result.id} fails, although the specification allows this`,
    ...result.findings
      .filter(({ verdict }) => verdict === "FAIL")
      .slice(0, REASONS_SHOWN)
      .flatMap(findingLines),
  ]);
}

/** The result as JSON. */
export function selftestJson(selftest: Selftest): string {
  const { results, unsound: failedOnHonest, acquittals } = selftest;
  return JSON.stringify({
    ok: isProven(selftest),
    unsound: failedOnHonest.map(({ id, verdict, findings }) => ({
      id,
      verdict,
      why: findings.map(({ requirement, text }) => ({ requirement, text })),
    })),
    results: results.map(({ mutant: { id, requirement, lie }, killedBy }) => ({
      id,
      requirement,
      lie,
      killed_by: killedBy,
    })),
    variants: acquittals.map(({ variant: { id, requirement, differs }, cases, verdict, convictedBy }) => ({
      id,
      requirement,
      differs,
      cases,
      verdict,
      convicted_by: convictedBy.map((result) => result.id),
    })),
  });
}

function unsoundLines({ id, verdict, findings }: CaseResult): string[] {
  return [
    `${id}: the unmodified emulator does not pass this case (${verdict}), so the case proves nothing`,
    ...findings.slice(0, REASONS_SHOWN).flatMap(findingLines),
    `  for all findings run: emulator contract run ${id}`,
  ];
}

function survivorsOf(results: readonly MutantResult[]): readonly MutantResult[] {
  return results.filter(({ killedBy }) => killedBy === null);
}

export function bySection(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
