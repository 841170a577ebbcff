import { formatInstant } from "../../kernel/instant.ts";
import type { Event, Turn } from "../turn.ts";
import { CHECKPOINTS, checkpointKey, RUNS, THREADS, type Thread } from "./records.ts";
import { activeRunCount, deleteThread } from "./run-lifecycle.ts";
import { expiryOf, scheduleExpiry } from "./thread-ttl.ts";

/** Handles `agent_thread.expire`; ignored when the thread was deleted or has a later event. */
export function onExpire(turn: Turn, { ref, data }: Event<"agent_thread.expire">): void {
  const thread = turn.get(THREADS, ref);
  if (!thread?.ttl || thread.ttl.wakes_at !== data.at) return;
  const { settings } = turn.ports;
  const ttl = { ...thread.ttl, wakes_at: null };
  const expiry = expiryOf(settings, thread, ttl);
  if (expiry > turn.now) return turn.put(THREADS, scheduleExpiry(turn, thread, ttl));
  const mayWait = settings.assumptions["agent.thread_ttl_busy"] === "when its runs have ended";
  if (mayWait && activeRunCount(turn, ref) > 0) return turn.put(THREADS, { ...thread, ttl });
  turn.note("agent_thread.expired", thread.thread_id, {
    strategy: ttl.strategy,
    ttl_minutes: ttl.minutes,
    expired_at: formatInstant(expiry),
    runs: turn.count(RUNS, ref),
    states: turn.count(CHECKPOINTS, ref),
  });
  if (ttl.strategy === "delete") deleteThread(turn, { ...thread, ttl });
  else keepLatestState(turn, withoutTtl(thread));
}

function withoutTtl({ ttl: _, ...thread }: Thread): Thread {
  return thread;
}

/** Stores a thread and removes its states before the newest one, those in the plan of its run included. */
export function keepLatestState(turn: Turn, thread: Thread): void {
  const key = THREADS.idOf(thread);
  for (const state of [...turn.list(CHECKPOINTS, key)])
    if (state.checkpoint_id === thread.checkpoint_id) turn.put(CHECKPOINTS, { ...state, run_id: null });
    else turn.remove(CHECKPOINTS, checkpointKey(key, state.checkpoint_id));
  turn.put(THREADS, thread);
}
