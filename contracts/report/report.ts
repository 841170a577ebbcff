import type { RunReport } from "../engine/run.ts";
import { REQUIREMENTS } from "../spec/requirements.ts";
import { junitReport } from "./junit.ts";
import { markdownReport } from "./markdown.ts";
import { notLookedAt } from "./not-looked-at.ts";
import { prettyReport } from "./pretty.ts";
import { unmet } from "./rows.ts";
import { sarifReport } from "./sarif.ts";
import { countsOf, isGood } from "./summary.ts";

export const REPORTERS = ["pretty", "junit", "json", "md", "sarif"] as const;

export type Reporter = (typeof REPORTERS)[number];

/** The report of a run in a format. */
export function written(report: RunReport, reporter: Reporter, strict: boolean, verbose = false): string {
  if (reporter === "junit") return junitReport(report, strict);
  if (reporter === "sarif") return sarifReport(report, strict);
  if (reporter === "md") return markdownReport(report, verbose);
  if (reporter === "pretty") return prettyReport(report, strict, verbose);
  const { results } = report;
  const verdict = { ok: isGood(report, strict), counts: countsOf(results) };
  const brief = { notLookedAt: notLookedAt(results), unmet: unmet(results), requirements: textsOf(results) };
  return JSON.stringify({ ...verdict, ...brief, ...report }, null, 2);
}

/** What each requirement of a run says, so that readers of its report need no ledger. */
function textsOf(results: RunReport["results"]): Readonly<Record<string, string>> {
  const ids = new Set(results.flatMap(({ asked, requirements }) => [...asked, ...requirements]));
  return Object.fromEntries([...ids].map((id) => [id, REQUIREMENTS[id].text]));
}
