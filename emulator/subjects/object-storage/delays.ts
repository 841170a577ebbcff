import type { Event, Turn } from "../turn.ts";

/** Requests that a fault holds up, in virtual time. */
export interface Delays {
  /** Schedules the end of the delay; the promise resolves when it has come. */
  begin(turn: Turn, ref: string, delayMs: number): Promise<void>;
  onDelayOver(turn: Turn, event: Event<"object_storage.delay_over">): void;
  /** The end of the world: nothing will come of those who wait. */
  rejectAll(reason: Error): void;
}

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

/**
 * Whoever waits is known to this process only: after a restart nobody does, and the event is stale. Pending replies
 * would not do, since their numbers begin anew with each process.
 */
export function createDelays(): Delays {
  const waiting = new Map<string, Waiting>();
  return {
    begin(turn, ref, delayMs) {
      const delay_id = turn.nextId("s3_delay");
      turn.schedule({ kind: "object_storage.delay_over", ref, afterMs: delayMs, data: { delay_id } });
      return new Promise((resolve, reject) => waiting.set(delay_id, { resolve, reject }));
    },
    onDelayOver(_turn, { data }) {
      waiting.get(data.delay_id)?.resolve();
      waiting.delete(data.delay_id);
    },
    rejectAll(reason) {
      for (const { reject } of waiting.values()) reject(reason);
      waiting.clear();
    },
  };
}
