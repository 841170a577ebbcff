import { renameSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { counted } from "../../contracts/report/counted.ts";
import type { Configuration, ReadyLine } from "../../emulator/config/configuration.ts";
import { formatDuration } from "../../emulator/kernel/duration.ts";
import { formatInstant } from "../../emulator/kernel/instant.ts";
import { writeAdvice } from "../../emulator/runtime/process/file-advice.ts";
import { removeLocator, writeLocator } from "../../emulator/runtime/process/locator.ts";
import type { ServingEmulator } from "../../emulator/runtime/start.ts";
import { orExplain } from "../../emulator/runtime/start-problems.ts";
import type { Resumption } from "../../emulator/runtime/worlds/resumption.ts";
import { emulatorLoaded } from "../after-start.ts";
import { type Command, type Invocation, settingFlags, UsageError } from "../command.ts";
import { configurationOf, locatorFolder } from "../configuration.ts";
import { exitCodeOfFaults, runWithEmulator, startForCommand } from "../defect-exit.ts";
import { isJsonOutput, LOG_FLAGS, logOptionsOf } from "../request-log.ts";
import { endSoon, firstSignal } from "../signals.ts";
import { missingLines } from "../snapshot/lines.ts";
import { print, printError, withProgress } from "../terminal.ts";

export const command: Command = {
  summary: "start the emulator and run until SIGINT, SIGTERM or SIGHUP",
  operands: [],
  flags: {
    ...settingFlags(),
    ...LOG_FLAGS,
    detach: {
      help: "run in the background; print the ready line, and write all output to emulator.log in the data folder",
    },
    "ready-file": {
      value: "<file>",
      help: "file for the addresses, as a JSON object; written when requests are accepted",
    },
  },
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const signal = firstSignal();
  const resolved = await configurationOf(invocation);
  const folder = locatorFolder(resolved, invocation.cwd);
  if (invocation.flags.detach === true) {
    const { startDetached } = await import("../detached.ts");
    return orExplain(resolved.configuration, startDetached(invocation, folder));
  }
  const readyFile = readyFileOf(invocation);
  const log = logOptionsOf(invocation);
  const isJson = isJsonOutput(invocation);
  // A file left by a killed emulator would falsely report this one as ready.
  if (readyFile !== undefined) writeReadyFile(readyFile, undefined);
  const starting = startForCommand(resolved.configuration, log);
  const running = await withProgress(invocation, "starting", starting);
  const exitCode = await runWithEmulator(
    running,
    resolved.configuration,
    async (defectExit) => {
      let leaveKeys: (() => void) | undefined;
      try {
        const writing = (async () => writeLocator(folder, running.ready))();
        if (!(await orExplain(resolved.configuration, writing)))
          printError(
            `${folder} contains the locator file of another running emulator, which is kept; reach this one with --url`,
          );
        if (readyFile !== undefined) writeReadyFile(readyFile, running.ready);
        for (const line of missingLines(running.missing)) printError(line);
        if (running.damage) printError(`${running.damage.message} ${running.damage.hint}`);
        reportReady(running, resolved.configuration, invocation, isJson);
        // Only after the line has left the process.
        setImmediate(() => void running.prepare().then(emulatorLoaded));
        leaveKeys = isJson ? undefined : await keysOf(running, invocation);
        const outcome = await Promise.race([signal, defectExit]);
        return typeof outcome === "number" ? outcome : exitCodeOfFaults(running, resolved.configuration);
      } finally {
        leaveKeys?.();
        if (readyFile !== undefined) rmSync(readyFile, { force: true });
        removeLocator(folder, running.ready.pid);
      }
    },
    isJson,
  );
  if (process.stdout.isTTY && !isJson && invocation.flags.quiet !== true)
    print(stoppedLine(resolved.configuration, exitCode));
  endSoon(exitCode);
  return exitCode;
}

function stoppedLine({ dataFolder }: Configuration, exitCode: number): string {
  if (exitCode !== 0) return `stopped with exit code ${exitCode}`;
  return dataFolder === null ? "stopped" : "stopped; the state is saved";
}

function reportReady(
  { ready, clock, consoleUrl, resumption }: ServingEmulator,
  { dataFolder }: Configuration,
  { flags, cwd }: Invocation,
  isJson: boolean,
): void {
  if (flags.quiet === true) return;
  if (isJson) {
    const resumed = resumption && resumedView(resumption);
    print(JSON.stringify({ ...ready, console_url: consoleUrl, ...(resumed && { resumed }) }));
    return;
  }
  const dataNote = dataFolder === null ? "data in memory" : `data in ${dataFolder.replace(`${cwd}/`, "")}`;
  print(
    `ready: ${ready.url} (EU ${ready.eu_url}, S3 ${ready.s3_url}); ${dataNote}; seed ${ready.seed}; ${clock.mode} clock at ${ready.now}`,
  );
  if (resumption) print(resumedLine(resumption));
  print(`console: ${consoleUrl}`);
}

function resumedView({ at, clock, awayMs, due, isExact }: Resumption) {
  const { mode, rate, followsWall = false } = clock;
  return {
    at: formatInstant(at),
    mode,
    rate,
    follows_wall: followsWall,
    away_ms: awayMs,
    due,
    due_is_exact: isExact,
  };
}

function resumedLine({ at, clock, awayMs, due, isExact }: Resumption): string {
  const flowing = clock.rate === 1 ? "flowing" : `flowing at rate ${clock.rate}`;
  const mode = clock.followsWall
    ? `following the wall clock, away for ${formatDuration(awayMs - (awayMs % 1000))}`
    : clock.mode === "frozen"
      ? "frozen"
      : flowing;
  const events = `${isExact ? "" : "at least "}${counted(due, "event")} due`;
  return `resumed at ${formatInstant(at).replace(".000000Z", "Z")}, ${mode}, ${events}`;
}

/** On a terminal a key opens the console. The listener is loaded only there. */
async function keysOf(
  { consoleUrl }: ServingEmulator,
  { flags }: Invocation,
): Promise<(() => void) | undefined> {
  if (!process.stdin.isTTY || !process.stdout.isTTY || flags.quiet === true) return undefined;
  const { listenForKeys } = await import("../console/keys.ts");
  const { openInBrowser } = await import("../console/browser.ts");
  const onFailure = () => printError(`no program here opens an address; open ${consoleUrl} in a browser`);
  const leave = listenForKeys({ o: () => openInBrowser(consoleUrl, onFailure) });
  if (leave) print("press o to open the console, Ctrl-C to stop");
  return leave;
}

function readyFileOf({ flags, cwd }: Invocation): string | undefined {
  const file = flags["ready-file"];
  return typeof file === "string" ? resolve(cwd, file) : undefined;
}

/** Writes atomically: a reader of the file sees the whole line or none. */
function writeReadyFile(file: string, ready: ReadyLine | undefined): void {
  const temporary = `${file}.${process.pid}`;
  try {
    writeFileSync(temporary, ready === undefined ? "" : `${JSON.stringify(ready)}\n`, { mode: 0o600 });
    if (ready === undefined) {
      rmSync(file, { force: true });
      rmSync(temporary);
    } else renameSync(temporary, file);
  } catch (error) {
    throw new UsageError(`--ready-file: ${file} cannot be written: ${writeAdvice(error)}`);
  }
}
