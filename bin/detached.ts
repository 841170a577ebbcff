import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isAlive, readLocator } from "../emulator/runtime/process/locator.ts";
import { makeFolder } from "../emulator/runtime/process/make-folder.ts";
import { CommandFailure, type Invocation } from "./command.ts";
import { printError, withProgress } from "./terminal.ts";

const POLL_MS = 50;
const DETACH = "--detach";
/** The last lines that a start prints, as text and as JSON. */
const IS_READY = /^(console: |\{.*\}$)/m;

/** A problem that a start prints before those lines. */
const PROBLEM = /^emulator: (.*)\n/;

/** The output of a detached emulator, in its data folder. */
export function logOf(folder: string): string {
  return join(folder, "emulator.log");
}

/**
 * Starts the command line of this process without `--detach` in a process that continues after this one, and prints its
 * first lines when it accepts requests. Resolves with the exit code.
 */
export async function startDetached(invocation: Invocation, folder: string): Promise<number> {
  const present = readLocator(folder);
  if (present !== undefined && isAlive(present))
    throw new CommandFailure(
      `${present.url} (process ${present.pid}) already runs in ${folder}; stop it with \`emulator stop\`, or name another folder with --data`,
    );
  makeFolder(folder);
  const log = logOf(folder);
  const file = openSync(log, "a", 0o600);
  const begin = statSync(log).size;
  const words = process.argv.slice(2).filter((word) => word !== DETACH);
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? "", ...words], {
    cwd: invocation.cwd,
    detached: true,
    stdio: ["ignore", file, file],
    windowsHide: true,
  });
  closeSync(file);
  const exit = once(child, "exit").then(([code]) => Number(code ?? 1));
  let printedLength = 0;
  const output = () => readFileSync(log).subarray(begin).toString().slice(printedLength);
  // At once: they may say why the start takes long.
  const printProblems = () => {
    for (let line = PROBLEM.exec(output()); line; line = PROBLEM.exec(output())) {
      printError(line[1] ?? "");
      printedLength += line[0].length;
    }
  };
  const isReady = () =>
    readLocator(folder)?.pid === child.pid && (words.includes("--quiet") || IS_READY.test(output()));
  const code = await withProgress(invocation, "starting", firstOf(exit, isReady, printProblems));
  child.unref();
  printProblems();
  (code === 0 ? process.stdout : process.stderr).write(output());
  return code;
}

/** The exit code of a process that ends before it is ready, otherwise 0. */
async function firstOf(exit: Promise<number>, isReady: () => boolean, onPoll: () => void): Promise<number> {
  let exitCode: number | undefined;
  void exit.then((code) => {
    exitCode = code || 1;
  });
  while (exitCode === undefined && !isReady()) {
    onPoll();
    await pause(POLL_MS);
  }
  return exitCode ?? 0;
}
