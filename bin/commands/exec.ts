import { type ChildProcess, spawn } from "node:child_process";
import { childEnvironment } from "../../emulator/client/child-environment.ts";
import { type Command, type Invocation, settingFlags } from "../command.ts";
import { configurationOf } from "../configuration.ts";
import { runWithEmulator } from "../defect-exit.ts";
import { exitCodeAfter } from "../signals.ts";
import { missingLines } from "../snapshot/lines.ts";
import { startOrExplain } from "../start-problems.ts";
import { printError } from "../terminal.ts";
import { exitCodeOfFaults } from "../untriggered-faults.ts";

const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
const FORWARDED_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

export const command: Command = {
  summary: "start on free ports, run a command with the addresses in its environment, stop",
  operands: ["-- <cmd…>"],
  flags: {
    ...settingFlags(),
    port: { value: "<n>", help: "US origin; EU = port + 1, S3 = port + 2 (default 0: free ports)" },
    data: { value: "<dir>", help: "data folder, kept afterwards (default: memory and a temporary folder)" },
  },
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const signals = forwardSignals();
  const { flags } = invocation;
  const kept = flags.data === undefined ? { ephemeral: true } : {};
  const { configuration } = await configurationOf({ ...invocation, flags: { port: "0", ...kept, ...flags } });
  const running = await startOrExplain(configuration);
  return runWithEmulator(running, configuration, async (defectExit) => {
    if (signals.early !== undefined) return exitCodeAfter(signals.early);
    for (const line of missingLines(running.missing)) printError(line);
    // Without its emulator the child's result means nothing.
    void defectExit.then(() => signals.pass("SIGTERM"));
    const child = runChild(invocation, childEnvironment(running.ready), signals.passTo);
    const exitCode = await Promise.race([child, defectExit]);
    const faultsCode = exitCodeOfFaults(running, configuration);
    return exitCode === 0 ? faultsCode : exitCode;
  });
}

/** The child's exit code, or 128 + the number of the signal that ended it. */
function runChild(
  { operands, cwd, env }: Invocation,
  addresses: Readonly<Record<string, string>>,
  passTo: (child: ChildProcess) => void,
): Promise<number> {
  const [name = "", ...words] = operands;
  const child = spawn(name, words, {
    cwd,
    env: { ...env, ...addresses },
    stdio: "inherit",
    // On Windows npm commands are scripts, which only a shell can start.
    shell: process.platform === "win32",
  });
  passTo(child);
  // The child is ended with this process, whatever the reason.
  const endChild = () => void child.kill("SIGKILL");
  process.once("exit", endChild);
  return new Promise<number>((settle) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      const isMissing = error.code === "ENOENT";
      printError(isMissing ? `${name}: no such command` : `${name}: cannot be started (${error.code})`);
      settle(isMissing ? NOT_FOUND : NOT_EXECUTABLE);
    });
    child.once("exit", (code, signal) => settle(code ?? exitCodeAfter(signal ?? "SIGKILL")));
  }).finally(() => process.off("exit", endChild));
}

/** Forwards signals to the child; a signal before the child exists aborts the start. */
function forwardSignals() {
  let child: ChildProcess | undefined;
  const state = {
    early: undefined as NodeJS.Signals | undefined,
    passTo(to: ChildProcess) {
      child = to;
    },
    pass: (signal: NodeJS.Signals) => void child?.kill(signal),
  };
  for (const signal of FORWARDED_SIGNALS)
    process.on(signal, () => {
      if (child === undefined) state.early = signal;
      // A terminal sends SIGINT to the child too, and many programs treat a second one as "force quit".
      else if (signal !== "SIGINT" || process.stdin.isTTY !== true) child.kill(signal);
    });
  return state;
}
