import { appendFileSync } from "node:fs";
import { type ReportModel, type ReportRow, rowsOf } from "../contracts/report/model.ts";
import { writeReport } from "../contracts/report/write.ts";
import type { Invocation } from "./command.ts";

/** GitHub displays ten annotations of a step. */
const MAX_ANNOTATIONS = 10;

/** In GitHub Actions: writes the job summary, and an annotation for each of the first failures. */
export function reportToGitHub({ env }: Pick<Invocation, "env">, model: ReportModel): void {
  if (env.GITHUB_ACTIONS !== "true") return;
  if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, `${writeReport(model, "md")}\n`);
  const failures = rowsOf(model).filter(({ outcome }) => outcome === "failed" || outcome === "error");
  for (const row of failures.slice(0, MAX_ANNOTATIONS)) process.stderr.write(`${annotation(row)}\n`);
}

function annotation({ id, message, file }: ReportRow): string {
  const properties = Object.entries({ file: file?.path, line: file?.line, title: id }).flatMap(
    ([name, value]) =>
      value === undefined ? [] : [`${name}=${escaped(String(value)).replace(/[:,]/g, encodeURIComponent)}`],
  );
  return `::error ${properties.join(",")}::${escaped(message)}`;
}

/** Escapes a value of a workflow command. */
function escaped(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
