import { describe, expect, it } from "vitest";
import { exportsIn, shrunk, simulate } from "./simulation.ts";

const [first = 1, last = 3] = (process.env.SIMULATION_SEEDS ?? "").split("-").filter(Boolean).map(Number);

describe("a simulation of exports, schedules, traffic, faults, crashes and moves of the clock", () => {
  it("holds every invariant for every seed", async () => {
    const failures: string[] = [];
    const rows = new Map<string, number>();
    for (let seed = first; seed <= last && failures.length < 3; seed += 1) {
      const { broken, happened } = await simulate(seed);
      for (const [what, times] of happened) rows.set(what, (rows.get(what) ?? 0) + times);
      if (broken !== undefined)
        failures.push(
          `seed ${seed}: ${broken} (steps ${await shrunk(seed)}; SIMULATION_SEEDS=${seed}-${seed} npx vitest run ${HERE})`,
        );
    }
    expect(failures).toEqual([]);
    if (last - first < 70) return;
    // An event that never happens is not tested.
    for (const what of RARE)
      expect({ what, times: rows.get(what) ?? 0 }).toEqual({ what, times: expect.any(Number) });
    expect(RARE.filter((what) => !rows.get(what))).toEqual([]);
  });
});

it("a seed that fails is shrunk to the few steps that make it fail", async () => {
  const check = (exportWorld: Parameters<typeof exportsIn>[0]) => {
    const cancelled = exportsIn(exportWorld).find(({ status }) => status === "CANCELLED");
    if (cancelled) throw new Error(`export ${cancelled.id} is cancelled`);
  };
  let seed = 1;
  while ((await simulate(seed, undefined, check)).broken === undefined) seed += 1;
  const steps = (await shrunk(seed, check)) ?? [];
  // One makes it, one cancels it.
  expect(steps).toHaveLength(2);
  expect((await simulate(seed, steps, check)).broken).toContain("is cancelled");
  expect(await shrunk(seed)).toBeUndefined();
});

const HERE = "test/subjects/bulk-exports/simulation.test.ts";

const RARE = [
  "COMPLETED",
  "FAILED",
  "CANCELLED",
  "TIMEDOUT",
  "waiting export",
  "waiting run",
  "crash with files under way",
  "late row",
  "changed row",
  "moved row",
  "refused",
  "retry",
  "spawned",
  "destination removed",
  "retries used up",
  "several files in a run",
];
