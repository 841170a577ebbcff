import { writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import type { ReportModel } from "../contracts/report/model.ts";
import { REPORTERS, type Reporter, writeReport } from "../contracts/report/write.ts";
import { fileAdvice } from "../emulator/storage/file-advice.ts";
import { type Invocation, UsageError } from "./command.ts";
import { reportToGitHub } from "./github.ts";
import { type HtmlReportKind, htmlReport } from "./html-report.ts";
import { print } from "./terminal.ts";

/** The formats of every harness, and the page of the console. */
export const FORMATS = [...REPORTERS, "html"] as const;

export type Format = Reporter | "html";

/** The format that `--report` names. Throws `UsageError`. */
export function formatOf({ flags }: Invocation, formats: readonly Format[] = FORMATS): Format {
  const name = flags.report ?? (flags.json === true ? "json" : "pretty");
  const format = formats.find((each) => each === name);
  if (!format)
    throw new UsageError(`--report: "${String(name)}" is not valid; give one of ${formats.join(", ")}`);
  return format;
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

/** What `publish` needs in addition to the content of a report. */
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
    if (!isQuiet) for (const line of model.summary) print(line);
  } else if (!isQuiet || isLoud) print(text);
  reportToGitHub(invocation, model);
}

function unwritable(file: string, error: unknown): UsageError {
  return new UsageError(`--output: "${file}" cannot be written: ${fileAdvice(error)}`);
}
