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
    return nextSlice().then(() => {
      began = wallNow();
    });
  };
}

/** Who waits for a slice, in all worlds of this process: many worlds keep a request waiting no longer than one. */
const waiting: (() => void)[] = [];

function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(beginSlice);
  });
}

function beginSlice(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(beginSlice);
}
