import { describe, expect, it } from "vitest";
import { emptyState } from "../../../emulator/kernel/commit.ts";
import type { EffectRunners } from "../../../emulator/kernel/effect-queue.ts";
import { imageOf } from "../../../emulator/kernel/image.ts";
import { liveTimeline } from "../../../emulator/kernel/timeline.ts";
import { createWorld } from "../../../emulator/kernel/world.ts";
import type { WorldParts } from "../../../emulator/kernel/world-parts.ts";
import { eventReactions, RESULT_REACTIONS } from "../../../emulator/runtime/assembly.ts";
import { dryRun, STUBBED_EFFECTS } from "../../../emulator/runtime/worlds/dry-run.ts";
import { createDelays } from "../../../emulator/subjects/object-storage/delays.ts";
import type { EmulatorTypes, Turn } from "../../../emulator/subjects/turn.ts";
import { DEFAULTS } from "../../support/world.ts";

/** A world in which every due export asks for the effect, which never ends outside of a dry run. */
function partsOf(request: (turn: Turn) => void): WorldParts<EmulatorTypes> {
  const settings = {
    ...DEFAULTS,
    timings: { ...DEFAULTS.timings, effect_patience_ms: 50 },
  };
  const never = () => new Promise<never>(() => undefined);
  return {
    ports: { settings, traces: {} } as EmulatorTypes["ports"],
    image: imageOf(emptyState(1, 0, { mode: "frozen", rate: 1 }), []),
    events: { ...eventReactions(createDelays()), "export.due": request },
    results: { ...RESULT_REACTIONS, "export.end_thread": () => undefined, "webhook.post": () => undefined },
    effects: { ...STUBBED_EFFECTS, "export.end_thread": never, "webhook.post": never },
    persist: () => undefined,
    flush: () => undefined,
    timeline: liveTimeline(10, 0),
  };
}

const CAUSE = { type: "control", name: "test" } as const;
const DUE = { kind: "export.due", ref: "it", afterMs: 10, data: {} } as const;
const END_THREAD = { kind: "export.end_thread", ref: "it", lane: "lane", data: { attempt: 0 } } as const;

describe("a dry run", () => {
  it("has a stub for every kind of effect", () => {
    const { "webhook.post": _, ...others } = STUBBED_EFFECTS;
    // @ts-expect-error one is missing
    const stubs: EffectRunners<EmulatorTypes> = others;
    expect(Object.keys(stubs)).toHaveLength(Object.keys(STUBBED_EFFECTS).length - 1);
  });

  it("continues after effects that do not end in the world itself, and leaves that world unchanged", async () => {
    const parts = partsOf((turn) => turn.requestEffect(END_THREAD));
    const world = createWorld(parts);
    world.turn(CAUSE, (turn) => turn.schedule(DUE));
    const said = await dryRun(world, (image) => ({ ...parts, image }), { to: 100 });
    expect(said).toMatchObject({ stopped: "target", to: 100, firedTotal: 1, inFlight: [], assumed: [] });
    expect(world.now).toBe(0);
    expect(world.queue()).toHaveLength(1);
  });

  it("lists its assumptions, once for each kind of effect", async () => {
    const post = { url: "", payload: "", attempt: 1, copy: 0, started_at: 0, region: "us", tenant_id: "t" };
    const parts = partsOf((turn) => {
      for (const lane of ["a", "b"])
        turn.requestEffect({ kind: "webhook.post", ref: "it", lane, data: post });
    });
    const world = createWorld(parts);
    world.turn(CAUSE, (turn) => turn.schedule(DUE));
    const said = await dryRun(world, (image) => ({ ...parts, image }), { to: 100 });
    expect(said.assumed).toEqual(["Receivers of webhooks answer 200; nothing is sent."]);
  });

  it("does not begin while something of this instant is under way", async () => {
    const parts = partsOf(() => undefined);
    const world = createWorld(parts);
    world.turn(CAUSE, (turn) => turn.requestEffect(END_THREAD));
    const refusal = dryRun(world, (image) => ({ ...parts, image }), { to: 100 });
    await expect(refusal).rejects.toMatchObject({ status: 409, code: "in_flight" });
  });
});
