import type { PartitionWindow } from "../../subjects/traces/port.ts";
import { closePlan, type LocatedPiece, makePlan, type Plan } from "./plan.ts";

/** Where the rows of one partition of one world lie. */
export interface PartitionSource {
  /** The same for all partitions of a world, and for no other one's. */
  readonly world: string;
  readonly pieces: readonly LocatedPiece[];
}

/** The plans that a thread has made, of whatever stores; the one used longest ago is given up for another. */
export interface Plans {
  /** The plan of a window, with how many of its rows lie before the cursor. */
  of(source: PartitionSource, window: PartitionWindow, cursor: string | null): { plan: Plan; begin: number };
  /** Closes the plans of a world. */
  forget(world: string): void;
  close(): void;
}

const PLANS_MAX = 32;
const PLANNED_ROWS_MAX = 2_000_000;
/** A segment of a fork of forks may be in many files. */
const FILES_MAX = 128;

function keyOf(world: string, window: PartitionWindow): string {
  const { region, tenantId, sessionId, day, asOf, start, end } = window;
  return [region, tenantId, sessionId, day, asOf, start, end, world].join(" ");
}

/** Bounded in plans, in open files and in rows; the plan asked for last is always kept. */
export function createPlans(): Plans {
  // In the order of use, the one used longest ago first.
  const plans = new Map<string, { readonly world: string; readonly plan: Plan }>();

  function drop(key: string): void {
    const kept = plans.get(key);
    plans.delete(key);
    if (kept !== undefined) closePlan(kept.plan);
  }

  function keep(key: string, world: string, plan: Plan): void {
    plans.set(key, { world, plan });
    let rows = 0;
    let files = 0;
    for (const each of plans.values()) {
      rows += each.plan.offsets.length;
      files += each.plan.files.length;
    }
    for (const [oldest, each] of [...plans]) {
      const isRoom = plans.size <= PLANS_MAX && files <= FILES_MAX && rows <= PLANNED_ROWS_MAX;
      if (oldest === key || isRoom) break;
      rows -= each.plan.offsets.length;
      files -= each.plan.files.length;
      drop(oldest);
    }
  }

  return {
    of({ world, pieces }, window, cursor) {
      const key = keyOf(world, window);
      let plan = plans.get(key)?.plan;
      let begin = plan === undefined || cursor === null ? 0 : plan.positions.get(cursor);
      if (plan === undefined || begin === undefined) {
        drop(key);
        plan = makePlan(pieces, window, cursor);
        begin = cursor === null ? 0 : (plan.positions.get(cursor) ?? 0);
      } else {
        plans.delete(key);
      }
      keep(key, world, plan);
      return { plan, begin };
    },
    forget(world) {
      for (const [key, each] of [...plans]) if (each.world === world) drop(key);
    },
    close() {
      for (const key of [...plans.keys()]) drop(key);
    },
  };
}
