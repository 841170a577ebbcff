import { constants } from "node:os";

const SIGNAL_BASE = 128;
const FORCED_EXIT_CODE = 130;
const OPEN_HANDLES_GRACE_MS = 5_000;
const KEEP_ALIVE_MS = 60_000;

/**
 * Settles with the first SIGINT or SIGTERM; a second one ends the process at once. To be called before
 * anything is started, so that a signal during the start is not lost.
 */
export function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((settle) => {
    let count = 0;
    const onSignal = (signal: NodeJS.Signals) => {
      count += 1;
      if (count > 1) process.exit(FORCED_EXIT_CODE);
      settle(signal);
    };
    process.on("SIGINT", onSignal);
    process.on("SIGTERM", onSignal);
  });
}

/** The exit code of a process that a signal has ended, as shells have it. */
export function exitCodeAfter(signal: NodeJS.Signals): number {
  return SIGNAL_BASE + constants.signals[signal];
}

/** Waits for a signal although nothing else is under way, which alone would end the process. */
export async function waitedFor(signal: Promise<NodeJS.Signals>): Promise<NodeJS.Signals> {
  const hold = setInterval(() => {}, KEEP_ALIVE_MS);
  try {
    return await signal;
  } finally {
    clearInterval(hold);
  }
}

/** Ends the process although something was left open; does nothing when the process ends by itself. */
export function endSoon(exitCode: number): void {
  setTimeout(() => process.exit(exitCode), OPEN_HANDLES_GRACE_MS).unref();
}
