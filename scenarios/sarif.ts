import { relative } from "node:path";
import { type SarifResult, sarifLog } from "../contracts/report/sarif.ts";
import type { Outcome } from "./replay.ts";

const RULES = {
  failed: "A step of a scenario is not as it expects.",
  drifted: "The journal of a scenario differs from the one that is kept.",
  broken: "A scenario cannot be played.",
} as const;

/** What did not go well, at the line of its step. */
export function sarif(outcomes: readonly Outcome[], cwd: string): string {
  const results = outcomes.flatMap((outcome) => sarifResult(outcome, cwd) ?? []);
  return sarifLog("emulator replay", RULES, results);
}

function sarifResult(outcome: Outcome, cwd: string): SarifResult | undefined {
  const { verdict, name, sentence, failure } = outcome;
  if (verdict === "passed") return undefined;
  const place = placeOf(outcome);
  return {
    rule: verdict,
    level: verdict === "drifted" ? "warning" : "error",
    text: `${sentence} ${problemOf(outcome)}`,
    fingerprint: [name, verdict, failure?.label ?? ""].join(" | "),
    file: { path: relative(cwd, place.file), line: place.line },
    subject: name,
  };
}

/** The step at which a scenario has failed; a problem or drift is about the whole file. */
export function placeOf({ failure, file }: Outcome): { readonly file: string; readonly line: number } {
  return failure?.place ?? { file, line: 1 };
}

/** What went wrong, in one line. */
export function problemOf({ failure, problem, drift }: Outcome): string {
  if (problem !== undefined) return problem;
  if (failure) return `${failure.label}: ${failure.differences.join("; ")}`;
  return drift?.kind === "drifted" ? `Its journal differs: ${drift.differences.join("; ")}` : "";
}
