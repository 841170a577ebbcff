import type { PartitionWindow } from "../../subjects/traces/port.ts";
import type { TraceLocation } from "./layers.ts";
import { closePlan, isCurrent, makePlan, type Plan } from "./plan.ts";

/** The plans that a thread has made, of whatever stores; the one used longest ago is given up for another. */
export interface Plans {
  /** The plan of a window, with how many of its rows lie before the cursor. */
  of(location: TraceLocation, window: PartitionWindow, cursor: string | null): { plan: Plan; begin: number };
  /** Closes the plans of the store of a folder. */
  forget(folder: string): void;
  close(): void;
}

const PLANS_MAX = 32;
const PLANNED_ROWS_MAX = 2_000_000;
/** A segment of a fork of forks may be in many files. */
const FILES_MAX = 128;

function keyOf(folder: string, window: PartitionWindow): string {
  const { region, tenantId, sessionId, day, asOf, start, end } = window;
  return [region, tenantId, sessionId, day, asOf, start, end, folder].join(" ");
}

/** Bounded in plans, in open files and in rows; the plan asked for last is always kept. */
export function createPlans(): Plans {
  // In the order of use, the one used longest ago first.
  const plans = new Map<string, { readonly folder: string; readonly plan: Plan }>();

  function drop(key: string): void {
    const kept = plans.get(key);
    plans.delete(key);
    if (kept !== undefined) closePlan(kept.plan);
  }

  function keep(key: string, folder: string, plan: Plan): void {
    plans.set(key, { folder, plan });
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
    of(location, window, cursor) {
      const key = keyOf(location.folder, window);
      let plan = plans.get(key)?.plan;
      let begin = plan === undefined || cursor === null ? 0 : plan.positions.get(cursor);
      if (plan === undefined || begin === undefined || !isCurrent(location, window, plan)) {
        drop(key);
        plan = makePlan(location, window, cursor);
        begin = cursor === null ? 0 : (plan.positions.get(cursor) ?? 0);
      } else {
        plans.delete(key);
      }
      keep(key, location.folder, plan);
      return { plan, begin };
    },
    forget(folder) {
      for (const [key, each] of [...plans]) if (each.folder === folder) drop(key);
    },
    close() {
      for (const key of [...plans.keys()]) drop(key);
    },
  };
}
