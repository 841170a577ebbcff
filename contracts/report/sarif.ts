import type { CaseResult } from "../engine/case.ts";
import type { RunReport } from "../engine/run.ts";
import { type Finding, VERDICTS, type Verdict } from "../engine/verdict.ts";
import { REQUIREMENTS, type Requirement } from "../spec/requirements.ts";
import { rowName } from "./findings.ts";

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";

/** A result of a SARIF log; the fingerprint is the same for the same finding in every run. */
export interface SarifResult {
  readonly rule: string;
  readonly level: "error" | "warning" | "note";
  readonly text: string;
  readonly fingerprint: string;
  readonly file?: { readonly path: string; readonly line: number };
  /** What it is about where that is no place in a file, for example a case. */
  readonly subject?: string;
}

/** A SARIF 2.1.0 log of one tool; `rules` are the texts of the rules by their ids. */
export function sarifLog(
  tool: string,
  rules: Readonly<Record<string, string>>,
  results: readonly SarifResult[],
): string {
  const used = [...new Set(results.map(({ rule }) => rule))];
  const driver = {
    name: tool,
    rules: used.map((id) => ({ id, shortDescription: { text: rules[id] ?? id } })),
  };
  const run = { tool: { driver }, columnKind: "utf16CodeUnits", results: results.map(resultOf) };
  return JSON.stringify({ $schema: SCHEMA, version: "2.1.0", runs: [run] }, null, 2);
}

function resultOf({ rule, level, text, fingerprint, file, subject }: SarifResult) {
  const physicalLocation = file && {
    artifactLocation: { uri: encodeURI(file.path.replaceAll("\\", "/")) },
    region: { startLine: file.line },
  };
  const location = {
    ...(physicalLocation && { physicalLocation }),
    ...(subject !== undefined && { logicalLocations: [{ fullyQualifiedName: subject }] }),
  };
  return {
    ruleId: rule,
    level,
    message: { text },
    partialFingerprints: { "finding/v1": fingerprint },
    locations: [location],
  };
}

const LEVELS = {
  FAIL: "error",
  UNSPECIFIED: "note",
  "NON-STRICT": "warning",
  UNSUPPORTED: "note",
} as const satisfies Record<Exclude<Verdict, "PASS">, SarifResult["level"]>;

/** The findings of a run; those that a strict run fails on are errors then. Equal ones of a case are one. */
export function sarifReport({ results }: RunReport, strict: boolean): string {
  const requirements: Readonly<Record<string, Requirement>> = REQUIREMENTS;
  const rules = Object.fromEntries(Object.entries(requirements).map(([id, { text }]) => [id, text]));
  const found = new Map<string, SarifResult>();
  for (const result of results)
    for (const finding of result.findings) {
      const one = sarifFinding(result, finding, strict);
      if (!found.has(one.fingerprint)) found.set(one.fingerprint, one);
    }
  return sarifLog("emulator contract run", rules, [...found.values()]);
}

function sarifFinding({ id }: CaseResult, finding: Finding, strict: boolean): SarifResult {
  const { verdict, blame, text } = finding;
  const rule = rowName(finding);
  const isGrave = strict && VERDICTS.indexOf(verdict) > VERDICTS.indexOf("UNSUPPORTED");
  return {
    rule,
    level: isGrave ? "error" : LEVELS[verdict],
    text: `${verdict} (${blame}) §${rule}: ${text}`,
    fingerprint: [id, rule, verdict, blame, text].join(" | "),
    subject: id,
  };
}
