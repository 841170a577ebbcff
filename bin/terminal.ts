import type { Invocation } from "./command.ts";

/** Prints results to standard output. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a command's result: JSON with --json, nothing with --quiet, else lines. */
export function printResult({ flags }: Invocation, value: unknown, lines: readonly string[]): void {
  if (flags.json === true) print(JSON.stringify(value));
  else if (flags.quiet !== true) for (const line of lines) print(line);
}

const GAP = 2;

/** Rows of cells as lines, each column but the last as wide as its widest cell. */
export function aligned(rows: readonly (readonly string[])[], indent = ""): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  return rows.map((row) => {
    const cells = row.map((cell, at) =>
      at === row.length - 1 ? cell : cell.padEnd((widths[at] ?? 0) + GAP),
    );
    return (indent + cells.join("")).trimEnd();
  });
}

/** Prints problems to standard error. */
export function printError(line: string): void {
  process.stderr.write(`emulator: ${line}\n`);
}

/** A closed pipe, as with `head`, ends the command without an error message. */
export function endWithReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
}

/** Shows the progress of long work on a terminal. */
export interface Progress {
  show(text: string): void;
  clear(): void;
}

/** One status line on standard error; prints nothing with --quiet or in a pipe. */
export function openProgress(quiet: boolean): Progress {
  const shown = process.stderr.isTTY === true && !quiet;
  const write = (text: string) => {
    if (shown) process.stderr.write(`\r\u001b[2K${text}`);
  };
  return { show: (text) => write(`${text} …`), clear: () => write("") };
}

const SECOND_MS = 1000;

/** Shows on a terminal that work goes on, from its first second on. */
export async function withProgress<T>({ flags }: Invocation, text: string, work: Promise<T>): Promise<T> {
  const progress = openProgress(flags.quiet === true);
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += 1;
    progress.show(`${text}, ${seconds} s`);
  }, SECOND_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    if (seconds > 0) progress.clear();
  }
}
