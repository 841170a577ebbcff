import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ExplorationReport } from "../../scenarios/exploration.ts";
import { environmentOf, mutatedProduct } from "./mutated-run.ts";
import { type Mutation, ROOT } from "./mutation.ts";
import { SWEEP_MUTATIONS } from "./sweeps.ts";

/** It asks for a status alone: what is wrong with the files, the sweep finds by itself. */
const SCENARIO = join(ROOT, "test/mutations/nightly.scenario.yaml");

/** The trials of a sweep that do not hold, or why it refuses the baseline. */
function sweep(mutation: Mutation | undefined, name: string): Promise<readonly string[]> {
  return play(mutation, "--sweep", name, "--all");
}

async function play(mutation: Mutation | undefined, ...flags: readonly string[]): Promise<readonly string[]> {
  const words = [await mutatedProduct(), "replay", SCENARIO, ...flags, "--report", "json"];
  const options = { cwd: ROOT, env: environmentOf(mutation), maxBuffer: 2 ** 28 };
  return new Promise((settle, fail) => {
    execFile(process.execPath, words, options, (_, stdout, stderr) => {
      if (!stdout.startsWith("{")) return fail(new Error(stderr));
      const { results, refused } = (JSON.parse(stdout) as { exploration: ExplorationReport }).exploration;
      const failed = results.filter(({ verdict }) => verdict !== "held");
      settle([
        ...failed.map(({ trial, differences }) => `${trial}: ${differences[0]}`),
        ...refused.map(({ why }) => why),
      ]);
    });
  });
}

describe("a sweep of a scenario that only expects a status", () => {
  it.each(["crash", "edges", "store", "cancel"])(
    "finds nothing in the product as it is: %s",
    async (name) => {
      expect(await sweep(undefined, name)).toEqual([]);
    },
  );

  it.each(SWEEP_MUTATIONS)("finds: $title", async (mutation) => {
    const [name = ""] = mutation.cases;
    expect(await sweep(mutation, name)).not.toEqual([]);
  });
});
