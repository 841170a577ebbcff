import type { Reaction, Turn } from "../turn.ts";

/** The event that ends a request's delay. */
export const DELAY_OVER = "object_storage.delay_over";

/** Requests that a fault holds up, in virtual time. */
export interface Delays {
  /** Schedules the end of the delay; the promise resolves when it has come. */
  begin(turn: Turn, ref: string, delayMs: number): Promise<void>;
  readonly onDelayOver: Reaction;
  /** The end of the world: nothing will come of those who wait. */
  rejectAll(reason: Error): void;
}

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

/**
 * Whoever waits is known to this process only: after a restart nobody does, and the event is stale. Tickets
 * would not do, since their numbers begin anew with each process.
 */
export function createDelays(): Delays {
  const waiting = new Map<string, Waiting>();
  return {
    begin(turn, ref, delayMs) {
      const delay_id = turn.nextId("s3_delay");
      turn.schedule({ kind: DELAY_OVER, ref, afterMs: delayMs, data: { delay_id } });
      return new Promise((resolve, reject) => waiting.set(delay_id, { resolve, reject }));
    },
    onDelayOver(_turn, { data }) {
      const delayId = String(data.delay_id);
      waiting.get(delayId)?.resolve();
      waiting.delete(delayId);
    },
    rejectAll(reason) {
      for (const { reject } of waiting.values()) reject(reason);
      waiting.clear();
    },
  };
}
