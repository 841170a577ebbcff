import type { Instant } from "../../kernel/instant.ts";
import type { Turn } from "../turn.ts";
import { CRONS, type Cron } from "./records.ts";

/** The cron with its next run after now. */
export function planNextRun(turn: Turn, cron: Cron): Cron {
  const { schedule, timezone, end_time, enabled } = cron;
  const next = enabled ? turn.ports.schedules.next(schedule, timezone, turn.now) : null;
  const isLate = next !== null && end_time !== null && next > end_time;
  return { ...cron, next_run_date: isLate ? null : next, wakes_at: wakesAt(cron) };
}

/** When the cron's earliest scheduled event is due; null while none is scheduled. */
export function wakesAt({ wakes_at, next_run_date }: Cron): Instant | null {
  return wakes_at === undefined ? next_run_date : wakes_at;
}

/**
 * Whether a planned cron needs a new event. Events of a changed cron stay; an earlier scheduled event suffices,
 * because its handler replans the cron. So repeated changes do not accumulate events.
 */
export function needsEvent(cron: Cron): boolean {
  const wakes = wakesAt(cron);
  return cron.next_run_date !== null && (wakes === null || cron.next_run_date < wakes);
}

/** Stores a planned cron and schedules its event unless an earlier one is scheduled. */
export function storeAndSchedule(turn: Turn, cron: Cron): Cron {
  const { next_run_date } = cron;
  if (next_run_date === null || !needsEvent(cron)) {
    turn.put(CRONS, cron);
    return cron;
  }
  const plannedCron = { ...cron, wakes_at: next_run_date };
  turn.put(CRONS, plannedCron);
  const afterMs = next_run_date - turn.now;
  turn.schedule({ kind: "cron.fire", ref: cron.cron_id, afterMs, data: { next_run_date } });
  return plannedCron;
}
