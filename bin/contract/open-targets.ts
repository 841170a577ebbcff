import type { Target } from "../../contracts/engine/target.ts";
import { CommandFailure } from "../command.ts";
import { ENDING_SIGNALS, endSoon, exitCodeAfter } from "../signals.ts";
import { printError } from "../terminal.ts";

/** The targets of a command; they are closed however the command ends. */
export interface OpenTargets {
  open(make: () => Promise<Target>): Promise<Target>;
  /** Does work that a signal does not cut off: it looks at `interrupted` and ends by itself. */
  during<T>(work: () => Promise<T>): Promise<T>;
  readonly interrupted: AbortSignal;
  /** The exit code after a signal. */
  readonly exitCode: number | undefined;
  close(): Promise<void>;
}

/** Ignores a failed open: its caller has received the error. */
async function closeOne(opening: Promise<Target>): Promise<void> {
  const target = await opening.catch(() => undefined);
  await target?.close();
}

/** The first signal closes the targets and ends the process, after the work at hand; the second ends it at once. */
export function openTargets(): OpenTargets {
  const openings: Promise<Target>[] = [];
  let closing: Promise<void> | undefined;

  /** Waits for a target that is still opening: it may already have created something. */
  async function closeAll(): Promise<void> {
    const closings = await Promise.allSettled(openings.map(closeOne));
    for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
    const failure = closings.find((each) => each.status === "rejected");
    if (failure) throw failure.reason;
  }

  function close(): Promise<void> {
    closing ??= closeAll();
    return closing;
  }

  const interruption = new AbortController();
  let isWorking = false;
  let exitCode: number | undefined;

  function onSignal(signal: (typeof ENDING_SIGNALS)[number]): void {
    const code = exitCodeAfter(signal);
    if (exitCode !== undefined) process.exit(code);
    exitCode = code;
    interruption.abort();
    if (isWorking) return;
    printError(`stopped by ${signal}`);
    // A target that does not answer does not hold the command.
    endSoon(code);
    void close()
      .catch(() => undefined)
      .finally(() => process.exit(code));
  }

  for (const signal of ENDING_SIGNALS) process.on(signal, onSignal);
  return {
    async open(make) {
      if (closing) throw new CommandFailure("the run was interrupted");
      const target = make();
      openings.push(target);
      return target;
    },
    async during(work) {
      isWorking = true;
      return work().finally(() => {
        isWorking = false;
      });
    },
    interrupted: interruption.signal,
    get exitCode() {
      return exitCode;
    },
    close,
  };
}
