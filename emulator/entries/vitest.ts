import { readFile } from "node:fs/promises";
import { test as base, beforeAll, beforeEach, describe, expect, type TestAPI } from "vitest";
import { OPEN_CHOICES } from "../../contracts/spec/alternatives.ts";
import type { AssumptionId } from "../../contracts/spec/assumptions.ts";
import { overlaid } from "../../scenarios/conditions.ts";
import { alternativesOf, NOTING } from "../../scenarios/variations/variations.ts";
import type { ChoiceView } from "../client/views.ts";
import type { EmulatorOptions } from "../runtime/index.ts";
import type { NamedTest } from "./fixtures/capsule.ts";
import { type EmulatorMatchers, MATCHERS } from "./fixtures/matchers.ts";
import type { WorldFixtures } from "./fixtures/with-world.ts";
import {
  defaultCapsules,
  frozenClock,
  openTestWorld,
  type SharedEmulator,
  sharedEmulator,
  useEmulators,
  type WorldOptions,
} from "./fixtures/worlds.ts";

export { FIRST_INSTANT } from "./fixtures/defaults.ts";
export type { ExpectedDelivery } from "./fixtures/deliveries.ts";
export type { FrozenClock, SharedEmulator } from "./fixtures/worlds.ts";
export { frozenClock };

const LOADING_LIMIT_MS = 60_000;

/** Fixtures of a test, and options it may set with `test.extend`. */
export interface EmulatorFixtures extends Required<WorldOptions>, WorldFixtures {
  /**
   * The world `main` of the emulator that the tests of a file share, for what is prepared once:
   * `test.beforeAll(async ({ sharedEmulator }) => { const main = await sharedEmulator(); … })`.
   */
  readonly sharedEmulator: SharedEmulator;
}

interface FileFixtures {
  readonly $file: Pick<EmulatorFixtures, "sharedEmulator">;
  readonly $test: Omit<EmulatorFixtures, "sharedEmulator">;
}

/**
 * `test` with a world of its own for each test.
 *
 * @example
 * test("an export ends", async ({ emulator, clock }) => {
 *   await clock.advanceUntil(id);
 *   await expect(emulator).toHaveExported(id, { rows: 60 });
 * });
 */
export const test = withEmulator(base);

/**
 * The same fixtures for a `test` that has others already.
 *
 * @example
 * const test = withEmulator(base.extend({ mine: 1 }));
 */
export function withEmulator<Context>(own: TestAPI<Context>) {
  return own.extend<FileFixtures>({
    sharedEmulator: [
      // biome-ignore lint/correctness/noEmptyPattern: fixtures say what they need in a pattern.
      async ({}, use) => {
        const release = useEmulators();
        await use(sharedEmulator);
        await release();
      },
      { scope: "file" },
    ],
    emulatorOptions: {},
    emulatorFrom: "seeded",
    emulatorCapsules: defaultCapsules,
    // The shared emulator is closed after the file only if a test depends on it.
    emulator: async ({ sharedEmulator: _, emulatorOptions, emulatorFrom, emulatorCapsules, task }, use) => {
      const world = await openTestWorld({ emulatorOptions, emulatorFrom, emulatorCapsules });
      await use(world.emulator);
      const [failure] = (task.result?.state === "fail" && task.result.errors) || [];
      await world.end(namedTest(task), failure);
    },
    clock: async ({ emulator }, use) => use(frozenClock(emulator)),
    faults: async ({ emulator }, use) => use(emulator.faults),
  });
}

function namedTest({ name, file, suite }: Task): NamedTest {
  return {
    runner: "vitest",
    names: [file.name, suite?.name ?? "", name],
    command: `npx vitest run ${file.name} -t ${JSON.stringify(name)}`,
  };
}

/** The part of a task of vitest that identifies its test. */
interface Task {
  readonly name: string;
  readonly file: { readonly name: string };
  readonly suite?: { readonly name: string } | undefined;
}

/** How `describeVariations` runs the tests. */
export interface VariationsOptions {
  /** Options of the emulator of every variation. */
  readonly emulatorOptions?: EmulatorOptions;
  /** Ids of the assumptions to vary. Default: all that have alternatives. */
  readonly choices?: readonly AssumptionId[];
}

/**
 * Defines tests that run with the configured assumption values, and again with each alternative:
 * `describeVariations("my client", (test) => { test("…", async ({ emulator }) => … ) })`. Variations of choices
 * that the tests do not depend on are skipped.
 */
export function describeVariations(
  name: string,
  define: (each: typeof test) => void,
  { emulatorOptions = {}, choices = OPEN_CHOICES }: VariationsOptions = {},
): void {
  const consulted = new Set<string>();
  const testUnder = (settings: EmulatorOptions) =>
    test.extend({ emulatorOptions: overlaid(emulatorOptions, settings) as EmulatorOptions }) as typeof test;
  describe(name, () => {
    describe("as configured", () => {
      const noted = testUnder(NOTING);
      noted.afterEach(async ({ emulator }) => {
        for (const { id } of await emulator.control<readonly ChoiceView[]>("GET", "/choices"))
          consulted.add(id);
      });
      define(noted);
    });
    for (const variation of choices.flatMap(alternativesOf))
      describe(`${variation.name} (§${variation.section})`, () => {
        beforeEach(({ skip }) => {
          const isMeant = variation.choices.some((id) => consulted.has(id));
          skip(!isMeant, "the tests do not depend on it as configured");
        });
        define(testUnder(variation.settings));
      });
  });
}

declare module "vitest" {
  // biome-ignore lint/suspicious/noExplicitAny: the declaration has to repeat that of vitest.
  interface Matchers<T = any> extends EmulatorMatchers {}
}

// Loading takes a moment, which must not count against the time limit of the first test that matches.
// biome-ignore lint/correctness/noEmptyPattern: fixtures say what they need in a pattern.
beforeAll(async ({}, { file }) => {
  const source = await readFile(file.filepath, "utf8").catch(() => "");
  if (!source.includes("toMatchContract")) return;
  const { prepareMatching } = await import("../../contracts/targets/expect.ts");
  await prepareMatching();
}, LOADING_LIMIT_MS);

expect.extend(MATCHERS);
