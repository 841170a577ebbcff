import type { PartitionWindow } from "../../subjects/traces/port.ts";
import { closePlan, makePlan, type PartitionSource, type Plan } from "./plan.ts";

const MAX_PLANS = 32;
const MAX_PLANNED_ROWS = 2_000_000;
/** A segment may be in many files after several forks. */
const MAX_FILES = 128;

function keyOf(world: string, window: PartitionWindow): string {
  const { region, tenantId, sessionId, day, asOf, start, end } = window;
  return [region, tenantId, sessionId, day, asOf, start, end, world].join(" ");
}

/** The plans of a thread, for any number of worlds. The least recently used one is dropped to make room. */
export type Plans = ReturnType<typeof createPlans>;

/** Plans, open files and rows are bounded; the most recent plan is always retained. */
export function createPlans() {
  // The least recently used plan is first.
  const plans = new Map<string, { readonly world: string; readonly plan: Plan }>();

  function drop(key: string): void {
    const entry = plans.get(key);
    plans.delete(key);
    if (entry) closePlan(entry.plan);
  }

  function keep(key: string, world: string, plan: Plan): void {
    plans.set(key, { world, plan });
    for (const oldest of [...plans.keys()]) {
      const all = [...plans.values()].map((each) => each.plan);
      const rows = all.reduce((sum, { offsets }) => sum + offsets.length, 0);
      const files = all.reduce((sum, each) => sum + each.files.length, 0);
      const isRoom = all.length <= MAX_PLANS && files <= MAX_FILES && rows <= MAX_PLANNED_ROWS;
      if (oldest === key || isRoom) break;
      drop(oldest);
    }
  }

  return {
    /** The plan of a window, and the number of its rows up to the cursor. */
    planFor(source: PartitionSource, window: PartitionWindow, cursor: string | null) {
      const { world } = source;
      const key = keyOf(world, window);
      let plan = plans.get(key)?.plan;
      let begin = plan === undefined || cursor === null ? 0 : plan.positions.get(cursor);
      if (plan === undefined || begin === undefined) {
        drop(key);
        plan = makePlan(source, window, cursor);
        begin = cursor === null ? 0 : (plan.positions.get(cursor) ?? 0);
      } else {
        plans.delete(key);
      }
      keep(key, world, plan);
      return { plan, begin };
    },
    /** Closes the plans of a world. */
    forget(world: string): void {
      for (const [key, each] of [...plans]) if (each.world === world) drop(key);
    },
    close(): void {
      for (const key of [...plans.keys()]) drop(key);
    },
  };
}
