import { constants } from "node:os";
import { Interrupted } from "./command.ts";

/** Exit code of an emulator that cannot continue. */
export const DEFECT_EXIT_CODE = 5;
const SIGNAL_BASE = 128;
const FORCED_EXIT_CODE = 130;
const OPEN_HANDLES_GRACE_MS = 5_000;
const KEEP_ALIVE_MS = 60_000;

/** Signals that end a command in order. SIGHUP: its terminal was closed. */
export const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Resolves at the first SIGINT, SIGTERM or SIGHUP; the second ends the process at once. Call it before
 * starting anything, so that a signal during the start is not lost.
 */
export function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((settle) => {
    let count = 0;
    const onSignal = (signal: NodeJS.Signals) => {
      count += 1;
      if (count > 1) process.exit(FORCED_EXIT_CODE);
      settle(signal);
    };
    for (const signal of ENDING_SIGNALS) process.on(signal, onSignal);
  });
}

/** The exit code of a process ended by a signal: 128 + its number. */
export function exitCodeAfter(signal: NodeJS.Signals): number {
  return SIGNAL_BASE + constants.signals[signal];
}

/** The result of work. Throws `Interrupted` at the first signal; `account` describes the completed work. */
export async function untilSignal<T>(
  work: Promise<T>,
  account: () => string,
  signal: Promise<NodeJS.Signals> = firstSignal(),
): Promise<T> {
  // After a signal the work may still fail.
  work.catch(() => undefined);
  return Promise.race([
    work,
    signal.then((name) => {
      throw new Interrupted(name, account());
    }),
  ]);
}

/** Work that a signal stops, and that then reports what it has done. */
export interface StoppableWork<T> {
  /** Ends soon after `stop` is aborted. */
  work(stop: AbortSignal): Promise<T>;
  account(): string;
  /** Returns the exit code. */
  report(result: T): number;
}

/** The exit code of reported work. Throws `Interrupted` after the report if a signal has stopped the work. */
export async function reportAlsoWhenStopped<T>(
  { work, account, report }: StoppableWork<T>,
  signal: Promise<NodeJS.Signals> = firstSignal(),
): Promise<number> {
  const stop = new AbortController();
  let interruption: NodeJS.Signals | undefined;
  void signal.then((name) => {
    interruption = name;
    stop.abort();
  });
  const result = await work(stop.signal);
  const completedWork = account();
  const exitCode = report(result);
  if (interruption !== undefined) throw new Interrupted(interruption, completedWork, true);
  return exitCode;
}

/** Waits for a signal and keeps the process alive meanwhile. */
export async function waitForSignal(signal: Promise<NodeJS.Signals>): Promise<NodeJS.Signals> {
  const hold = setInterval(() => {}, KEEP_ALIVE_MS);
  try {
    return await signal;
  } finally {
    clearInterval(hold);
  }
}

/** Ends the process if open handles keep it alive. */
export function endSoon(exitCode: number): void {
  setTimeout(() => process.exit(exitCode), OPEN_HANDLES_GRACE_MS).unref();
}
