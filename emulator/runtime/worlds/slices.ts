/**
 * Wall-clock time for which moving a world's time keeps everything else waiting. A request takes several
 * turns of the event loop, so that it waits for a few times as long.
 */
export const SLICE_MS = 10;

/** Undefined within a slice; at its end, resolves when other work has had its turn, and the next slice begins. */
export type YieldWhenDue = () => Promise<void> | undefined;

/** The first slice begins now. */
export function startSlices(wallNow: () => number): YieldWhenDue {
  let began = wallNow();
  return () => {
    const elapsedMs = wallNow() - began;
    // A wall clock that was set back must not make a slice longer.
    if (elapsedMs >= 0 && elapsedMs < SLICE_MS) return undefined;
    return yieldToEventLoop().then(() => {
      began = wallNow();
    });
  };
}

/** Requests, timers and signals get their turn. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
