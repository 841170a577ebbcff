import type { PartitionWindow } from "../../subjects/traces/port.ts";
import { closePlan, type LocatedFile, makePlan, type Plan } from "./plan.ts";

/** Where the rows of one partition of one world lie. */
export interface PartitionSource {
  /** The same for all partitions of a world, and for no other one's. */
  readonly world: string;
  readonly rowFiles: readonly LocatedFile[];
}

/** The plans that a thread has made, of whatever stores; the one used longest ago is given up for another. */
export interface Plans {
  /** The plan of a window, with how many of its rows lie before the cursor. */
  of(source: PartitionSource, window: PartitionWindow, cursor: string | null): { plan: Plan; begin: number };
  /** Closes the plans of a world. */
  forget(world: string): void;
  close(): void;
}

const MAX_PLANS = 32;
const MAX_PLANNED_ROWS = 2_000_000;
/** A segment of a fork of forks may be in many files. */
const MAX_FILES = 128;

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
      const isRoom = plans.size <= MAX_PLANS && files <= MAX_FILES && rows <= MAX_PLANNED_ROWS;
      if (oldest === key || isRoom) break;
      rows -= each.plan.offsets.length;
      files -= each.plan.files.length;
      drop(oldest);
    }
  }

  return {
    of({ world, rowFiles }, window, cursor) {
      const key = keyOf(world, window);
      let plan = plans.get(key)?.plan;
      let begin = plan === undefined || cursor === null ? 0 : plan.positions.get(cursor);
      if (plan === undefined || begin === undefined) {
        drop(key);
        plan = makePlan(rowFiles, window, cursor);
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
