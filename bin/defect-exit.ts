import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printable } from "../contracts/report/printable.ts";
import { printExact } from "../contracts/spec/exact-json.ts";
import type { Configuration, ReadyLine } from "../emulator/config/configuration.ts";
import { isFullDisk } from "../emulator/kernel/system-refusal.ts";
import type { WorldDefect } from "../emulator/runtime/process/defect.ts";
import type { LogOptions } from "../emulator/runtime/request-log.ts";
import { type ServingEmulator, serve } from "../emulator/runtime/start.ts";
import { orExplain } from "../emulator/runtime/start-problems.ts";
import { StoreError } from "../emulator/storage/store-error.ts";
import { CommandFailure } from "./command.ts";
import { printFailure } from "./failure.ts";
import { DEFECT_EXIT_CODE, endSoon } from "./signals.ts";
import { printError } from "./terminal.ts";

/**
 * Runs a command's work with its emulator, then closes the emulator. `breakdown` resolves with the exit code after
 * a defect has ended the emulator; the user has then been given the cause and the next step in one line.
 */
export async function runWithEmulator(
  running: ServingEmulator,
  { dataFolder }: Configuration,
  work: (defectExit: Promise<number>) => Promise<number>,
  isJson = false,
): Promise<number> {
  let isBroken = false;
  const defectExit = running.defect.then((why) => {
    isBroken = true;
    // A failed emulator must not keep the process alive.
    endSoon(DEFECT_EXIT_CODE);
    const message = defectMessage(running.ready, dataFolder, why);
    if (isJson) printFailure("defect", [message]);
    else printError(message);
    return DEFECT_EXIT_CODE;
  });
  try {
    return await work(defectExit);
  } finally {
    await running.close().catch((error) => {
      if (!isBroken) throw closingProblem(error);
    });
  }
}

/** A snapshot that cannot be written loses nothing: the journals hold the same data. */
function closingProblem(error: unknown): unknown {
  if ((error as Error).name === "ArchiveFileError") return new CommandFailure((error as Error).message);
  if (!isFullDisk(error)) return error;
  return new CommandFailure(
    `the disk is full or fails (${(error as Error).message}); no data is lost; free disk space`,
  );
}

function defectMessage(ready: ReadyLine, dataFolder: string | null, why: WorldDefect): string {
  const { error } = why;
  const problem = error.message.split("\n", 1)[0];
  const dataNote =
    dataFolder === null ? "the data was in memory" : `${dataFolder} holds all acknowledged data`;
  if (isFullDisk(error)) {
    const remedy = error.code === "EFBIG" ? "Raise the limit of files (`ulimit -f`)" : "Free disk space";
    return `the disk is full or fails (${problem}); ${dataNote}. ${remedy}, then start again`;
  }
  if (error instanceof StoreError) return `${problem} ${error.hint}`;
  if ("code" in error && error.code === "data_folder_lost")
    return `${problem}; nothing more is written there. Start again`;
  const file = writeReport(ready, dataFolder, why);
  const report =
    file === undefined
      ? "please report it (its last turns could not be written to a file)"
      : `its last turns are in ${file}; please report it with that file`;
  const next = dataFolder === null ? "" : ": start again to continue from it";
  return `a defect of the emulator, not of your requests: ${error.name}: ${problem}; ${report}. ${dataNote}${next}`;
}

/** Writes the defect and the last turns as NDJSON; records are named without their contents. */
function writeReport(ready: ReadyLine, dataFolder: string | null, why: WorldDefect): string | undefined {
  const header = { defect: why.error.stack, version: ready.version, seed: ready.seed, node: process.version };
  const lines = [header, ...why.journal.since(0)].map((line) => `${printable(printExact(line))}\n`).join("");
  const name = `defect-${ready.pid}.ndjson`;
  try {
    const folder = dataFolder ?? mkdtempSync(join(tmpdir(), "emulator-defect-"));
    const file = join(folder, name);
    writeFileSync(file, lines, { mode: 0o600 });
    return file;
  } catch {
    return undefined;
  }
}

/** Starts the emulator of a command. Throws `StartProblem` (exit code 2) for problems that the user can fix. */
export async function startForCommand(
  configuration: Configuration,
  log?: LogOptions,
): Promise<ServingEmulator> {
  return orExplain(configuration, serve(configuration, { log, onWait: printError }));
}

const UNTRIGGERED_FAULTS = 4;

/**
 * The exit code for an emulator's faults. Under `--strict` a fault that was armed and never triggered is an
 * error and is printed, since the test that armed it proved nothing.
 */
export function exitCodeOfFaults(running: ServingEmulator, { settings }: Configuration): number {
  const untriggered = settings.strict ? running.untriggeredFaults() : [];
  for (const { id, target, match, then } of untriggered)
    printError(`fault ${id} was never triggered: ${printExact({ target, match, then })}`);
  return untriggered.length > 0 ? UNTRIGGERED_FAULTS : 0;
}
