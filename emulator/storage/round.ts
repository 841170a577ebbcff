import { withResolvers } from "../kernel/deferred.ts";

/** What waits is written together, at the end of the round of the event loop in which it came. */
export interface Round {
  /** Something waits: it is written before the round ends, or with the next `flush`. */
  due(): void;
  /** Writes what waits now. Once that has failed, it throws the same each time. */
  flush(): void;
  /** Undefined when nothing waits; rejects when it could not be written. */
  flushed(): Promise<void> | undefined;
}

/** `onFailure` hears of a failure where nobody waits. */
export function createRound(write: () => void, onFailure?: (error: Error) => void): Round {
  let failure: Error | undefined;
  let round: ReturnType<typeof withResolvers<void>> | undefined;

  function flush(): void {
    if (failure) throw failure;
    try {
      write();
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
    due() {
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
