import { renameSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Configuration, ReadyLine } from "../../emulator/config/configuration.ts";
import { removeLocator, writeLocator } from "../../emulator/storage/locator.ts";
import type { FaultRule } from "../../emulator/subjects/faults/rules.ts";
import { workWith } from "../breakdown.ts";
import { type Command, type Invocation, settingFlags, UsageError } from "../command.ts";
import { configurationOf, locatorFolder } from "../configuration.ts";
import { endSoon, signalled } from "../signals.ts";
import { missingLines } from "../snapshot-lines.ts";
import { startOrExplain } from "../start-problems.ts";
import { complain, print } from "../terminal.ts";

export const command: Command = {
  summary: "start everything and run until SIGINT or SIGTERM",
  operands: [],
  flags: {
    ...settingFlags(),
    "ready-file": { value: "<file>", help: "file that the ready line is written to when ready" },
  },
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const signal = signalled();
  const resolved = await configurationOf(invocation);
  const folder = locatorFolder(resolved, invocation.cwd);
  const readyFile = readyFileOf(invocation);
  // Left by an emulator that was killed, it would tell that this one is ready.
  if (readyFile !== undefined) writeReadyFile(readyFile, undefined);
  const running = await startOrExplain(resolved.configuration);
  const exitCode = await workWith(running, resolved.configuration, async (breakdown) => {
    try {
      if (!writeLocator(folder, running.ready))
        complain(
          `${folder} has the locator of another running emulator, which is kept; find this one with --url`,
        );
      if (readyFile !== undefined) writeReadyFile(readyFile, running.ready);
      for (const line of missingLines(running.missing)) complain(line);
      announce(running.ready, resolved.configuration, invocation);
      const ended = await Promise.race([signal, breakdown]);
      if (typeof ended === "number") return ended;
      return resolved.configuration.settings.strict ? complainOfFaults(running.unstruckFaults()) : 0;
    } finally {
      if (readyFile !== undefined) rmSync(readyFile, { force: true });
      removeLocator(folder, running.ready.pid);
    }
  });
  endSoon(exitCode);
  return exitCode;
}

const UNSTRUCK = 4;

/** Under `--strict` a fault that waited in vain is an error: the test that armed it has shown nothing. */
function complainOfFaults(unstruck: readonly FaultRule[]): number {
  for (const { id, plane, match, then } of unstruck)
    complain(`fault ${id} never struck: ${JSON.stringify({ plane, match, then })}`);
  return unstruck.length > 0 ? UNSTRUCK : 0;
}

function announce(ready: ReadyLine, configuration: Configuration, { flags, cwd }: Invocation): void {
  if (flags.quiet === true) return;
  if (flags.json === true) {
    print(JSON.stringify(ready));
    return;
  }
  const { dataFolder, clock } = configuration;
  const kept = dataFolder === null ? "nothing kept" : `data in ${dataFolder.replace(`${cwd}/`, "")}`;
  print(
    `ready: ${ready.url} (EU ${ready.eu_url}, S3 ${ready.s3_url}); ${kept}; seed ${ready.seed}; ${clock.mode} clock at ${ready.now}`,
  );
}

function readyFileOf({ flags, cwd }: Invocation): string | undefined {
  const file = flags["ready-file"];
  return typeof file === "string" ? resolve(cwd, file) : undefined;
}

/** Whoever watches the file sees the whole line or none. */
function writeReadyFile(file: string, ready: ReadyLine | undefined): void {
  const temporary = `${file}.${process.pid}`;
  try {
    writeFileSync(temporary, ready === undefined ? "" : `${JSON.stringify(ready)}\n`, { mode: 0o600 });
    if (ready === undefined) {
      rmSync(file, { force: true });
      rmSync(temporary);
    } else renameSync(temporary, file);
  } catch (error) {
    throw new UsageError(
      `--ready-file: ${file} cannot be written (${(error as NodeJS.ErrnoException).code}); check its folder`,
    );
  }
}
