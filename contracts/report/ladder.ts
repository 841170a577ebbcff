import type { CaseResult } from "../engine/case.ts";
import { EMULATOR_NEEDS, NEEDS } from "../engine/needs.ts";
import { counted } from "./counted.ts";

/** Something to add to the target or to the command, and what is checked with it and with the rungs before it. */
export interface Rung {
  readonly add: string;
  /** Cases that run in addition; other reasons may still keep some of them from being checked. */
  readonly more: number;
  /** Checked cases in all. */
  readonly checked: number;
}

export interface Ladder {
  readonly checked: number;
  readonly rungs: readonly Rung[];
  /** Cases that only an emulator can run. */
  readonly emulatorOnly: number;
}

/** What to add for more checked cases: first what adds the most. */
export function ladderOf(results: readonly CaseResult[]): Ladder {
  const open = results.filter(({ verdict }) => verdict === "UNSUPPORTED");
  const isForEmulators = ({ lacking = [] }: CaseResult) => lacking.some((need) => EMULATOR_NEEDS.has(need));
  let left = open.filter((result) => !isForEmulators(result)).map(missingOf);
  left = left.filter((missing) => missing.length > 0);
  const first = results.length - open.length;
  let checked = first;
  const rungs: Rung[] = [];
  while (left.length > 0) {
    const add = bestOf(left);
    left = left.map((missing) => missing.filter((each) => each !== add));
    const more = left.filter((missing) => missing.length === 0).length;
    left = left.filter((missing) => missing.length > 0);
    checked += more;
    rungs.push({ add, more, checked });
  }
  return { checked: first, rungs, emulatorOnly: open.filter(isForEmulators).length };
}

/** What a case lacks: its needs, or what it found missing while it ran. */
function missingOf({ lacking, findings }: CaseResult): readonly string[] {
  if (lacking) return lacking.map((need) => `a target that ${NEEDS[need]}`);
  const [, reason] =
    findings
      .filter(({ verdict }) => verdict === "UNSUPPORTED")
      .map(({ text }) => /^needs (.+?)(?:, which the server does not have)?$/s.exec(text))
      .find((match) => match !== null) ?? [];
  return reason === undefined ? [] : [reason];
}

/** What lets the most cases run by itself; of equal ones, what the most cases lack. */
function bestOf(left: readonly (readonly string[])[]): string {
  const scores = new Map<string, number>();
  for (const missing of left)
    for (const each of missing)
      scores.set(each, (scores.get(each) ?? 0) + (missing.length === 1 ? left.length + 1 : 1));
  return [...scores].reduce((best, each) => (each[1] > best[1] ? each : best))[0];
}

const MAX_RUNGS = 8;

/** The ladder as lines of text. */
export function ladderLines(results: readonly CaseResult[], verbose: boolean): string[] {
  const { checked, rungs, emulatorOnly } = ladderOf(results);
  if (rungs.length === 0) return [];
  const listedRungs = verbose ? rungs : rungs.slice(0, MAX_RUNGS);
  const rest = rungs.length - listedRungs.length;
  return [
    `${counted(checked, "case")} checked. To check more, add in this order (with the number of further cases that can run):`,
    ...listedRungs.map(({ add, more, checked: sum }) => `  +${more} (${sum}): ${add}`),
    ...(rest > 0 ? [`  and ${counted(rest, "more step")} (--verbose shows them)`] : []),
    ...(emulatorOnly > 0 ? [`  ${counted(emulatorOnly, "case")} can run only on an emulator`] : []),
    "",
  ];
}
