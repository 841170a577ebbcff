import { after } from "node:test";
import { type WithWorld, withWorldFor } from "./fixtures/with-world.ts";

export { assertContract, assertDelivered, assertExported } from "./fixtures/assertions.ts";
export type { WorldFixtures } from "./fixtures/with-world.ts";
export { type FrozenClock, sharedEmulator, type WorldOptions } from "./fixtures/worlds.ts";

/** Gives a test of `node:test` a world of its own. */
export const withWorld: WithWorld = withWorldFor({
  afterAll: after,
  currentTest: ([context]) => ({
    runner: "node:test",
    names: [process.argv[1] ?? "", nameOf(context)],
    command: `node --test ${process.argv[1]}`,
  }),
});

function nameOf(context: unknown): string {
  return typeof context === "object" && context !== null && "name" in context ? String(context.name) : "";
}
