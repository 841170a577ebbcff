import { once } from "node:events";

export const INTERRUPTED = "interrupted";

/** The result of work; `INTERRUPTED` if it is stopped before its end. */
export async function untilStopped<T>(
  begin: () => Promise<T>,
  stop: AbortSignal | undefined,
): Promise<T | typeof INTERRUPTED> {
  if (stop?.aborted) return INTERRUPTED;
  const work = begin();
  if (stop === undefined) return work;
  // Abandoned work may still fail.
  work.catch(() => undefined);
  const over = new AbortController();
  const stopped = once(stop, "abort", { signal: over.signal }).then(
    () => INTERRUPTED,
    () => INTERRUPTED,
  );
  return Promise.race([work, stopped]).finally(() => over.abort()) as Promise<T | typeof INTERRUPTED>;
}
