import { type Advance, type AdvancePace, type AdvanceTarget, advance } from "../../kernel/advance.ts";
import type { EffectRunners } from "../../kernel/effect-queue.ts";
import type { WorldImage } from "../../kernel/image.ts";
import { liveTimeline } from "../../kernel/timeline.ts";
import type { EffectKind } from "../../kernel/types.ts";
import { createWorld } from "../../kernel/world.ts";
import type { WorldParts } from "../../kernel/world-parts.ts";
import { yieldToEventLoop } from "../../storage/yield-to-event-loop.ts";
import type { BodyKeeper } from "../../subjects/object-storage/staged.ts";
import type { TraceStore } from "../../subjects/traces/port.ts";
import type { EmulatorTypes, World } from "../../subjects/turn.ts";
import { refuseBackwards } from "./clock.ts";
import { waitUntilSettled } from "./in-flight.ts";

/** What each kind of effect comes to when nothing is really done; a kind without a stub does not compile. */
export const STUBBED_EFFECTS: EffectRunners<EmulatorTypes> = {
  "export.write_file": async () => ({ rows: 1, bytes: 0, cursor: null, done: true }),
  "export.end_thread": async () => ({}),
  "destination.validate": async () => ({ testFile: "deleted" }),
  "http.resume": async () => ({}),
  "runs.sum_up": async () => ({ failure: "interrupted", message: "A dry run reads no rows." }),
  "webhook.post": async () => ({ status: 200, reply: "" }),
};

/** What a dry run takes for granted when it asks for an effect of this kind. */
const ASSUMED: Readonly<Record<string, string>> = {
  "export.write_file":
    "Each run with rows writes one file without trouble: its rows are neither read nor counted.",
  "destination.validate": "Destinations pass their test.",
  "webhook.post": "Receivers of webhooks answer 200; nothing is sent.",
} satisfies { readonly [Kind in EffectKind<EmulatorTypes>]?: string };

/**
 * Advances a copy of the world (law 10): its records and its queue are real, what it asks of the outside
 * world only pretends, and nothing that it does is kept.
 */
export async function dryRun(
  world: World,
  partsOf: (image: WorldImage) => WorldParts<EmulatorTypes>,
  target: AdvanceTarget & AdvancePace,
): Promise<Advance & { readonly assumed: readonly string[] }> {
  refuseBackwards(world, target);
  // The effects in flight would never end in the copy.
  await waitUntilSettled(world);
  const parts = partsOf(world.image());
  const fork = createWorld({
    ...parts,
    ports: { ...parts.ports, traces: readOnly(parts.ports.traces), bodies: READ_ONLY_BODIES },
    effects: STUBBED_EFFECTS,
    persist: () => undefined,
    flush: () => undefined,
    timeline: liveTimeline(1, world.lastTurn),
  });
  const assumed = new Set<string>();
  fork.journal.follow(({ effects = [] }) => {
    for (const { kind } of effects) if (ASSUMED[kind]) assumed.add(ASSUMED[kind]);
  });
  const result = await advance(fork, {
    ...target,
    effectsStalled: stubsStalled,
    maxEvents: parts.ports.settings.limits.events_per_advance,
  });
  return { ...result, assumed: [...assumed] };
}

/** Stubbed effects end in the microtasks at hand: what has not ended by then never will. */
function stubsStalled(settlement: Promise<void>): Promise<boolean> {
  return Promise.race([settlement.then(() => false), yieldToEventLoop().then(() => true)]);
}

/** A dry run neither keeps nor removes bodies. */
const READ_ONLY_BODIES: BodyKeeper = {
  keep: () => undefined,
  drop: () => undefined,
  dropBucket: () => undefined,
};

/** Rows are seen as they are; what a dry run would write is discarded. */
function readOnly(traces: TraceStore): TraceStore {
  return { ...traces, write: () => undefined };
}
