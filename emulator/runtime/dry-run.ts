import { type Advance, type AdvanceTarget, advance } from "../kernel/advance.ts";
import type { WorldImage } from "../kernel/image.ts";
import { Refusal } from "../kernel/refusal.ts";
import { createWorld, type EffectResult, type EffectRunner, type WorldParts } from "../kernel/world.ts";
import type { TraceStore } from "../subjects/traces/port.ts";
import type { Ports, World } from "../subjects/turn.ts";
import { isStalled, yieldToEventLoop } from "./clock.ts";

/** What an effect comes to in a rehearsal, and what is taken for granted with it. */
interface StubbedEffect {
  readonly result: EffectResult;
  readonly assumed?: string;
}

/** What each kind of effect comes to when nothing is really done. */
export const STUBBED_EFFECTS: Readonly<Record<string, StubbedEffect>> = {
  "export.write_file": {
    result: { rows: 1, bytes: 0, cursor: null, done: true },
    assumed: "Each run with rows writes one file without trouble: its rows are neither read nor counted.",
  },
  "export.end_thread": { result: {} },
  "destination.validate": { result: { testFile: "deleted" }, assumed: "Destinations pass their test." },
  "object_storage.remove_files": { result: { removed: true } },
  "http.resume": { result: {} },
  "runs.sum_up": { result: {} },
  "webhook.post": {
    result: { status: 200, reply: "" },
    assumed: "Receivers of webhooks answer 200; nothing is sent.",
  },
};

/**
 * Advances a copy of the world (law 10): its records and its queue are real, what it asks of the outside
 * world only pretends, and nothing that it does is kept.
 */
export async function dryRun(
  world: World,
  partsOf: (image: WorldImage) => WorldParts<Ports>,
  target: AdvanceTarget,
): Promise<Advance & { readonly assumed: readonly string[] }> {
  if (target.to < world.now) throw new Refusal(422, "backwards", "Time only moves forward.");
  // What is in flight would have no end in the copy.
  if (await isStalled(world, world.settled()))
    throw new Refusal(
      409,
      "in_flight",
      "Something of this instant is still under way; a rehearsal starts from rest.",
      "GET /_emulator/v1/clock names it under in_flight.",
    );
  const parts = partsOf(world.image());
  const stubs = stubEffects(Object.keys(parts.effects));
  const fork = createWorld<Ports>({
    ...parts,
    ports: { ...parts.ports, traces: readOnly(parts.ports.traces) },
    effects: stubs.effects,
    persist: () => undefined,
    journalCapacity: 1,
  });
  const maxEvents = parts.ports.settings.limits.events_per_advance;
  const result = await advance(fork, {
    ...target,
    effectsStalled: stubs.patience,
    yieldToEventLoop,
    maxEvents,
  });
  return { ...result, assumed: stubs.assumed() };
}

function stubEffects(kinds: readonly string[]) {
  const assumed = new Set<string>();
  const runnerOf = (kind: string): EffectRunner => {
    const stub = STUBBED_EFFECTS[kind];
    // What nobody has a pretence for is named as what the rehearsal could not get past.
    if (!stub) return () => new Promise(() => undefined);
    return async () => {
      if (stub.assumed) assumed.add(stub.assumed);
      return stub.result;
    };
  };
  return {
    effects: Object.fromEntries(kinds.map((kind) => [kind, runnerOf(kind)])),
    assumed: () => [...assumed],
    /** Pretences end in the microtasks at hand: what has not ended by then never will. */
    patience: (settled: Promise<void>) =>
      Promise.race([settled.then(() => false), yieldToEventLoop().then(() => true)]),
  };
}

/** Rows are seen as they are; what a rehearsal would write is forgotten. */
function readOnly(traces: TraceStore): TraceStore {
  return { ...traces, write: () => undefined, holdPatches: () => undefined };
}
