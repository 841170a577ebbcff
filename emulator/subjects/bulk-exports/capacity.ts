import { collection } from "../../kernel/table.ts";
import type { Turn } from "../turn.ts";

/**
 * §8.2: places that are limited in number. When none is free, new claims queue, first come first
 * served, and get a place as soon as one is given back.
 */
interface Claim {
  readonly id: string;
  readonly pool: string;
}

/** Claims that hold a place, by pool. */
export const PLACES = collection<Claim>(
  "capacity_places",
  (claim) => claim.id,
  (claim) => claim.pool,
);
/** Claims that wait for one, by pool, in the order in which they came. */
export const WAITING = collection<Claim>(
  "capacity_waiting",
  (claim) => claim.id,
  (claim) => claim.pool,
);

/** Takes a place in a pool; false when the claim has to wait for one. */
export function claimPlace(turn: Turn, pool: string, id: string, limit: number): boolean {
  const free = turn.count(PLACES, pool) < limit && turn.count(WAITING, pool) === 0;
  turn.put(free ? PLACES : WAITING, { id, pool });
  if (!free) turn.note("waiting_for_capacity", id, { pool, limit });
  return free;
}

/** Gives a place back (or steps out of the queue); names those that now have one. */
export function releasePlace(turn: Turn, pool: string, id: string, limit: number): readonly string[] {
  turn.remove(PLACES, id);
  turn.remove(WAITING, id);
  const admitted: string[] = [];
  for (const claim of turn.list(WAITING, pool)) {
    if (turn.count(PLACES, pool) >= limit) break;
    turn.remove(WAITING, claim.id);
    turn.put(PLACES, claim);
    admitted.push(claim.id);
  }
  return admitted;
}

/** Takes a pool away with everyone in it. */
export function closePool(turn: Turn, pool: string): void {
  for (const kind of [PLACES, WAITING])
    for (const { id } of [...turn.list(kind, pool)]) turn.remove(kind, id);
}
