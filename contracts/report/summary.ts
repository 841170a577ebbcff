import type { CaseResult } from "../engine/case.ts";
import type { RunReport } from "../engine/run.ts";
import { VERDICTS, type Verdict } from "../engine/verdict.ts";
import { isFailing } from "./baseline.ts";
import { counted } from "./counted.ts";

export type Counts = Readonly<Record<Verdict, number>>;

export function countsOf(results: readonly Pick<CaseResult, "verdict">[]): Counts {
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
  for (const { verdict } of results) counts[verdict] += 1;
  return counts;
}

/** Whether a run succeeded: it was not interrupted, no FAIL, at least one case ran; under `strict` also no NON-STRICT and UNSPECIFIED. */
export function isSuccessful({ results, interrupted }: RunReport, strict: boolean): boolean {
  if (interrupted !== undefined) return false;
  const counts = countsOf(results);
  if (counts.UNSUPPORTED === results.length) return false;
  return !results.some((result) => isFailing(result, strict));
}

/** `151 PASS · 2 FAIL`, the most severe last. */
export function countsLine(counts: Partial<Counts>): string {
  return VERDICTS.filter((verdict) => counts[verdict])
    .map((verdict) => `${counts[verdict]} ${verdict}`)
    .join(" · ");
}

/** `interrupted after 12 of 294 cases`. */
export function interruptedLines({ interrupted }: RunReport): string[] {
  if (interrupted === undefined) return [];
  return [`interrupted after ${interrupted.done} of ${counted(interrupted.total, "case")}`];
}

/** Cases that ended early because of a finding. */
export function stoppedLines(results: readonly Pick<CaseResult, "id" | "stopped">[]): string[] {
  const stopped = results.flatMap((result) => (result.stopped ? [result.id] : []));
  if (stopped.length === 0) return [];
  return [
    `${counted(stopped.length, "case")} ended early because of a finding, so there may be more problems: ${listIds(stopped)}`,
    "",
  ];
}

/** The target no longer exists, so the commands cannot be repeated. */
export function expiredAddressLine(temporaryServer: string | undefined): string[] {
  if (temporaryServer === undefined) return [];
  return [
    `The curl commands show the requests. They cannot be repeated, because this no longer exists: ${temporaryServer}.`,
  ];
}

/** The noun for a result: cases of a run, exchanges of recorded traffic. */
export function resultNoun({ recorded }: Pick<RunReport, "recorded">): "case" | "exchange" {
  return recorded ? "exchange" : "case";
}

/** What recorded traffic leaves open. */
export function recordedLines({ recorded, results }: Pick<RunReport, "recorded" | "results">): string[] {
  if (!recorded) return [];
  const { exchanges, foreign, undecided } = recorded;
  const ids = Object.entries(undecided).map(([id, count]) => `§${id} (${counted(count, "exchange")})`);
  return [
    ...(foreign > 0
      ? [
          `${foreign} of ${counted(exchanges, "exchange")} are not requests to the API, and were not checked.`,
          "",
        ]
      : []),
    ...(ids.length > 0
      ? [
          `Statements about these operations that recorded exchanges do not decide: ${ids.join(", ")}. \`emulator contract run\` checks them on a server.`,
          "",
        ]
      : []),
    ...(results.length === 0 ? ["No exchange was checked."] : []),
  ];
}

const MAX_CASES = 5;

/** The first case ids and the number of further ones. */
export function listIds(cases: readonly string[], word: (id: string) => string = String): string {
  const rest = cases.length - MAX_CASES;
  return cases.slice(0, MAX_CASES).map(word).join(" ") + (rest > 0 ? ` and ${rest} more` : "");
}
