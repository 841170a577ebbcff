import { resolveConfiguration } from "../../../emulator/config/resolve.ts";
import { emptyState } from "../../../emulator/kernel/commit.ts";
import { imageOf } from "../../../emulator/kernel/image.ts";
import { formatInstant, parseInstant } from "../../../emulator/kernel/instant.ts";
import { createWorld } from "../../../emulator/kernel/world.ts";
import { COLLECTIONS, eventReactions, RESULT_REACTIONS } from "../../../emulator/runtime/assembly.ts";
import { STUBBED_EFFECTS } from "../../../emulator/runtime/dry-run.ts";
import { type CancelAction, cancelRun } from "../../../emulator/subjects/agent/cancel.ts";
import { createRun, type RunCreateBody } from "../../../emulator/subjects/agent/create-run.ts";
import { RUNS, THREADS, threadKey } from "../../../emulator/subjects/agent/records.ts";
import { outcomeOf } from "../../../emulator/subjects/agent/run-subscription.ts";
import type { ScriptInput } from "../../../emulator/subjects/agent/script.ts";
import { addScript } from "../../../emulator/subjects/agent/scripts.ts";
import { createThread } from "../../../emulator/subjects/agent/threads.ts";
import { threadView } from "../../../emulator/subjects/agent/view.ts";
import { createDelays } from "../../../emulator/subjects/object-storage/delays.ts";
import type { EmulatorTypes, Turn } from "../../../emulator/subjects/turn.ts";

export const WORKSPACE = { region: "us", tenant_id: "00000000-0000-4000-8000-000000000001" };
export const BEGIN = parseInstant("2026-03-01T00:00:00Z") ?? 0;

/** The real records and reactions in frozen time; trace rows go nowhere. */
export async function openAgentWorld(options: Record<string, unknown> = {}) {
  const resolution = await resolveConfiguration({
    cwd: process.cwd(),
    env: {},
    options: { agent: { traces: false }, ...options },
  });
  if (!resolution.ok) throw new Error(resolution.problems.join("\n"));
  const { settings } = resolution.configuration;
  const world = createWorld<EmulatorTypes>({
    ports: { settings } as EmulatorTypes["ports"],
    image: imageOf(emptyState(1, BEGIN, { mode: "frozen", rate: 1 }), COLLECTIONS),
    events: eventReactions(createDelays()),
    results: RESULT_REACTIONS,
    effects: STUBBED_EFFECTS,
    persist: () => undefined,
    flush: () => undefined,
    journalCapacity: 1000,
  });
  const turn = <R>(act: (turn: Turn) => R): R => world.turn({ type: "request", name: "test" }, act);

  function advance(ms: number): void {
    const to = world.now + ms;
    for (let next = world.nextEvent(); next && next.at <= to; next = world.nextEvent()) world.moveTo(next.at);
    world.moveTo(to);
  }

  return {
    world,
    turn,
    advance,
    now: () => formatInstant(world.now),
    thread: () => turn((open) => createThread(open, WORKSPACE, {})).thread_id,
    start: (threadId: string | null, body: Partial<RunCreateBody> & Record<string, unknown> = {}) =>
      turn((open) =>
        createRun(open, WORKSPACE, { threadId, body: { assistant_id: "echo", ...body } as RunCreateBody }),
      ).run_id,
    script: (value: unknown) => turn((open) => addScript(open, value as ScriptInput)),
    cancel: (id: string, action: CancelAction = "interrupt") =>
      turn((open) => {
        const run = open.get(RUNS, id);
        if (!run) throw new Error(`no run ${id}`);
        cancelRun(open, run, action);
      }),
    status: (id: string) => world.reader.get(RUNS, id)?.status ?? "gone",
    statuses: (ids: readonly string[]) => ids.map((id) => world.reader.get(RUNS, id)?.status ?? "gone"),
    threadStatus: (id: string) => world.reader.get(THREADS, threadKey(WORKSPACE, id))?.status ?? "gone",
    values: (id: string) =>
      turn((open) => {
        const found = open.get(THREADS, threadKey(WORKSPACE, id));
        return found && threadView(open, found).values;
      }),
    outcome: (id: string) => outcomeOf(world.reader, id),
  };
}
