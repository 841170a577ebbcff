import type { ThreadStreamMode } from "../../../contracts/spec/agent/lifecycle.ts";
import type { Instant } from "../../kernel/instant.ts";
import type { Settings } from "../settings.ts";
import type { Reader } from "../turn.ts";
import { type AgentRun, CHECKPOINTS, type Checkpoint, RUNS, THREADS } from "./records.ts";
import { activeRuns, isActive } from "./run-lifecycle.ts";
import { currentPosition, nextChangeAt, readStream } from "./run-subscription.ts";
import { type Frame, positionOf, STREAM_START, type StreamPosition } from "./stream.ts";
import { stateView } from "./view.ts";

/** A reader of all runs of a thread, and of the states that callers write. */
export interface ThreadSubscription {
  readonly as: "thread";
  /** Key of the thread. */
  readonly thread: string;
  readonly modes: readonly ThreadStreamMode[];
  /** The event to continue after. An unknown one starts with the first retained event, undefined starts now. */
  readonly lastEventId: string | undefined;
}

/** Returns the frames since the last call; `isOver` when the thread was deleted. */
export type ThreadStream = () => { readonly frames: readonly Frame[]; readonly isOver: boolean };

/** A run of the thread, or a state that a caller has written. */
type Item =
  | { readonly id: string; readonly run: AgentRun }
  | { readonly id: string; readonly state: Checkpoint };

interface OpenRun extends Pick<AgentRun, "stream_modes"> {
  readonly position: StreamPosition;
}

/**
 * Follows a thread, whose runs and state updates never overlap. The id of an event is `<run>/<position>`,
 * `<run>/done` or `<state>/state`.
 */
export function openThreadStream(
  reader: Reader,
  settings: Settings,
  { thread: key, modes, lastEventId }: ThreadSubscription,
): ThreadStream {
  const items = itemsOf(reader, key);
  const [lastId, lastPosition = ""] = lastEventId?.split("/") ?? [];
  const last = items.findIndex(({ id }) => id === lastId);
  const pastItems = lastEventId === undefined ? items : items.slice(0, last + 1);
  const knownIds = new Set(pastItems.map(({ id }) => id));
  const openRuns = new Map<string, OpenRun>();
  for (const item of pastItems) {
    if (!("run" in item)) continue;
    const { run_id, stream_modes } = item.run;
    if (lastEventId === undefined && isActive(item.run))
      openRuns.set(run_id, { stream_modes, position: currentPosition(reader, run_id) });
    if (item.id === lastId && lastPosition !== "done")
      openRuns.set(run_id, { stream_modes, position: positionOf(lastPosition) });
  }

  return () => {
    const frames = [...openRuns.keys()].flatMap(framesOfRun);
    const thread = reader.get(THREADS, key);
    if (!thread) return { frames, isOver: true };
    for (const item of itemsOf(reader, key)) {
      if (knownIds.has(item.id)) continue;
      knownIds.add(item.id);
      if ("run" in item) {
        openRuns.set(item.id, { stream_modes: item.run.stream_modes, position: STREAM_START });
        frames.push(...framesOfRun(item.id));
      } else if (modes.includes("state_update")) {
        const state = stateView(settings, thread, item.state);
        frames.push({
          id: `${item.id}/state`,
          event: "state_update",
          data: { state, thread_id: thread.thread_id },
        });
      }
    }
    return { frames, isOver: false };
  };

  /** The frames of an open run since the last call. A run is closed when it has ended. */
  function framesOfRun(runId: string): Frame[] {
    const run = openRuns.get(runId);
    if (!run || reader.get(RUNS, runId)?.status === "pending") return [];
    const { frames, position, isOver } = readStream(reader, { runId, modes: run.stream_modes }, run.position);
    if (isOver) openRuns.delete(runId);
    else openRuns.set(runId, { ...run, position });
    const done = { id: "done", event: "metadata", data: { status: "run_done", run_id: runId } };
    return [...frames, ...(isOver ? [done] : [])]
      .filter(
        ({ event }) => modes.includes("run_modes") || (modes.includes("lifecycle") && event === "metadata"),
      )
      .map((frame) => ({ ...frame, id: `${runId}/${frame.id}` }));
  }
}

/** When the thread's running run, or its next one, changes; undefined when nothing is scheduled. */
export function nextThreadChange(reader: Reader, key: string): Instant | undefined {
  const [run] = activeRuns(reader, key);
  return run && nextChangeAt(reader, run.run_id);
}

/** Runs and states in order: ended runs without a state first, then by the thread's states, then active runs. */
function itemsOf(reader: Reader, key: string): readonly Item[] {
  const runs = new Map([...reader.list(RUNS, key)].map((run) => [run.run_id, { id: run.run_id, run }]));
  const withState: Item[] = [];
  for (const state of reader.list(CHECKPOINTS, key)) {
    const item = runs.get(state.run_id ?? "");
    if (item && runs.delete(item.id)) withState.push(item);
    else if (state.metadata.source === "update") withState.push({ id: state.checkpoint_id, state });
  }
  const others = [...runs.values()];
  return [
    ...others.filter(({ run }) => !isActive(run)),
    ...withState,
    ...others.filter(({ run }) => isActive(run)),
  ];
}
