import { expect, test } from "vitest";
import { emptyState } from "../../../emulator/kernel/commit.ts";
import { imageOf } from "../../../emulator/kernel/image.ts";
import type { Refusal } from "../../../emulator/kernel/refusal.ts";
import type { Collection } from "../../../emulator/kernel/table.ts";
import { liveTimeline } from "../../../emulator/kernel/timeline.ts";
import { createWorld } from "../../../emulator/kernel/world.ts";
import { eventReactions, RESULT_REACTIONS } from "../../../emulator/runtime/assembly.ts";
import { STUBBED_EFFECTS } from "../../../emulator/runtime/worlds/dry-run.ts";
import { createDelays } from "../../../emulator/subjects/object-storage/delays.ts";
import {
  HELD_PATCHES,
  HELD_TOTALS,
  hasHeldPatches,
  holdPatches,
  takeHeldPatches,
} from "../../../emulator/subjects/traces/held-patches.ts";
import type { TracePatch } from "../../../emulator/subjects/traces/normalise.ts";
import type { EmulatorTypes, Ports, Turn } from "../../../emulator/subjects/turn.ts";

const WORKSPACE = { region: "us", tenant_id: "5d9f5e0c-0f3c-4f65-9b8e-2f5b1c1b0a01" };
const COLLECTIONS = [HELD_PATCHES, HELD_TOTALS] as readonly Collection<never>[];

function newWorld(patches = 10, bytes = 1_000) {
  const limits = { held_patches_per_workspace: patches, held_patch_bytes_per_workspace: bytes };
  const state = emptyState(1, 0, { mode: "frozen", rate: 1 });
  const world = createWorld<EmulatorTypes>({
    image: imageOf(state, COLLECTIONS),
    ports: { settings: { limits } } as Ports,
    events: eventReactions(createDelays()),
    results: RESULT_REACTIONS,
    effects: STUBBED_EFFECTS,
    persist: () => undefined,
    flush: () => undefined,
    timeline: liveTimeline(10, 0),
  });
  return { world, turn: <R>(act: (turn: Turn) => R) => world.turn({ type: "control", name: "test" }, act) };
}

const patchOf = (id: string, name: string) => ({ id, patch: { name } as TracePatch });

test("patches that wait for their row stay in order until it is posted, and only then", () => {
  const { world, turn } = newWorld();
  turn((each) => holdPatches(each, WORKSPACE, [patchOf("a", "first 😀\n"), patchOf("b", "other")]));
  turn((each) => holdPatches(each, WORKSPACE, [patchOf("a", "second")]));
  expect(hasHeldPatches(world.reader, WORKSPACE, "a")).toBe(true);
  const rows = turn((each) => takeHeldPatches(each, WORKSPACE, "a"));
  expect(rows).toStrictEqual([{ name: "first 😀\n" }, { name: "second" }]);
  expect(hasHeldPatches(world.reader, WORKSPACE, "a")).toBe(false);
  expect(turn((each) => takeHeldPatches(each, WORKSPACE, "a"))).toStrictEqual([]);
  expect(turn((each) => takeHeldPatches(each, WORKSPACE, "b"))).toStrictEqual([{ name: "other" }]);
  expect([...world.reader.list(HELD_TOTALS)]).toStrictEqual([]);
});

test("the patches of a workspace are bounded in number and bytes: a call stores all or none; their rows make room", () => {
  const { world, turn } = newWorld(2, 60);
  const hold = (...patches: ReturnType<typeof patchOf>[]) =>
    turn((each) => holdPatches(each, WORKSPACE, patches));
  const refusal = expect.objectContaining<Partial<Refusal>>({ status: 429, code: "held_patches_full" });
  hold(patchOf("a", "1"));
  expect(() => hold(patchOf("b", "2"), patchOf("c", "3"))).toThrow(refusal);
  expect(hasHeldPatches(world.reader, WORKSPACE, "b")).toBe(false);
  expect(() => hold(patchOf("b", "x".repeat(60)))).toThrow(refusal);
  hold(patchOf("b", "2"));
  expect(() => hold(patchOf("c", "3"))).toThrow(refusal);
  turn((each) => holdPatches(each, { ...WORKSPACE, region: "eu" }, [patchOf("c", "3")]));
  turn((each) => takeHeldPatches(each, WORKSPACE, "a"));
  hold(patchOf("c", "3"));
  expect(hasHeldPatches(world.reader, WORKSPACE, "c")).toBe(true);
});
