import { createHash } from "node:crypto";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { type ReportModel, rowsOf } from "../contracts/report/model.ts";
import { printable } from "../contracts/report/printable.ts";
import { REPORTERS, type Reporter, writeReport } from "../contracts/report/write.ts";
import { packageVersion } from "../emulator/config/package-version.ts";
import { writeAdvice } from "../emulator/runtime/process/file-advice.ts";
import { builtUrl } from "../emulator/storage/thread-url.ts";
import { type Invocation, UsageError } from "./command.ts";
import { print, printAnnotation } from "./terminal.ts";
import { wordOf } from "./values.ts";

/** The formats of every harness, and the page of the console. */
export const FORMATS = [...REPORTERS, "html"] as const;

export type Format = Reporter | "html";

/** The format that `--report` names. Throws `UsageError`. */
export function formatOf(invocation: Invocation, formats: readonly Format[] = FORMATS): Format {
  return wordOf(invocation, "report", formats) ?? (invocation.flags.json === true ? "json" : "pretty");
}

/** Checks before the work begins that the report file can be written. Throws `UsageError`. */
export async function refuseUnwritable({ flags, cwd }: Invocation): Promise<void> {
  if (typeof flags.output !== "string") return;
  try {
    await (await open(resolve(cwd, flags.output), "a")).close();
  } catch (error) {
    throw unwritable(flags.output, error);
  }
}

interface Publication {
  readonly format: Format;
  /** The view of the HTML page; without it, the format is not `html`. */
  readonly page?: HtmlReportKind;
  /** The report is printed even with `--quiet`. */
  readonly isLoud?: boolean;
}

/** Writes a report to `--output`, with a summary on the terminal, or to the terminal; and to GitHub in its Actions. */
export function publish(
  invocation: Invocation,
  model: ReportModel,
  { format, page, isLoud = false }: Publication,
): void {
  const { flags, cwd } = invocation;
  const text =
    format === "html" ? htmlReport(page ?? "replay", writeReport(model, "json")) : writeReport(model, format);
  const isQuiet = flags.quiet === true;
  if (typeof flags.output === "string") {
    try {
      writeFileSync(resolve(cwd, flags.output), `${text}\n`);
    } catch (error) {
      throw unwritable(flags.output, error);
    }
    if (!isQuiet) print(model.summary);
  } else if (!isQuiet || isLoud) print(text.split("\n"));
  reportToGitHub(invocation, model);
}

/** The error of a report file that cannot be written. */
function unwritable(file: string, error: unknown): UsageError {
  return new UsageError(`--output: "${file}" cannot be written: ${writeAdvice(error)}`);
}

/** The page has a view for each kind of report. */
export type HtmlReportKind = "contract" | "comparison" | "replay";

/** A report as one file that opens offline: the components of the console with the data inlined. */
function htmlReport(kind: HtmlReportKind, json: string): string {
  const script = builtText("report.js").replaceAll("</script", "<\\/script");
  const style = builtText("style.css");
  const page = { kind, report: JSON.parse(json), version: packageVersion(), date: new Date().toISOString() };
  // Within a script element nothing but its end tag is markup.
  const data = printable(JSON.stringify(page)).replaceAll("<", "\\u003c");
  const policy = `default-src 'none'; script-src '${digest(script)}'; style-src '${digest(style)}'`;
  return [
    "<!doctype html>",
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    `<title>${kind} – emulator</title>`,
    `<style>${style}</style></head><body class="report">`,
    `<script type="application/json" id="data">${data}</script>`,
    `<script>${script}</script>`,
    "</body></html>",
  ].join("\n");
}

/** A file of the console, which the build has compressed. */
function builtText(name: string): string {
  return brotliDecompressSync(readFileSync(builtUrl(`console/${name}.br`))).toString();
}

function digest(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/** GitHub displays ten annotations of a step. */
const MAX_ANNOTATIONS = 10;

/** In GitHub Actions: writes the job summary, and an annotation for each of the first failures. */
function reportToGitHub({ env }: Pick<Invocation, "env">, model: ReportModel): void {
  if (env.GITHUB_ACTIONS !== "true") return;
  if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, `${writeReport(model, "md")}\n`);
  const failures = rowsOf(model).filter(({ outcome }) => outcome === "failed" || outcome === "error");
  for (const { id, message, file } of failures.slice(0, MAX_ANNOTATIONS))
    printAnnotation({ file: file?.path, line: file?.line, title: id }, message);
}
