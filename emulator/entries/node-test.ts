import { relative } from "node:path";
import { after } from "node:test";
import { type WithWorld, withWorldFor } from "./fixtures/with-world.ts";

export { assertContract, assertDelivered, assertExported } from "./fixtures/assertions.ts";
export type { WorldFixtures } from "./fixtures/with-world.ts";
export { type FrozenClock, sharedEmulator, type WorldOptions } from "./fixtures/worlds.ts";

/** Each file of tests is a process of its own. */
const file = relative(process.cwd(), process.argv[1] ?? "");

/** Gives a test of `node:test` a world of its own. */
export const withWorld: WithWorld = withWorldFor({
  afterAll: after,
  currentTest: ([context]) => ({
    runner: "node:test",
    names: [file, nameOf(context)],
    command: `node --test ${file}`,
  }),
});

function nameOf(context: unknown): string {
  return typeof context === "object" && context !== null && "name" in context ? String(context.name) : "";
}
