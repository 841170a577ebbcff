import { withResolvers } from "../kernel/deferred.ts";

/**
 * Batches everything that becomes pending in one round of the event loop into one write at its end. `onFailure` is called with
 * a failure that no caller awaits.
 */
export function createRound(write: () => void, onFailure?: (error: Error) => void) {
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
    const current = round;
    round = undefined;
    try {
      flush();
      current?.resolve();
    } catch (error) {
      current?.reject(error);
      onFailure?.(error as Error);
    }
  }

  return {
    /** Marks data as pending: it is written at the end of the round or with the next `flush`; if it `isMuch`, as soon as the caller returns. */
    due(isMuch = false): void {
      if (isMuch) process.nextTick(endRound);
      if (round) return;
      round = withResolvers<void>();
      // A caller that awaits it receives the failure. Without a caller, the failure must not end the process.
      round.promise.catch(() => undefined);
      setImmediate(endRound);
    },
    /** Writes pending data now. After a failure, every call throws the same error. */
    flush,
    /** Resolves when pending data is written, and rejects when that fails; undefined when nothing is pending. */
    flushed: (): Promise<void> | undefined => round?.promise,
  };
}
