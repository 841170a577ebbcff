import { runInThisContext } from "node:vm";
import { afterAll, expect } from "@jest/globals";
import type { jestFixtures } from "./fixtures/jest-fixtures.ts";

export type { EmulatorMatchers } from "./fixtures/matchers.ts";
export type { WithWorld, WorldFixtures } from "./fixtures/with-world.ts";
export type { FrozenClock, SharedEmulator, WorldOptions } from "./fixtures/worlds.ts";

/**
 * Node's own loader, which is reachable only from the main context. That of Jest would load the emulator again for each
 * file. `build/commonjs.mjs` has the same for `require`.
 */
const { getBuiltinModule } = runInThisContext("process") as NodeJS.Process;
const load = getBuiltinModule("node:module").createRequire(import.meta.url);
const fixtures: ReturnType<typeof jestFixtures> = load("./fixtures/jest-fixtures.mjs").jestFixtures({
  afterAll,
  expect,
});

/** Gives a test of Jest a world of its own. */
export const withWorld = fixtures.withWorld;

/** The emulator that the tests of a file share, for data that is prepared once. */
export const sharedEmulator = fixtures.sharedEmulator;
