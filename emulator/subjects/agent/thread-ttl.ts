import type { ThreadTtlInput } from "../../../contracts/spec/agent/thread-resources.ts";
import { formatInstant, type Instant } from "../../kernel/instant.ts";
import type { Settings } from "../settings.ts";
import type { Turn } from "../turn.ts";
import { THREADS, type Thread, type ThreadTtl } from "./records.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** When the time to live of a thread ends; it is swept then, or a little later. */
export function expiryOf(settings: Settings, { updated_at }: Thread, ttl: ThreadTtl): Instant {
  const isIdleTime = settings.assumptions["agent.thread_ttl_start"] === "the last activity";
  return (isIdleTime ? updated_at : ttl.set_at) + Math.ceil(ttl.minutes * MINUTE_MS);
}

/** The thread with the requested time to live from now on, and its event. */
export function withTtl(turn: Turn, thread: Thread, input: ThreadTtlInput | null | undefined): Thread {
  if (input == null || turn.ports.settings.assumptions["agent.thread_ttl"] !== "on the virtual clock")
    return thread;
  const { ttl: minutes, strategy } = input;
  const wakes_at = thread.ttl?.wakes_at ?? null;
  const ttl: ThreadTtl = { strategy: strategy ?? "delete", minutes, set_at: turn.now, wakes_at };
  turn.note("agent_thread.ttl_set", thread.thread_id, {
    strategy: ttl.strategy,
    ttl_minutes: minutes,
    expires_at: formatInstant(expiryOf(turn.ports.settings, thread, ttl)),
  });
  return scheduleExpiry(turn, thread, ttl);
}

/** Schedules the end of a time to live. An earlier event suffices, because its handler schedules the next one. */
export function scheduleExpiry(turn: Turn, thread: Thread, ttl: ThreadTtl): Thread {
  const { settings } = turn.ports;
  const expiry = Math.max(expiryOf(settings, thread, ttl), turn.now);
  const isHourly = settings.assumptions["agent.thread_ttl_sweep"] === "at the next full hour";
  const at = isHourly ? Math.ceil(expiry / HOUR_MS) * HOUR_MS : expiry;
  if (ttl.wakes_at !== null && ttl.wakes_at <= at) return { ...thread, ttl };
  const ref = THREADS.idOf(thread);
  if (ttl.wakes_at !== null) turn.unschedule(ref);
  turn.schedule({ kind: "agent_thread.expire", ref, afterMs: at - turn.now, data: { at } });
  return { ...thread, ttl: { ...ttl, wakes_at: at } };
}

/** Schedules the end of a time to live that passed while the thread had active runs. */
export function resumeExpiry(turn: Turn, thread: Thread): void {
  if (thread.ttl?.wakes_at === null) turn.put(THREADS, scheduleExpiry(turn, thread, thread.ttl));
}

/** Removes the scheduled end of a time to live. */
export function unscheduleExpiry(turn: Turn, key: string, ttl: ThreadTtl | undefined): void {
  if (ttl && ttl.wakes_at !== null) turn.unschedule(key);
}
