import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { CASES, type Case, type RunReport } from "../../contracts/index.ts";
import { fileAdvice } from "../../emulator/runtime/process/file-advice.ts";
import { type Invocation, UsageError } from "../command.ts";
import { textOf } from "../values.ts";

/** The earlier report that `--baseline` names. Throws `UsageError` where it cannot be compared with the selected cases. */
export function baselineOf(invocation: Invocation, cases: readonly Case[]): RunReport | undefined {
  const { flags, cwd } = invocation;
  const file = textOf(invocation, "baseline");
  if (file === undefined) return undefined;
  for (const name of ["compare", "bail"])
    if (flags[name] !== undefined)
      throw new UsageError(`--${name}: it cannot be combined with --baseline; remove it`);
  const report = readReport(file, resolve(cwd, file));
  if (report.interrupted)
    throw refused(file, "is the report of an interrupted run; run the cases again to the end");
  const currentIds = new Set(CASES.map(({ id }) => id));
  const stale = report.results.find(({ id }) => !currentIds.has(id));
  if (stale)
    throw refused(file, `has the case ${stale.id}, which this version does not have; write the report again`);
  const selected = new Set(cases.map(({ id }) => id));
  if (!report.results.some(({ id }) => selected.has(id)))
    throw refused(file, "has none of the selected cases; write the report with the same selection");
  return report;
}

function readReport(file: string, path: string): RunReport {
  const value = parse(file, path);
  const { results, counts, recorded } = value;
  if (!Array.isArray(results) || counts === undefined || recorded !== undefined || !results.every(isResult))
    throw refused(file, 'is not a report of "contract run"; write one with --report json --output <file>');
  return value as object as RunReport;
}

function parse(file: string, path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch (error) {
    if ("code" in (error as Error)) throw new UsageError(`--baseline: ${file}: ${fileAdvice(error)}`);
    throw refused(file, "is not JSON; write the report with --report json --output <file>");
  }
}

/** Whether a value has the id and the findings of the result of a case. */
export function isResult(value: unknown): boolean {
  const { id, findings } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return (
    typeof id === "string" &&
    Array.isArray(findings) &&
    findings.every((finding) => typeof (finding as { readonly text?: unknown } | null)?.text === "string")
  );
}

function refused(file: string, problem: string): UsageError {
  return new UsageError(`--baseline: ${file} ${problem}`);
}
