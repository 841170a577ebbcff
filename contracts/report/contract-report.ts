import { type CaseResult, sectionOfCase } from "../engine/case.ts";
import type { RunReport } from "../engine/run.ts";
import type { Finding } from "../engine/verdict.ts";
import { REQUIREMENTS } from "../spec/requirements.ts";
import { baselineLines, isFailing } from "./baseline.ts";
import { markdownBody, prettyBody } from "./body.ts";
import { caseLines, contractBody, sectionTable } from "./contract-body.ts";
import { bySeverity, reportSingleCase, rowName } from "./findings.ts";
import { groupedBy } from "./grouping.ts";
import { ladderOf } from "./ladder.ts";
import { inline } from "./markdown-text.ts";
import type { ReportModel, ReportRow } from "./model.ts";
import { unmet } from "./rows.ts";
import { countsLine, countsOf, expiredAddressLine, isSuccessful } from "./summary.ts";
import { uncheckedSections } from "./unchecked.ts";

/** The report of a contract run. `verbose` shows every finding in full, else the first ones of each requirement. */
export function contractReport(run: RunReport, strict: boolean, verbose = false): ReportModel {
  const { target, wallMs } = run;
  // A stable sort: cases of one verdict stay in the order of the sections.
  const results = [...run.results].sort(bySeverity);
  return {
    name: target,
    summary: [`${target}: ${countsLine(countsOf(results))}`, ...baselineLines(run)],
    durationMs: wallMs,
    suites: () =>
      [...groupedBy(results, ({ id }) => sectionOfCase(id))].map(([section, cases]) => ({
        name: `§${section}`,
        rows: cases.map((result) => caseRow(result, run, strict)),
      })),
    pretty: () => prettyBody(contractBody(run, strict, verbose)),
    markdown: () => [
      `## Contract: ${inline(target)}`,
      "",
      ...markdownBody({ ...contractBody(run, strict, verbose), ...sectionTable(run.results) }),
    ],
    json: () => ({
      ok: isSuccessful(run, strict),
      strict,
      counts: countsOf(results),
      notChecked: uncheckedSections(results),
      unmet: unmet(results),
      requirements: requirementTexts(results),
      ...(run.recorded === undefined && { ladder: ladderOf(results) }),
      ...run,
      results,
    }),
  };
}

function caseRow(result: CaseResult, { again, temporaryServer }: RunReport, strict: boolean): ReportRow {
  const { id, title, wallMs, verdict, file } = result;
  const digest = reportSingleCase(result);
  const [first] = digest.kinds;
  const lines =
    verdict === "PASS" ? [] : [...caseLines(digest, again), ...expiredAddressLine(temporaryServer)];
  const outcome = outcomeOf(result, strict);
  return {
    id,
    name: `${id}: ${title}`,
    className: `§${sectionOfCase(id)}`,
    outcome,
    verdict,
    message: messageOf(outcome, first?.finding, verdict),
    details: outcome === "failed" ? lines : [],
    remarks: outcome === "passed" ? lines : [],
    durationMs: wallMs,
    ...(file && { file }),
  };
}

function outcomeOf(result: CaseResult, strict: boolean): ReportRow["outcome"] {
  if (result.verdict === "UNSUPPORTED") return "skipped";
  return isFailing(result, strict) ? "failed" : "passed";
}

function messageOf(outcome: ReportRow["outcome"], first: Finding | undefined, verdict: string): string {
  if (!first) return verdict;
  return outcome === "skipped" ? first.text : `§${rowName(first)}: ${first.text}`;
}

/** The texts of the requirements of a run, so that readers of its report need no other document. */
function requirementTexts(results: RunReport["results"]): Readonly<Record<string, string>> {
  const ids = new Set(
    results.flatMap(({ checkedRequirements, requirements }) => [...checkedRequirements, ...requirements]),
  );
  return Object.fromEntries([...ids].map((id) => [id, REQUIREMENTS[id].text]));
}
