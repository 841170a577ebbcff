import { relative } from "node:path";
import type { Outcome } from "./replay.ts";
import { xml } from "./xml.ts";

/** The values of `--report`. */
export type ReportName = "pretty" | "junit" | "json" | "md";

/** Formats the outcomes of a replay. */
export function report(name: ReportName, outcomes: readonly Outcome[], cwd: string): string {
  return WRITERS[name](outcomes, cwd);
}

const WRITERS: Readonly<Record<ReportName, (outcomes: readonly Outcome[], cwd: string) => string>> = {
  pretty: (outcomes, cwd) =>
    [...outcomes.flatMap((outcome) => prettyLines(outcome, cwd)), summary(outcomes)].join("\n"),
  json: (outcomes) => JSON.stringify({ summary: counts(outcomes), scenarios: outcomes }, null, 2),
  junit: (outcomes, cwd) => junit(outcomes, cwd),
  md: (outcomes, cwd) => markdown(outcomes, cwd),
};

const MARKS = { passed: "ok", failed: "FAILED", drifted: "DRIFTED", broken: "BROKEN" } as const;

const GONE = "its world was removed; play it with --keep to keep the state after this step";

function prettyLines(outcome: Outcome, cwd: string): readonly string[] {
  const head = `${MARKS[outcome.verdict].padEnd(8)}${outcome.name} — ${outcome.sentence} (${Math.round(outcome.durationMs)} ms)`;
  return [head, ...noteLines(outcome, cwd).map((line) => `        ${line}`)];
}

function noteLines(outcome: Outcome, cwd: string): readonly string[] {
  return [...warningLines(outcome), ...detailLines(outcome, cwd)];
}

function warningLines({ warnings }: Outcome): readonly string[] {
  return warnings.map((text) => `warning: ${text}`);
}

/** The details of a failure: step, differences, request, and the command that repeats it. */
function detailLines(
  { failure, drift, problem, isKept, again, verdict }: Outcome,
  cwd: string,
): readonly string[] {
  if (drift?.kind === "written") return ["its journal was written"];
  if (verdict === "passed") return [];
  const lines: string[] = [];
  if (problem !== undefined) lines.push(problem);
  if (failure) {
    lines.push(`${near(failure.place.file, cwd)}:${failure.place.line}: ${failure.label}`);
    if (failure.note !== undefined) lines.push(failure.note);
    lines.push(...failure.differences.map((difference) => `  ${difference}`));
    if (failure.curl !== undefined) lines.push(failure.curl);
    if (failure.curl !== undefined && !isKept) lines.push(GONE);
  }
  if (drift?.kind === "drifted") {
    lines.push(`its journal differs from ${near(drift.file, cwd)}`);
    lines.push(...drift.differences.map((difference) => `  ${difference}`), `to accept it, add --update`);
  }
  return [...lines, again];
}

function counts(outcomes: readonly Outcome[]): Readonly<Record<Outcome["verdict"], number>> {
  const found = { passed: 0, failed: 0, drifted: 0, broken: 0 };
  for (const { verdict } of outcomes) found[verdict] += 1;
  return found;
}

function summary(outcomes: readonly Outcome[]): string {
  const noted = Object.entries(counts(outcomes)).filter(
    ([verdict, count]) => count > 0 || verdict === "passed",
  );
  return `${outcomes.length} scenario${outcomes.length === 1 ? "" : "s"}: ${noted.map(([verdict, count]) => `${count} ${verdict}`).join(", ")}`;
}

function junit(outcomes: readonly Outcome[], cwd: string): string {
  const { failed, drifted, broken } = counts(outcomes);
  const cases = outcomes.map((outcome) => {
    const { name, sentence, file, durationMs, verdict } = outcome;
    const open = `  <testcase name="${xml(`${name}: ${sentence}`)}" classname="scenarios" file="${xml(near(file, cwd))}" time="${(durationMs / 1000).toFixed(3)}"`;
    const warned = warningLines(outcome).join("\n");
    const output = warned === "" ? "" : `<system-out>${xml(warned)}</system-out>`;
    if (verdict === "passed") return output === "" ? `${open}/>` : `${open}>${output}</testcase>`;
    const tag = verdict === "broken" ? "error" : "failure";
    return `${open}>\n    <${tag} message="${xml(verdict)}">${xml(detailLines(outcome, cwd).join("\n"))}</${tag}>${output}\n  </testcase>`;
  });
  const head = `<testsuite name="scenarios" tests="${outcomes.length}" failures="${failed + drifted}" errors="${broken}">`;
  return ['<?xml version="1.0" encoding="UTF-8"?>', head, ...cases, "</testsuite>"].join("\n");
}

function markdown(outcomes: readonly Outcome[], cwd: string): string {
  const rows = outcomes.map(
    ({ name, sentence, verdict, durationMs }) =>
      `| ${name} | ${sentence} | ${MARKS[verdict]} | ${Math.round(durationMs)} ms |`,
  );
  const details = outcomes
    .filter(({ verdict, warnings }) => verdict !== "passed" || warnings.length > 0)
    .flatMap((outcome) => ["", `### ${outcome.name}`, "", "```", ...noteLines(outcome, cwd), "```"]);
  return [
    `**${summary(outcomes)}**`,
    "",
    "| Scenario | Shows | Outcome | Time |",
    "|---|---|---|---|",
    ...rows,
    ...details,
  ].join("\n");
}

function near(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path.startsWith("..") ? file : path;
}
