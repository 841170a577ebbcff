import { once } from "node:events";
import { styleText } from "node:util";
import { counted } from "../contracts/report/counted.ts";
import { printable } from "../contracts/report/printable.ts";
import { printExact } from "../contracts/spec/exact-json.ts";
import { lazily } from "../emulator/kernel/lazily.ts";
import { fileAdvice } from "../emulator/runtime/process/file-advice.ts";
import type { Verification } from "../emulator/subjects/control-operation.ts";
import type { Invocation } from "./command.ts";
import { makeRoom, openProgress } from "./progress.ts";
import { DEFECT_EXIT_CODE, untilSignal } from "./signals.ts";

/** Standard output. A closed pipe, as with `head`, ends the command without an error message; a full disk ends it with one. */
const output = lazily(() =>
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    printError(`standard output cannot be written: ${fileAdvice(error)}`);
    process.exit(DEFECT_EXIT_CODE);
  }),
);

/** Prints results to standard output: a line, or several. Their text is `printable`. */
export function print(lines: string | readonly string[]): void {
  makeRoom();
  output().write(
    [lines]
      .flat()
      .map((line) => `${coloured(printable(line))}\n`)
      .join(""),
  );
}

const OUTCOMES = { green: /^(ok|PASS) /, red: /^(FAILED|FAIL|BROKEN) / } as const;

/** On a terminal, unless NO_COLOR is set, the outcome at the beginning of a line has a colour. */
function coloured(line: string): string {
  if (process.stdout.isTTY !== true || process.env.NO_COLOR) return line;
  for (const [colour, outcome] of Object.entries(OUTCOMES))
    line = line.replace(outcome, (text) => styleText(colour as keyof typeof OUTCOMES, text));
  return line;
}

/** Writes bytes to standard output unchanged; resolves when there is room for more. */
export async function writeBytes(bytes: Uint8Array): Promise<void> {
  if (!output().write(bytes)) await once(output(), "drain");
}

/** Prints a command's result: JSON with --json, nothing with --quiet, else lines. */
export function printResult({ flags }: Invocation, value: unknown, lines: readonly string[]): void {
  if (flags.json === true) return print(printExact(value));
  if (flags.quiet === true) return;
  if (lines.length > 0) return print(lines);
  makeRoom();
  // Programs that read the lines of a list get none.
  process.stderr.write("The list is empty.\n");
}

const GAP = 2;

/** Rows of cells as lines, each column but the last as wide as its widest cell. */
export function aligned(rows: readonly (readonly string[])[], indent = ""): string[] {
  const widths: number[] = [];
  const printableRows = rows.map((row) => row.map(printable));
  for (const row of printableRows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  return printableRows.map((row) => {
    const cells = row.map((cell, at) =>
      at === row.length - 1 ? cell : cell.padEnd((widths[at] ?? 0) + GAP),
    );
    return (indent + cells.join("")).trimEnd();
  });
}

/** Prints a problem to standard error, with `printable`. */
export function printError(line: string): void {
  makeRoom();
  process.stderr.write(`emulator: ${printable(line)}\n`);
}

/** Prints an annotation of GitHub Actions to standard error. */
export function printAnnotation(
  properties: Readonly<Record<string, string | number | undefined>>,
  message: string,
): void {
  const escaped = (value: string | number) => printable(String(value)).replaceAll("%", "%25");
  const pairs = Object.entries(properties).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${escaped(value).replace(/[:,]/g, encodeURIComponent)}`],
  );
  process.stderr.write(`::error ${pairs.join(",")}::${escaped(message)}\n`);
}

/** Shows that work is in progress; with `account`, a description of the completed work, it throws `Interrupted` at a signal. */
export async function withProgress<T>(
  invocation: Invocation,
  text: string,
  work: Promise<T>,
  account?: string,
): Promise<T> {
  const progress = openProgress(invocation);
  progress.show(text);
  const outcome = account === undefined ? work : untilSignal(work, () => account);
  return outcome.finally(progress.clear);
}

const MAX_ROWS = 50;

/** A verdict as text: one line on success, else a table of problems. */
export function verdictLines(id: string, { ok, rows, files, problems }: Verification): string[] {
  const counts = `${counted(rows, "row")} in ${counted(files, "file")}`;
  if (ok) return [`export ${id}: verified, ${counts}`];
  const tableRows = problems.slice(0, MAX_ROWS).map(({ kind, key, detail }) => [kind, key, detail]);
  const lines = aligned([["PROBLEM", "KEY", "DETAIL"], ...tableRows]);
  const rest = problems.length - tableRows.length;
  return [
    `export ${id}: NOT verified, ${counts}, ${counted(problems.length, "problem")}`,
    ...lines,
    ...(rest > 0 ? [`and ${rest} more; see them all with --json`] : []),
  ];
}
