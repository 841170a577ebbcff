import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { holderOf } from "../../emulator/runtime/process/folder-lock.ts";
import { makeFolder } from "../../emulator/runtime/process/make-folder.ts";
import { start } from "../../emulator/runtime/start.ts";
import { orExplain } from "../../emulator/runtime/start-problems.ts";
import { type Command, type Invocation, UsageError } from "../command.ts";
import { configurationOf } from "../configuration.ts";
import { runWithEmulator } from "../defect-exit.ts";
import { runDemo } from "../demo/run.ts";
import { openProgress } from "../progress.ts";
import { firstSignal, untilSignal } from "../signals.ts";
import { printResult } from "../terminal.ts";

const DEFAULT_FOLDER = ".emulator/demo";
/** Start of virtual time (a Tuesday): sample traces of the three days before it are exported. */
const NOW = "2026-01-06T00:00:00Z";

export const command: Command = {
  summary: "show a complete example: ingest traces, export over virtual time, verify the Parquet files",
  operands: [],
  flags: {
    data: { value: "<dir>", help: `folder for the demo (default ${DEFAULT_FOLDER})` },
    seed: { value: "<n>", help: "seed of ids and sample data (default 1)" },
  },
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const { flags, cwd } = invocation;
  const folder = resolve(cwd, typeof flags.data === "string" ? flags.data : DEFAULT_FOLDER);
  // Ignores the configuration file and the environment, so that the demo is the same everywhere.
  const { configuration } = await configurationOf(
    { ...invocation, env: {}, flags: { ...flags, data: folder, port: "0", clock: "frozen", now: NOW } },
    false,
  );
  await orExplain(configuration, makeDemoFolder(folder));
  const progress = openProgress(invocation);
  const interrupted = firstSignal();
  const running = await orExplain(configuration, start(configuration));
  return runWithEmulator(
    running,
    configuration,
    async (breakdown) => {
      try {
        const demoRun = runDemo(running, progress);
        const ending = Promise.race([demoRun, breakdown]);
        const account = await untilSignal(ending, progress.account, interrupted);
        if (typeof account === "number") return account;
        progress.clear();
        printResult(invocation, account.facts, account.lines);
        return account.facts.verified ? 0 : 1;
      } finally {
        progress.clear();
      }
    },
    flags.json === true,
  );
}

/** File that marks folders created by the demo, which it may empty. */
const MARK = ".made-by-demo";

/** Empties or creates the demo's folder. Throws `UsageError` for a folder with other contents. */
async function makeDemoFolder(folder: string): Promise<void> {
  makeFolder(folder);
  if (readdirSync(folder).length > 0) {
    if (!existsSync(join(folder, MARK)))
      throw new UsageError(
        `${folder}: contains files that the demo did not make; name an empty folder with --data`,
      );
    const holder = await holderOf(folder);
    if (holder !== undefined)
      throw new UsageError(`${folder}: in use by ${holder}; stop it, or name another folder`);
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
  }
  writeFileSync(join(folder, MARK), "Emptied by each `emulator demo`.\n");
}
