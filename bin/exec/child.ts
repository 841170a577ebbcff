import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { isatty } from "node:tty";
import type { Invocation } from "../command.ts";
import { printFailure } from "../failure.ts";
import { exitCodeAfter } from "../signals.ts";
import { printError } from "../terminal.ts";

const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
const FORWARDED_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;
const KILL_AFTER_MS = 10_000;
const POLL_MS = 50;

/** A command that was started, with the processes of its group. */
export interface RunningChild {
  readonly process: ChildProcess;
  /** Its exit code, or 128 + the number of the signal that ended it. After `signal` it waits for the whole group. */
  readonly exitCode: Promise<number>;
  /** Signals the group. A second call, or 10 s, ends it with SIGKILL. */
  signal(name: NodeJS.Signals): void;
  kill(): void;
}

/** Starts a command with the addresses in its environment. Without `stdio` it shares the streams of this process. */
export function startChild(
  { operands, flags, cwd, env }: Invocation,
  addresses: Readonly<Record<string, string>>,
  stdio: StdioOptions = "inherit",
): RunningChild {
  const [name = "", ...words] = operands;
  const isWindows = process.platform === "win32";
  const hasGroup = !isWindows && !(stdio === "inherit" && isOnTerminal());
  // Node makes a shared pipe non-blocking when it opens these streams, at the latest when a socket closes. The command
  // would lose output. Starting the command makes the pipe blocking again, so they are opened before.
  if (stdio === "inherit") void [process.stdout, process.stderr];
  const child = spawn(name, words, {
    cwd,
    env: { ...env, ...addresses },
    stdio,
    detached: hasGroup,
    // On Windows npm commands are scripts, which only a shell can start.
    shell: isWindows,
  });
  const send = (signal: NodeJS.Signals | 0) => sendTo(child, hasGroup, signal);
  let killTimer: NodeJS.Timeout | undefined;
  let hasEnded = false;
  const kill = () => void send("SIGKILL");
  // The child is ended with this process, whatever the reason.
  process.once("exit", kill);

  async function finish(): Promise<number> {
    const exitCode = await endOf(child, name, flags.json === true);
    // The group may be alive after its first process. The timer kills it.
    while (killTimer !== undefined && hasGroup && send(0)) await pause(POLL_MS);
    return exitCode;
  }

  return {
    process: child,
    exitCode: finish().finally(() => {
      hasEnded = true;
      clearTimeout(killTimer);
      process.off("exit", kill);
    }),
    signal(signal) {
      if (hasEnded) return;
      send(killTimer === undefined ? signal : "SIGKILL");
      killTimer ??= setTimeout(kill, KILL_AFTER_MS);
    },
    kill,
  };
}

/** A command on a terminal stays in the foreground group, which the terminal signals; others get a group of their own. */
function isOnTerminal(): boolean {
  return [0, 1, 2].some((descriptor) => isatty(descriptor));
}

/** Whether a process received the signal; 0 only tests for one. */
function sendTo(child: ChildProcess, hasGroup: boolean, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  if (!hasGroup) return child.kill(signal);
  try {
    return process.kill(-child.pid, signal);
  } catch {
    return false;
  }
}

function endOf(child: ChildProcess, name: string, isJson: boolean): Promise<number> {
  return new Promise((settle) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      const isMissing = error.code === "ENOENT";
      const text = isMissing
        ? `${name}: no such command; check its name, or give its path`
        : `${name}: cannot be started (${error.code}); name a program that may be executed`;
      if (isJson) printFailure("wrong_use", [text]);
      else printError(text);
      settle(isMissing ? NOT_FOUND : NOT_EXECUTABLE);
    });
    child.once("exit", (code, signal) => settle(code ?? exitCodeAfter(signal ?? "SIGKILL")));
  });
}

/** Forwards signals to the child; a signal before the child exists aborts the start. */
export function forwardSignals() {
  let child: RunningChild | undefined;
  const state = {
    early: undefined as NodeJS.Signals | undefined,
    passTo(to: RunningChild): RunningChild {
      child = to;
      if (state.early !== undefined) child.signal(state.early);
      return child;
    },
    pass: (signal: NodeJS.Signals) => child?.signal(signal),
  };
  for (const signal of FORWARDED_SIGNALS)
    process.on(signal, () => {
      if (child === undefined) {
        if (state.early !== undefined) process.exit(exitCodeAfter(signal));
        state.early = signal;
        return;
      }
      // A terminal sends these to the child too, and many programs treat a second one as "force quit".
      const isFromTerminal = (signal === "SIGINT" || signal === "SIGQUIT") && isOnTerminal();
      if (!isFromTerminal) child.signal(signal);
    });
  return state;
}
