import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Emulator, EmulatorOptions } from "../../../emulator/runtime/index.ts";
import { startRig } from "../../support/emulator.ts";
import { workingFolder } from "../../support/emulator-process.ts";
import { ACTIONS, closeStores, digest, lastTurn, waitUntilIdle } from "../../support/world-actions.ts";

interface Step {
  readonly action: string;
  readonly k: number;
}

/** A story, the step after which it is forked, and how that point is named. */
interface Story {
  readonly steps: readonly Step[];
  readonly after: number;
  readonly by: "turn" | "instant";
  readonly seed: number;
}

/** Where the world stood after a step. */
interface Stand {
  readonly turn: number;
  readonly now: string;
  readonly digest: string;
}

const step = fc.record({ action: fc.constantFrom(...Object.keys(ACTIONS)), k: fc.nat(3) });
const story: fc.Arbitrary<Story> = fc.record({
  steps: fc.array(step, { minLength: 6, maxLength: 14 }),
  after: fc.nat(100),
  by: fc.constantFrom("turn", "instant"),
  seed: fc.nat(1000),
});

/** Each step is at an instant of its own, so that the one before it can be named. */
async function take(world: Emulator, { action, k }: Step): Promise<void> {
  await world.clock.advance("PT1S");
  await ACTIONS[action]?.(world, k, "somebody");
  await waitUntilIdle(world);
}

/** Where a world stands after these steps. */
async function standAfter(world: Emulator, steps: readonly Step[]): Promise<Stand> {
  for (const each of steps) await take(world, each);
  const digestText = await digest(world);
  return { turn: await lastTurn(world), now: world.clock.now(), digest: digestText };
}

/** The turns after one, as bytes. */
async function journalAfter(world: Emulator, turn: number): Promise<string> {
  return JSON.stringify(await world.control("GET", `/journal?since=${turn}`));
}

/** Runs the story in `main`; returns its state at the point, the later steps, and their result. */
async function tell(main: Emulator, { steps, after, by }: Story, isRestarted: boolean) {
  const place = after % steps.length;
  const at = await standAfter(main, steps.slice(0, place + 1));
  const rest = steps.slice(place + 1);
  const last = rest.length === 0 ? at : await standAfter(main, rest);
  // At the last instant a start with another clock has a turn of its own.
  const byTurn = by === "turn" || (isRestarted && at === last);
  return {
    at,
    point: byTurn ? at.turn : at.now,
    rest,
    last,
    journal: await journalAfter(main, at.turn),
  };
}

const AROUND = 200;

/** A digest is long: only where they part is shown. */
function expectSame(received: string, expected: string, what: string): void {
  let from = 0;
  while (from < expected.length && received[from] === expected[from]) from += 1;
  const part = (text: string) => text.slice(Math.max(0, from - AROUND), from + AROUND);
  expect(part(received), what).toBe(part(expected));
}

async function retell(main: Emulator, rows: Awaited<ReturnType<typeof tell>>, isRestarted: boolean) {
  const { at, point, rest, last, journal } = rows;
  const present = await digest(main);
  const status = await main.fork({ at: point });
  expectSame(await digest(status), at.digest, `a fork at ${point}`);
  const fork = await main.fork({ at: point });
  const view = rest.length === 0 ? at : await standAfter(fork, rest);
  expectSame(view.digest, last.digest, `${point} and what came after it`);
  // A restart forgets the numbers of turns that only read.
  if (!isRestarted || point === at.turn)
    expectSame(await journalAfter(fork, at.turn), journal, "the journal");
  expectSame(await digest(main), present, "what was forked");
}

async function check(rows: Story, options: EmulatorOptions, restarts = false): Promise<void> {
  let rig = await startRig({ ...options, seed: rows.seed });
  try {
    const so = await tell(rig.emulator, rows, restarts);
    if (restarts) {
      closeStores();
      await rig.close();
      rig = await startRig({ ...options, seed: rows.seed, now: so.last.now });
    }
    await retell(rig.emulator, so, restarts);
  } finally {
    closeStores();
    await rig.close();
  }
}

const RUNS = 24;
const FIRST: Step = { action: "thread", k: 0 };

async function holds(options: () => EmulatorOptions, seed: number, restarts = false): Promise<void> {
  // Rate limits are in memory only: a restart forgets their counters.
  const isKept = ({ action }: Step) => !restarts || action !== "trip";
  const property = fc.asyncProperty(story, (rows) =>
    check({ ...rows, steps: [FIRST, ...rows.steps.filter(isKept)] }, options(), restarts),
  );
  await fc.assert(property, { numRuns: RUNS, seed, endOnFailure: true });
}

describe("a fork from history shows the earlier state, and continues to the same bytes", () => {
  it("in memory", () => holds(() => ({}), 11));

  it.each([
    ["in a data folder", false],
    ["in a data folder, after a restart", true],
  ])("%s", async (_, restarts) => {
    const root = workingFolder();
    let runs = 0;
    await holds(() => ({ ephemeral: false, data: join(root, String(runs++)) }), 12, restarts);
  });
});
