import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { asOf } from "./client.ts";
import { revision } from "./live.ts";

/** Data of the world that a view reads again when turns arrive. */
export interface Resource<T> {
  readonly value: T | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
}

/**
 * Reads with `load` now, when `key`, `variant` or `asOf` changes, and after new turns. The last value stays until the
 * next value arrives, so that nothing flickers, unless `key` changes. After the first value it reads when no turn has arrived for `restMs`. While a request is pending, at most one more waits.
 */
export function useResource<T>(key: string, load: () => Promise<T>, variant = key, restMs = 0): Resource<T> {
  const turn = asOf.value;
  const reader = useMemo(() => createReader<T>(), [key, turn]);
  const currentRevision = isHidden.value ? null : revision.value;
  useEffect(() => {
    if (currentRevision === null) return;
    const timer = setTimeout(() => void reader.read(load), reader.state.peek().isLoading ? 0 : restMs);
    return () => clearTimeout(timer);
  }, [reader, variant, currentRevision]);
  return reader.state.value;
}

/** Whether nobody sees the page, which then reads nothing. */
const isHidden = signal(document.hidden);
document.addEventListener("visibilitychange", () => {
  isHidden.value = document.hidden;
});

interface Reader<T> {
  readonly state: Signal<Resource<T>>;
  read(load: () => Promise<T>): Promise<void>;
}

function createReader<T>(): Reader<T> {
  const state = signal<Resource<T>>({ value: undefined, error: undefined, isLoading: true });
  let isBusy = false;
  let next: (() => Promise<T>) | undefined;
  return {
    state,
    async read(load) {
      next = load;
      if (isBusy) return;
      isBusy = true;
      while (next) {
        const current = next;
        next = undefined;
        state.value = await loadState(current, state.peek().value);
      }
      isBusy = false;
    },
  };
}

/** The result of a request; after a failure, the last value with the error. */
async function loadState<T>(load: () => Promise<T>, last: T | undefined): Promise<Resource<T>> {
  try {
    return { value: await load(), error: undefined, isLoading: false };
  } catch (error) {
    return { value: last, error: error as Error, isLoading: false };
  }
}
