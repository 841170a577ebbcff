import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Configuration, ReadyLine } from "../emulator/config/configuration.ts";
import type { WorldDefect } from "../emulator/runtime/defect.ts";
import type { RunningEmulator } from "../emulator/runtime/start.ts";
import { isFullDisk } from "../emulator/storage/full-disk.ts";
import { CommandFailure } from "./command.ts";
import { endSoon } from "./signals.ts";
import { printError } from "./terminal.ts";

/** The exit code of a command whose emulator could not go on. */
const DEFECT_EXIT_CODE = 5;

/**
 * Does a command's work with its emulator, then closes that. `breakdown` settles with the exit code once the
 * emulator cannot go on (law 6), after the user was told in one line what broke and what to do.
 */
export async function runWithEmulator(
  running: RunningEmulator,
  { dataFolder }: Configuration,
  work: (defectExit: Promise<number>) => Promise<number>,
): Promise<number> {
  let isBroken = false;
  const defectExit = running.defect.then((why) => {
    isBroken = true;
    // Nothing that a broken emulator holds may keep the process.
    endSoon(DEFECT_EXIT_CODE);
    printError(defectMessage(running.ready, dataFolder, why));
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

/** A snapshot that finds no room is no loss: it only sums up the journals beside it. */
function closingProblem(error: unknown): unknown {
  if ((error as Error).name === "ArchiveFileError") return new CommandFailure((error as Error).message);
  if (!isFullDisk(error)) return error;
  return new CommandFailure(
    `the disk is full or fails (${(error as Error).message}); nothing is lost, but make room`,
  );
}

function defectMessage(ready: ReadyLine, dataFolder: string | null, why: WorldDefect): string {
  const { error } = why;
  const what = error.message.split("\n", 1)[0];
  const kept = dataFolder === null ? "nothing was to be kept" : `${dataFolder} holds all that was answered`;
  if (isFullDisk(error)) return `the disk is full or fails (${what}); ${kept}. Make room, then start again`;
  if ("code" in error && error.code === "data_folder_lost")
    return `${what}; nothing more is written there. Start again`;
  const file = writeReport(ready, dataFolder, why);
  const report =
    file === undefined
      ? "please report it (its last turns could not be written down)"
      : `its last turns are in ${file}; please report it with that file`;
  const next = dataFolder === null ? "" : ": starting again goes on from there";
  return `a defect of the emulator, not of your requests: ${error.name}: ${what}; ${report}. ${kept}${next}`;
}

/** The defect and the last turns, one JSON object a line; they name records without their contents. */
function writeReport(ready: ReadyLine, dataFolder: string | null, why: WorldDefect): string | undefined {
  const head = { defect: why.error.stack, version: ready.version, seed: ready.seed, node: process.version };
  const lines = [head, ...why.journal.since(0)].map((line) => `${JSON.stringify(line)}\n`).join("");
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
