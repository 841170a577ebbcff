import { junitReport } from "./junit.ts";
import { partLabel, type ReportModel } from "./model.ts";
import { printable } from "./printable.ts";

export const REPORTERS = ["pretty", "junit", "json", "md"] as const;

export type Reporter = (typeof REPORTERS)[number];

/** The lines of a report in each format. */
const WRITERS: Readonly<Record<Reporter, (model: ReportModel) => readonly string[]>> = {
  pretty: (model) => [...model.pretty(), ...partLines(model)],
  junit: (model) => junitReport(model).split("\n"),
  json: (model) =>
    JSON.stringify({ ...model.json(), ...(model.part && { part: model.part }) }, null, 2).split("\n"),
  md: (model) => [...model.markdown(), ...partLines(model).flatMap((line) => ["", line])],
};

function partLines(model: ReportModel): readonly string[] {
  const label = partLabel(model);
  return label === undefined ? [] : [label];
}

/** Writes a report in a format; its lines are `printable`. */
export function writeReport(model: ReportModel, reporter: Reporter): string {
  return WRITERS[reporter](model).map(printable).join("\n");
}
