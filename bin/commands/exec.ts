import { CHILD_VARIABLES, childEnvironment } from "../../emulator/client/child-environment.ts";
import { FIRST_INSTANT, FIXTURES_URL } from "../../emulator/entries/fixtures/defaults.ts";
import { emulatorLoaded } from "../after-start.ts";
import { type Command, type Invocation, settingFlags, UsageError } from "../command.ts";
import { configurationOf } from "../configuration.ts";
import { exitCodeOfFaults, runWithEmulator, startForCommand } from "../defect-exit.ts";
import type { CommandCapsule } from "../exec/capsule.ts";
import { forwardSignals, startChild } from "../exec/child.ts";
import { explorationFlags, refuseBounds } from "../replay/bounds.ts";
import { exitCodeAfter } from "../signals.ts";
import { missingLines } from "../snapshot/lines.ts";
import { printError } from "../terminal.ts";

export const command: Command = {
  summary:
    "start an emulator on free ports, run a command with the emulator's addresses in its environment (as `emulator env` prints them), then stop the emulator; exits with the code of the command; with --strict it exits with 4 if that code is 0 and an armed fault never triggered; with --vary or --sweep it exits with 1 if a run fails",
  operands: ["-- <command…>"],
  flags: {
    ...settingFlags(),
    port: {
      value: "<n>",
      help: "port of the US region; the EU region uses the next port, and S3 the one after it (default 0: free ports)",
    },
    data: {
      value: "<dir>",
      help: "data folder, which remains afterwards (default: memory and a temporary folder)",
    },
    ephemeral: { help: "store nothing: ignore --data" },
    fixtures: {
      help: "for watch modes: tests that use the test fixtures of the package share this emulator, with the clock and rate limits of the fixtures, instead of starting one for each run (docs/do/watch-mode.md)",
    },
    capsule: {
      value: "<file>",
      help: "when the command fails, write a capsule: a file with its requests to the world main; `emulator open <file>` shows the failure",
    },
    ...explorationFlags("command"),
    jobs: { value: "<n>", help: "with --vary or --sweep: runs of the command at the same time (default 1)" },
    report: {
      value: "pretty|junit|json|md",
      help: "with --vary or --sweep: report format (default pretty)",
    },
    output: {
      value: "<file>",
      help: "with --vary or --sweep: file for the report (default: standard output)",
    },
  },
  note: `Variables of the command: ${CHILD_VARIABLES}.`,
  run,
};

const FIXTURE_FLAGS = { clock: "frozen", now: FIRST_INSTANT, "rate-limits": "off" };

async function run(invocation: Invocation): Promise<number> {
  const { vary, sweep, fixtures } = invocation.flags;
  const isExploring = vary !== undefined || sweep !== undefined;
  if (isExploring && fixtures !== undefined)
    throw new UsageError("--fixtures: it cannot be combined with --vary or --sweep; remove it");
  if (isExploring) return (await import("../exec/explore.ts")).exploreCommand(invocation);
  refuseBounds(invocation.flags, "shard", "jobs", "report", "output");
  const capsule = await capsuleOf(invocation);
  const signals = forwardSignals();
  const { flags } = invocation;
  const storageFlags = flags.data === undefined ? { ephemeral: true } : {};
  const fixtureFlags = flags.fixtures === true ? FIXTURE_FLAGS : {};
  const { configuration } = await configurationOf({
    ...invocation,
    flags: { port: "0", ...storageFlags, ...fixtureFlags, ...flags },
  });
  const running = await startForCommand(configuration);
  return runWithEmulator(running, configuration, async (defectExit) => {
    if (signals.early !== undefined) return exitCodeAfter(signals.early);
    for (const line of missingLines(running.missing)) printError(line);
    // Without its emulator the child's result means nothing.
    void defectExit.then(() => signals.pass("SIGTERM"));
    const variables: Record<string, string> = { ...childEnvironment(running.ready) };
    if (flags.fixtures === true) variables[FIXTURES_URL] = running.ready.url;
    const child = signals.passTo(startChild(invocation, variables));
    const exitCode = await Promise.race([child.exitCode, defectExit]);
    emulatorLoaded();
    if (exitCode !== 0) await capsule?.keep(running.ready.url, exitCode);
    const faultsCode = exitCodeOfFaults(running, configuration);
    return exitCode === 0 ? faultsCode : exitCode;
  });
}

async function capsuleOf(invocation: Invocation): Promise<CommandCapsule | undefined> {
  if (invocation.flags.capsule === undefined) return undefined;
  return (await import("../exec/capsule.ts")).commandCapsule(invocation);
}
