import type { Event, Turn } from "../turn.ts";

/** Requests that a fault delays, in virtual time. */
export type Delays = ReturnType<typeof createDelays>;

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

/**
 * Waiting requests exist only in this process; after a restart the event is stale. Ids are unique across restarts,
 * which the numbers of pending replies are not.
 */
export function createDelays() {
  const waiting = new Map<string, Waiting>();
  return {
    /** Schedules the end of the delay; the promise resolves then. */
    begin(turn: Turn, ref: string, delayMs: number): Promise<void> {
      const delay_id = turn.nextId("s3_delay");
      turn.schedule({ kind: "object_storage.delay_over", ref, afterMs: delayMs, data: { delay_id } });
      return new Promise((resolve, reject) => waiting.set(delay_id, { resolve, reject }));
    },
    onDelayOver(_turn: Turn, { data }: Event<"object_storage.delay_over">): void {
      waiting.get(data.delay_id)?.resolve();
      waiting.delete(data.delay_id);
    },
    /** At the end of the world, fails all waiting requests. */
    rejectAll(reason: Error): void {
      for (const { reject } of waiting.values()) reject(reason);
      waiting.clear();
    },
  };
}
