import { readFile } from "node:fs/promises";
import { test as base, beforeAll, beforeEach, describe, expect, type TestAPI } from "vitest";
import type { CheckableReply } from "../../contracts/engine/recorded.ts";
import { OPEN_CHOICES } from "../../contracts/spec/alternatives.ts";
import type { AssumptionId } from "../../contracts/spec/assumptions.ts";
import type { ExpectOptions } from "../../contracts/targets/expect.ts";
import { overlaid } from "../../scenarios/conditions.ts";
import { differences } from "../../scenarios/matching.ts";
import { alternativesOf, NOTING } from "../../scenarios/variations/variations.ts";
import type { ChoiceView } from "../client/views.ts";
import { type AdvanceResult, type Emulator, type EmulatorOptions, startEmulator } from "../runtime/index.ts";
import { deliveryVerdict, type ExpectedDelivery } from "./vitest-parts/deliveries.ts";
import { concludeTest } from "./vitest-parts/outcome.ts";
import { requireEmulator } from "./vitest-parts/require-emulator.ts";

export type { ExpectedDelivery } from "./vitest-parts/deliveries.ts";

const LOADING_LIMIT_MS = 60_000;

/** Initial virtual time of each test's emulator. */
export const FIRST_INSTANT = "2026-01-01T00:00:00Z";

/** Fixtures of a test, and options it may set with `test.extend`. */
export interface EmulatorFixtures {
  /** Options of the emulator; by default the clock is frozen at 2026-01-01. */
  readonly emulatorOptions: EmulatorOptions;
  /**
   * The world or snapshot that each test's world is copied from; default `"seeded"`, the seed data of the
   * options. Null: a separate emulator instead of a world; its address has no path.
   */
  readonly emulatorFrom: string | null;
  /** A folder for capsules of the tests that fail; by default what EMULATOR_CAPSULES names. Null: none is written. */
  readonly emulatorCapsules: string | null;
  /** A world for every test that asks for one, removed when the test has ended. */
  readonly emulator: Emulator;
  /** Advances the frozen clock of the test's world. */
  readonly clock: FrozenClock;
  /**
   * The world `main` of the emulator that the tests of a file share, for what is prepared once:
   * `test.beforeAll(async ({ sharedEmulator }) => { const main = await sharedEmulator(); … })`.
   */
  readonly sharedEmulator: SharedEmulator;
}

/** Starts one emulator for each set of options, on first use. */
export type SharedEmulator = (options?: EmulatorOptions) => Promise<Emulator>;

/** A frozen clock that the test advances; each move says what has fired, and rejects while effects hang. */
export interface FrozenClock {
  now(): Date;
  /** By an ISO 8601 duration. */
  advance(duration: string): Promise<AdvanceResult>;
  /** To an ISO 8601 time. */
  advanceTo(time: string | Date): Promise<AdvanceResult>;
  /** Until an export is in a status; rejects when it never gets there. */
  advanceUntil(exportId: string, status?: string): Promise<AdvanceResult>;
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
        users += 1;
        await use(shared);
        users -= 1;
        if (users === 0) await closeAll();
      },
      { scope: "file" },
    ],
    emulatorOptions: {},
    emulatorFrom: "seeded",
    emulatorCapsules: process.env.EMULATOR_CAPSULES || null,
    emulator: async ({ sharedEmulator, emulatorOptions, emulatorFrom, emulatorCapsules, task }, use) => {
      const emulator =
        emulatorFrom === null
          ? await startFrozen(emulatorOptions)
          : await forkOf(await sharedEmulator(emulatorOptions), emulatorFrom);
      const keep =
        emulatorCapsules === null
          ? undefined
          : await (await import("./vitest-parts/capsule.ts")).beginCapsule(
              emulatorCapsules,
              emulator,
              emulatorOptions,
            );
      await use(emulator);
      try {
        await concludeTest(emulator, task, keep);
      } finally {
        await emulator.close({ unusedFaults: "ignore" });
      }
    },
    clock: async ({ emulator }, use) => use(frozenClock(emulator)),
  });
}

/** Every `test.extend` has separate fixtures, even of file scope; they are closed at the end of the file. */
let users = 0;
let forks = 0;
const emulators = new Map<string, Promise<Emulator>>();

function shared(options: EmulatorOptions = {}): Promise<Emulator> {
  const key = JSON.stringify(options);
  const emulator = emulators.get(key) ?? startFrozen(options);
  emulators.set(key, emulator);
  return emulator;
}

async function closeAll(): Promise<void> {
  const results = await Promise.allSettled(emulators.values());
  emulators.clear();
  // An emulator that failed to start has already failed the tests that use it.
  await Promise.all(
    results.map((each) => each.status === "fulfilled" && each.value.close({ unusedFaults: "ignore" })),
  );
}

/** Names are not reused: a late request of an ended test must not reach another test's world. */
function forkOf(emulator: Emulator, from: string): Promise<Emulator> {
  forks += 1;
  return emulator.fork({ from, id: `test-${forks}` });
}

function startFrozen(options: EmulatorOptions): Promise<Emulator> {
  return startEmulator({ clock: "frozen", now: FIRST_INSTANT, ...options });
}

/** Creates the clock fixture of an emulator. */
export function frozenClock({ clock }: Pick<Emulator, "clock">): FrozenClock {
  return {
    now: () => new Date(clock.now()),
    advance: (duration) => clock.advance(duration),
    advanceTo: (time) => clock.advance({ to: new Date(time).toISOString() }),
    advanceUntil: (exportId, status) => clock.advanceUntil(exportId, status),
  };
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

interface EmulatorMatchers {
  /** All rows of the export are in its files, each once and unchanged; numbers are compared when given. */
  toHaveExported(
    exportId: string,
    expected?: { readonly rows?: number; readonly files?: number },
  ): Promise<void>;
  /** A webhook was delivered; with `times` exactly so often. */
  toHaveDelivered(expected?: ExpectedDelivery, times?: number): Promise<void>;
  /**
   * A `Response`, a `{ status, headers, body }` or an exchange conforms to the specification; `options` give
   * the request, if the value does not contain it: `{ method: "POST", path: "/threads" }`.
   */
  toMatchContract(options?: ExpectOptions): Promise<void>;
}

declare module "vitest" {
  // biome-ignore lint/suspicious/noExplicitAny: the declaration has to repeat that of vitest.
  interface Matchers<T = any> extends EmulatorMatchers {}
}

const SHOWN = 10;

// Loading takes a moment, which must not count against the time limit of the first test that matches.
// biome-ignore lint/correctness/noEmptyPattern: fixtures say what they need in a pattern.
beforeAll(async ({}, { file }) => {
  const source = await readFile(file.filepath, "utf8").catch(() => "");
  if (!source.includes("toMatchContract")) return;
  const { prepareMatching } = await import("../../contracts/targets/expect.ts");
  await prepareMatching();
}, LOADING_LIMIT_MS);

expect.extend({
  async toHaveExported(
    emulator: Emulator,
    exportId: string,
    expected: { rows?: number; files?: number } = {},
  ) {
    requireEmulator("toHaveExported", emulator);
    const { ok, rows, files, problems } = await emulator.verifyExport(exportId);
    const mismatches = differences(expected, { rows, files });
    const described = [
      ...mismatches,
      ...problems.slice(0, SHOWN).map(({ kind, key, detail }) => `${kind} ${key}: ${detail}`),
    ];
    return {
      pass: ok && mismatches.length === 0,
      message: () =>
        described.length > 0
          ? `export ${exportId} is not as expected:\n${described.join("\n")}`
          : `export ${exportId} has ${rows} rows in ${files} files, all of them right`,
    };
  },
  async toMatchContract(reply: CheckableReply, options: ExpectOptions = {}) {
    const { contractMatchers } = await import("../../contracts/targets/expect.ts");
    return contractMatchers.toMatchContract(reply, options);
  },
  toHaveDelivered: (emulator: Emulator, expected: ExpectedDelivery = {}, times?: number) =>
    deliveryVerdict(emulator, expected, times),
});
