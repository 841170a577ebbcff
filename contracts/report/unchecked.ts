import { type CaseResult, sectionOfCase } from "../engine/case.ts";
import { counted } from "./counted.ts";
import { groupedBy } from "./grouping.ts";

/** The cases of a section that could not ask their question. */
export interface UncheckedSection {
  readonly section: string;
  readonly cases: readonly string[];
  /** Number of cases of the section that were meant to run. */
  readonly of: number;
  /** What they need, with the number of cases, the most frequent first. */
  readonly needs: readonly (readonly [what: string, cases: number])[];
}

/** What was not looked at, by section. */
export function uncheckedSections(results: readonly CaseResult[]): readonly UncheckedSection[] {
  const sections = groupedBy(results, ({ id }) => sectionOfCase(id));
  return [...sections].flatMap(([section, all]) => {
    const unsupportedCases = all.filter(({ verdict }) => verdict === "UNSUPPORTED");
    const uncheckedCases = unsupportedCases.map(({ id, findings }) => {
      const reason = findings.find(({ verdict }) => verdict === "UNSUPPORTED")?.text ?? "";
      return { id, reason: reason.replace(/^needs |, which the server does not have$/g, "") };
    });
    if (uncheckedCases.length === 0) return [];
    const needs = [...groupedBy(uncheckedCases, ({ reason }) => reason)]
      .map(([reason, same]) => [reason, same.length] as const)
      .sort((a, b) => b[1] - a[1]);
    return [{ section, cases: uncheckedCases.map(({ id }) => id), of: all.length, needs }];
  });
}

const MAX_NEEDS = 3;

/** One line for each section, and its cases when `verbose`. */
export function uncheckedLines(
  results: readonly CaseResult[],
  verbose: boolean,
  noun: "case" | "exchange" = "case",
): string[] {
  const sections = uncheckedSections(results);
  const count = sections.reduce((sum, { cases }) => sum + cases.length, 0);
  if (count === 0) return [];
  const naming = verbose ? "" : ` (--verbose lists the ${noun}s)`;
  return [
    `Not checked: ${count} of ${counted(results.length, noun)}. By section, with the ${noun === "case" ? "missing prerequisites" : "reasons"}${naming}:`,
    ...sections.flatMap(({ section, cases, of, needs }) => [
      `  §${section.padEnd(4)} ${`${cases.length} of ${of}`.padEnd(9)} ${needsText(needs)}`,
      ...(verbose ? [`    ${cases.join(" ")}`] : []),
    ]),
    "",
  ];
}

function needsText(needs: UncheckedSection["needs"]): string {
  const rest = needs.length - MAX_NEEDS;
  const needTexts = needs
    .slice(0, MAX_NEEDS)
    .map(([what, count]) => (needs.length === 1 ? what : `${count}: ${what}`));
  return [...needTexts, ...(rest > 0 ? [`and ${rest} more`] : [])].join("; ");
}
