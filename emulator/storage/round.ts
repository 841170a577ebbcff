import { withResolvers } from "../kernel/deferred.ts";

/** Batches what becomes pending in one round of the event loop into one write at its end. */
export interface Round {
  /** Something waits: it is written before the round ends, or with the next `flush`; `isMuch` of it once the caller has returned. */
  due(isMuch?: boolean): void;
  /** Writes what waits now. Once that has failed, it throws the same each time. */
  flush(): void;
  /** Undefined when nothing waits; rejects when it could not be written. */
  flushed(): Promise<void> | undefined;
}

/** `onFailure` is called with a failure that no caller awaits. */
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
    due(isMuch = false) {
      if (isMuch) process.nextTick(endRound);
      if (round) return;
      round = withResolvers<void>();
      // A caller that awaits it gets the failure; without one it must not end the process.
      round.promise.catch(() => undefined);
      setImmediate(endRound);
    },
    flush,
    flushed: () => round?.promise,
  };
}
