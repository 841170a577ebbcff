import type { Invocation } from "./command.ts";

/** Standard output: what was asked for. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** What a command came to: JSON for programs, lines for people, nothing when it is to be quiet. */
export function printResult({ flags }: Invocation, value: unknown, lines: readonly string[]): void {
  if (flags.json === true) print(JSON.stringify(value));
  else if (flags.quiet !== true) for (const line of lines) print(line);
}

/** Standard error: problems. */
export function printError(line: string): void {
  process.stderr.write(`emulator: ${line}\n`);
}

/** A reader that goes away, as `head` does, ends the command without a fuss. */
export function endWithReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
}

/** Says what long work is at, on a terminal; quiet in pipes. */
export interface Progress {
  show(text: string): void;
  clear(): void;
}

/** One line on standard error, written anew each time; nothing at all when quiet or in a pipe. */
export function openProgress(quiet: boolean): Progress {
  const shown = process.stderr.isTTY === true && !quiet;
  const write = (text: string) => {
    if (shown) process.stderr.write(`\r\u001b[2K${text}`);
  };
  return { show: (text) => write(`${text} …`), clear: () => write("") };
}
