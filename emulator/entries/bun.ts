import { afterAll, expect } from "bun:test";
import { MATCHERS } from "./fixtures/matchers.ts";
import { type WithWorld, withWorldFor } from "./fixtures/with-world.ts";

export type { EmulatorMatchers } from "./fixtures/matchers.ts";
export type { WorldFixtures } from "./fixtures/with-world.ts";
export { type FrozenClock, sharedEmulator, type WorldOptions } from "./fixtures/worlds.ts";

expect.extend(MATCHERS);

/** Gives a test of Bun a world of its own. */
export const withWorld: WithWorld = withWorldFor({
  afterAll,
  currentTest: () => ({ runner: "bun", names: ["bun"], command: "bun test" }),
});
