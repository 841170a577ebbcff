import { collection } from "../../kernel/table.ts";
import type { Turn } from "../turn.ts";

/** §8.2: a request for one of a limited number of slots. When no slot is free, requests queue in order of arrival. */
interface SlotRequest {
  readonly id: string;
  readonly pool: string;
}

/** Requests that hold a slot, by pool. */
export const HELD_SLOTS = collection<SlotRequest>(
  "capacity_places",
  (slotRequest) => slotRequest.id,
  (slotRequest) => slotRequest.pool,
);
/** Requests waiting for a slot, by pool, oldest first. */
export const SLOT_QUEUE = collection<SlotRequest>(
  "capacity_waiting",
  (slotRequest) => slotRequest.id,
  (slotRequest) => slotRequest.pool,
);

/** Acquires a slot of a pool, or queues for one and returns false. */
export function acquireSlot(turn: Turn, pool: string, id: string, limit: number): boolean {
  const isFree = turn.count(HELD_SLOTS, pool) < limit && turn.count(SLOT_QUEUE, pool) === 0;
  turn.put(isFree ? HELD_SLOTS : SLOT_QUEUE, { id, pool });
  if (!isFree) turn.note("waiting_for_capacity", id, { pool, limit });
  return isFree;
}

/** Releases a slot (or leaves the queue); returns the ids that acquired one. */
export function releaseSlot(turn: Turn, pool: string, id: string, limit: number): readonly string[] {
  turn.remove(HELD_SLOTS, id);
  turn.remove(SLOT_QUEUE, id);
  const admitted: string[] = [];
  for (const slotRequest of turn.list(SLOT_QUEUE, pool)) {
    if (turn.count(HELD_SLOTS, pool) >= limit) break;
    turn.remove(SLOT_QUEUE, slotRequest.id);
    turn.put(HELD_SLOTS, slotRequest);
    admitted.push(slotRequest.id);
  }
  return admitted;
}

/** Removes a pool with its holders and its queue. */
export function closePool(turn: Turn, pool: string): void {
  for (const kind of [HELD_SLOTS, SLOT_QUEUE])
    for (const { id } of [...turn.list(kind, pool)]) turn.remove(kind, id);
}
