import { withResolvers } from "../../kernel/deferred.ts";

/** Lines that are written together: one call of the system for all that is kept in one round of the event loop. */
export interface Batch {
  add(line: string): void;
  /** Adds a line that is written before the round ends, or with the next `flush`. */
  addSoon(line: string): void;
  flush(): void;
  /** Undefined when nothing waits; rejects when the lines could not be written. */
  flushed(): Promise<void> | undefined;
}

/**
 * Once `write` has thrown, every later `flush` throws the same; `onFailure` hears of it where nobody waits.
 */
export function createBatch(write: (lines: string) => void, onFailure?: (error: Error) => void): Batch {
  let lines = "";
  let failure: Error | undefined;
  let round: ReturnType<typeof withResolvers<void>> | undefined;

  function flush(): void {
    if (failure) throw failure;
    if (lines === "") return;
    const due = lines;
    lines = "";
    try {
      write(due);
    } catch (error) {
      failure = error as Error;
      throw error;
    }
  }

  function endRound(): void {
    const ended = round;
    round = undefined;
    try {
      flush();
      ended?.resolve();
    } catch (error) {
      ended?.reject(error);
      onFailure?.(error as Error);
    }
  }

  return {
    add(line) {
      lines += line;
    },
    addSoon(line) {
      lines += line;
      if (round) return;
      round = withResolvers<void>();
      // Whoever waits for it hears of a failure; it is no failure of the process when nobody does.
      round.promise.catch(() => undefined);
      setImmediate(endRound);
    },
    flush,
    flushed: () => round?.promise,
  };
}
