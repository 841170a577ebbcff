import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import type { Invocation } from "../command.ts";
import { exitCodeAfter } from "../signals.ts";
import { printError } from "../terminal.ts";

const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
const FORWARDED_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/** The child's exit code, or 128 + the number of the signal that ended it. */
export function runChild(
  { operands, cwd, env }: Invocation,
  addresses: Readonly<Record<string, string>>,
  passTo: (child: ChildProcess) => void,
  stdio: StdioOptions = "inherit",
): Promise<number> {
  const [name = "", ...words] = operands;
  const child = spawn(name, words, {
    cwd,
    env: { ...env, ...addresses },
    stdio,
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
      printError(
        isMissing
          ? `${name}: no such command; check its name, or give its path`
          : `${name}: cannot be started (${error.code})`,
      );
      settle(isMissing ? NOT_FOUND : NOT_EXECUTABLE);
    });
    child.once("exit", (code, signal) => settle(code ?? exitCodeAfter(signal ?? "SIGKILL")));
  }).finally(() => process.off("exit", endChild));
}

/** Forwards signals to the child; a signal before the child exists aborts the start. */
export function forwardSignals() {
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
