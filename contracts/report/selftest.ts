import { bySection, type CaseResult } from "../engine/case.ts";
import type { MutantResult, Selftest } from "../engine/selftest.ts";
import type { VariantResult } from "../engine/variant.ts";
import { sectionOf } from "../spec/requirements.ts";
import { findingLines } from "./contract-body.ts";
import { counted } from "./counted.ts";

const MAX_REASONS = 3;

/** Whether every mutant was detected, by cases that the unmodified server passes, and no case fails on a variant. */
export function isProven(selftest: Selftest): boolean {
  return selftestProblems(selftest).length === 0;
}

/** Detected mutants by section. */
export function selftestLines({ results, variantResults }: Selftest): string[] {
  const sections = [...new Set(results.map(({ mutant }) => sectionOf(mutant.requirement)))].sort(bySection);
  const killed = (of: readonly MutantResult[]) => of.length - undetectedOf(of).length;
  return [
    ...sections.map((section) => {
      const mine = results.filter(({ mutant }) => sectionOf(mutant.requirement) === section);
      return `§${section.padEnd(6)}${killed(mine)}/${mine.length}`;
    }),
    `${killed(results)} of ${results.length} mutants were detected`,
    ...(variantResults.length > 0
      ? [
          `${variantResults.filter(isConforming).length} of ${variantResults.length} conforming variants passed`,
        ]
      : []),
  ];
}

/** The reasons why a selftest is not valid. */
export function selftestProblems({ results, invalidCases, variantResults }: Selftest): string[] {
  return [
    ...invalidCases.flatMap(invalidCaseLines),
    ...undetectedOf(results).map(
      ({ mutant, cases }) =>
        `not detected: ${mutant.id}: ${mutant.wrongBehaviour}; ${counted(cases, "case")} about §${mutant.requirement} passed`,
    ),
    ...variantResults.filter((result) => !isConforming(result)).flatMap(wrongFailureLines),
  ];
}

/** No case FAILs on it, and at least one sees its difference at all. */
function isConforming({ cases, failedBy }: VariantResult): boolean {
  return cases > 0 && failedBy.length === 0;
}

function wrongFailureLines({ variant: { id, differs }, cases, failedBy }: VariantResult): string[] {
  if (cases === 0)
    return [`${id}: ${differs}; no case observes the difference, so the variant is not checked`];
  return failedBy.flatMap((result) => [
    `wrongly failed: ${id}: ${differs}; ${result.id} fails, although the specification allows this`,
    ...result.findings
      .filter(({ verdict }) => verdict === "FAIL")
      .slice(0, MAX_REASONS)
      .flatMap(findingLines),
  ]);
}

/** The result as JSON. */
export function selftestJson(selftest: Selftest): string {
  const { results, invalidCases, variantResults } = selftest;
  return JSON.stringify({
    ok: isProven(selftest),
    invalid_cases: invalidCases.map(({ id, verdict, findings }) => ({
      id,
      verdict,
      why: findings.map(({ requirement, text }) => ({ requirement, text })),
    })),
    results: results.map(({ mutant: { id, requirement, wrongBehaviour }, killedBy }) => ({
      id,
      requirement,
      wrong_behaviour: wrongBehaviour,
      killed_by: killedBy,
    })),
    variants: variantResults.map(({ variant: { id, requirement, differs }, cases, verdict, failedBy }) => ({
      id,
      requirement,
      differs,
      cases,
      verdict,
      failed_by: failedBy.map((result) => result.id),
    })),
  });
}

function invalidCaseLines({ id, verdict, findings }: CaseResult): string[] {
  return [
    `${id}: the unmodified emulator does not pass this case (${verdict}), so the case is excluded`,
    ...findings.slice(0, MAX_REASONS).flatMap(findingLines),
    `  for all findings run: emulator contract run ${id}`,
  ];
}

function undetectedOf(results: readonly MutantResult[]): readonly MutantResult[] {
  return results.filter(({ killedBy }) => killedBy === null);
}
