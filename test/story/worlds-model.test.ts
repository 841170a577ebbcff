import fc from "fast-check";
import { expect, it } from "vitest";
import type { Emulator } from "../../emulator/runtime/index.ts";
import { casesOf } from "../support/depth.ts";
import { BEGIN, startRig } from "../support/emulator.ts";
import { ACTIONS, closeStores, digest, lastTurn } from "../support/world-actions.ts";

const MAX_WORLDS = 5;

/** A forest of worlds and snapshots, and what each of them is known to show. */
interface WorldSet {
  readonly worlds: Map<string, Emulator>;
  readonly shown: Map<string, { readonly digest: string; readonly turn: number }>;
  readonly kept: Map<string, string>;
  readonly fresh: string;
}

async function observe(worldSet: WorldSet, world: Emulator): Promise<string> {
  const text = await digest(world);
  worldSet.shown.set(world.world, { digest: text, turn: await lastTurn(world) });
  return text;
}

async function expectUntouched(worldSet: WorldSet, by: string): Promise<void> {
  for (const [name, world] of worldSet.worlds) {
    const before = worldSet.shown.get(name);
    if (name === by || !before) continue;
    expect(await lastTurn(world), `turns of ${name} after a step in ${by}`).toBe(before.turn);
    expect(await observe(worldSet, world), `${name} after a step in ${by}`).toBe(before.digest);
  }
}

interface Step {
  readonly action: string;
  readonly world: number;
  readonly k: number;
}

async function fork(worldSet: WorldSet, world: Emulator, k: number): Promise<string> {
  const name = `f${k}`;
  if (worldSet.worlds.has(name) || worldSet.worlds.size >= MAX_WORLDS) return world.world;
  const snapshotId = worldSet.kept.get(`s${k}`);
  const newWorld = await world.fork({ id: name, ...(snapshotId && { from: `s${k}` }) });
  worldSet.worlds.set(name, newWorld);
  const source = snapshotId ?? worldSet.shown.get(world.world)?.digest;
  expect(await observe(worldSet, newWorld), `a fork of ${world.world}`).toBe(source);
  return name;
}

async function remove(worldSet: WorldSet, world: Emulator): Promise<string> {
  if (world.world === "main") return "main";
  await world.close();
  worldSet.worlds.delete(world.world);
  worldSet.shown.delete(world.world);
  return "";
}

async function keep(worldSet: WorldSet, world: Emulator, k: number): Promise<string> {
  await world.snapshots.save(`s${k}`);
  worldSet.kept.set(`s${k}`, worldSet.shown.get(world.world)?.digest ?? "");
  return "";
}

async function load(worldSet: WorldSet, world: Emulator, k: number): Promise<string> {
  const snapshotId = worldSet.kept.get(`s${k}`);
  if (snapshotId === undefined) return "";
  await world.snapshots.load(`s${k}`);
  expect(await observe(worldSet, world), `${world.world} with s${k}`).toBe(snapshotId);
  return world.world;
}

async function forget(worldSet: WorldSet, world: Emulator, k: number): Promise<string> {
  if (worldSet.kept.delete(`s${k}`)) await world.snapshots.remove(`s${k}`);
  return "";
}

async function reset(worldSet: WorldSet, world: Emulator): Promise<string> {
  await world.reset();
  expect(await observe(worldSet, world), `${world.world}, reset`).toBe(worldSet.fresh);
  return world.world;
}

const WORLD_ACTIONS = { fork, remove, keep, load, forget, reset };
type WorldAction = keyof typeof WORLD_ACTIONS;

/** Takes one step; answers with the world that it may have changed. */
async function applyStep(worldSet: WorldSet, { action, world: nth, k }: Step): Promise<string> {
  const all = [...worldSet.worlds.values()];
  const world = all[nth % all.length] as Emulator;
  const act = ACTIONS[action];
  if (!act) return WORLD_ACTIONS[action as WorldAction](worldSet, world, k);
  await act(world, k, world.world);
  await observe(worldSet, world);
  return world.world;
}

const step = fc.record({
  // Moves among worlds come as often as actions within them.
  action: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...Object.keys(ACTIONS)) },
    { weight: 2, arbitrary: fc.constantFrom("fork", "fork", ...Object.keys(WORLD_ACTIONS)) },
  ),
  world: fc.nat(MAX_WORLDS - 1),
  k: fc.nat(3),
});

it("changes of one world never show in another, and forks equal their source (model)", async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 16 }), async (steps) => {
    const rig = await startRig();
    try {
      const { emulator } = rig;
      const worldSet: WorldSet = {
        worlds: new Map([["main", emulator]]),
        shown: new Map(),
        kept: new Map(),
        fresh: await digest(emulator),
      };
      expect(emulator.clock.now()).toContain(BEGIN.slice(0, 10));
      await observe(worldSet, emulator);
      for (const each of steps) await expectUntouched(worldSet, await applyStep(worldSet, each));
    } finally {
      closeStores();
      await rig.close();
    }
  });
  await fc.assert(property, { numRuns: casesOf(24), seed: 7, endOnFailure: true });
});
