import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { asOf, client } from "./client.ts";
import { revision } from "./live.ts";
import { isHidden } from "./visibility.ts";

/** Data of the world that a view reads again when turns arrive. */
export interface Resource<T> {
  readonly value: T | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
}

/**
 * Reads with `load` now, when `key`, `variant` or `asOf` changes, and after new turns. The last value stays until the
 * next value arrives, so that nothing flickers, unless `key` changes. After the first value it reads when no turn has
 * arrived for `restMs`, and after a rest that keeps the cost for the server low. While a request is pending, at most one more waits.
 */
export function useResource<T>(key: string, load: () => Promise<T>, variant = key, restMs = 0): Resource<T> {
  const turn = asOf.value;
  const reader = useMemo(() => createReader<T>(), [key, turn]);
  const lastVariant = useRef(variant);
  const currentRevision = isHidden.value ? null : revision.value;
  useEffect(() => {
    if (currentRevision === null) return;
    const isNew = reader.state.peek().isLoading || lastVariant.current !== variant;
    lastVariant.current = variant;
    const waitMs = isNew ? 0 : performance.now() < eagerUntilMs ? restMs : Math.max(restMs, reader.restMs());
    const timer = setTimeout(() => void reader.read(load), waitMs);
    return () => clearTimeout(timer);
  }, [reader, variant, currentRevision]);
  return reader.state.value;
}

/** Reads a path of the control API (below `/_emulator/v1`) as `useResource` does. */
export function useReply<T>(path: string, key = path): Resource<T> {
  return useResource(key, () => client.call<T>("GET", path), path);
}

interface Reader<T> {
  readonly state: Signal<Resource<T>>;
  read(load: () => Promise<T>): Promise<void>;
  /** How long to wait until the next reading. */
  restMs(): number;
}

const EAGER_MS = 1_000;
let eagerUntilMs = 0;

/** Lets the views read without a rest for a moment: the user has just changed the world. */
export function readEagerly(): void {
  eagerUntilMs = performance.now() + EAGER_MS;
}

/** A page that follows a busy world uses at most this part of the server's time for each of its requests. */
const SERVER_PART = 1 / 40;
const MAX_REST_MS = 10_000;

/** The rest after a request that took so long and ended at `endMs`. */
function restAfter(tookMs: number, endMs: number): number {
  return Math.max(0, endMs + Math.min(MAX_REST_MS, tookMs / SERVER_PART) - performance.now());
}

function createReader<T>(): Reader<T> {
  const state = signal<Resource<T>>({ value: undefined, error: undefined, isLoading: true });
  let isBusy = false;
  let [tookMs, endMs] = [0, 0];
  let next: (() => Promise<T>) | undefined;
  return {
    state,
    restMs: () => restAfter(tookMs, endMs),
    async read(load) {
      next = load;
      if (isBusy) return;
      isBusy = true;
      while (next) {
        const current = next;
        next = undefined;
        const began = performance.now();
        state.value = await loadState(current, state.peek().value);
        endMs = performance.now();
        tookMs = endMs - began;
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
