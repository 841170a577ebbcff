import { collection } from "../../kernel/table.ts";
import type { Turn } from "../turn.ts";

/**
 * §8.2: places that are limited in number. When none is free, new claims queue, first come first
 * served, and get a place as soon as one is given back.
 */
interface SlotRequest {
  readonly id: string;
  readonly pool: string;
}

/** Claims that hold a place, by pool. */
export const HELD_SLOTS = collection<SlotRequest>(
  "capacity_places",
  (slotRequest) => slotRequest.id,
  (slotRequest) => slotRequest.pool,
);
/** Claims waiting for a slot, by pool, oldest first. */
export const SLOT_QUEUE = collection<SlotRequest>(
  "capacity_waiting",
  (slotRequest) => slotRequest.id,
  (slotRequest) => slotRequest.pool,
);

/** Takes a place in a pool; false when the claim has to wait for one. */
export function acquireSlot(turn: Turn, pool: string, id: string, limit: number): boolean {
  const isFree = turn.count(HELD_SLOTS, pool) < limit && turn.count(SLOT_QUEUE, pool) === 0;
  turn.put(isFree ? HELD_SLOTS : SLOT_QUEUE, { id, pool });
  if (!isFree) turn.note("waiting_for_capacity", id, { pool, limit });
  return isFree;
}

/** Gives a place back (or steps out of the queue); names those that now have one. */
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

/** Takes a pool away with everyone in it. */
export function closePool(turn: Turn, pool: string): void {
  for (const kind of [HELD_SLOTS, SLOT_QUEUE])
    for (const { id } of [...turn.list(kind, pool)]) turn.remove(kind, id);
}
