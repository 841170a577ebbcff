import { junitReport } from "./junit.ts";
import type { ReportModel } from "./model.ts";
import { sarifReport } from "./sarif.ts";

export const REPORTERS = ["pretty", "junit", "json", "md", "sarif"] as const;

export type Reporter = (typeof REPORTERS)[number];

const WRITERS: Readonly<Record<Reporter, (model: ReportModel) => string>> = {
  pretty: (model) => model.pretty().join("\n"),
  junit: junitReport,
  json: (model) => JSON.stringify(model.json(), null, 2),
  md: (model) => model.markdown().join("\n"),
  sarif: sarifReport,
};

/** Writes a report in a format. */
export function writeReport(model: ReportModel, reporter: Reporter): string {
  return WRITERS[reporter](model);
}
