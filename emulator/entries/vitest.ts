import { test as base, expect } from "vitest";
import type { ExpectOptions } from "../../contracts/expect.ts";
import type { Judged } from "../../contracts/recorded.ts";
import { differences } from "../../scenarios/matching.ts";
import { type Emulator, type EmulatorOptions, startEmulator } from "../index.ts";

/** Where the clock of each test's emulator begins. */
export const FIRST_INSTANT = "2026-01-01T00:00:00Z";

export interface EmulatorFixtures {
  /** What the emulator of each test is started with; its clock is frozen at 2026-01-01 unless this says otherwise. */
  readonly emulatorOptions: EmulatorOptions;
  /** A fresh emulator for every test that asks for one, closed when the test has ended. */
  readonly emulator: Emulator;
  /** Moves its time; nothing else does. */
  readonly clock: FrozenClock;
}

/** Time that stands still until the test moves it. */
export interface FrozenClock {
  now(): Date;
  /** By an ISO 8601 duration. */
  advance(duration: string): Promise<void>;
  /** To an ISO 8601 time. */
  advanceTo(time: string | Date): Promise<void>;
  /** Until an export is in a status; rejects when it never gets there. */
  advanceUntil(exportId: string, status?: string): Promise<void>;
}

/** `test` with an emulator of its own: `test("…", async ({ emulator, clock }) => { … })`. */
export const test = base.extend<EmulatorFixtures>({
  emulatorOptions: {},
  emulator: async ({ emulatorOptions }, use) => {
    const emulator = await startEmulator({ clock: "frozen", now: FIRST_INSTANT, ...emulatorOptions });
    await use(emulator);
    await emulator.close();
  },
  clock: async ({ emulator }, use) => use(frozenClock(emulator)),
});

/** The clock of an emulator in the words of a test. */
export function frozenClock({ clock }: Pick<Emulator, "clock">): FrozenClock {
  return {
    now: () => new Date(clock.now()),
    advance: async (duration) => void (await clock.advance(duration)),
    advanceTo: async (time) => void (await clock.advance({ to: new Date(time).toISOString() })),
    async advanceUntil(exportId, status = "COMPLETED") {
      const { reached, why } = await clock.advance({ until: { export: exportId, status } });
      if (reached !== true) throw new Error(`export ${exportId} did not become ${status}: ${why}`);
    },
  };
}

/** What a delivery must be like; members by name or path, with the matchers of scenarios. */
export type ExpectedDelivery = Readonly<Record<string, unknown>>;

interface EmulatorMatchers {
  /** All rows of the export are in its files, each once, as they were sent; numbers are compared when given. */
  toHaveExported(
    exportId: string,
    expected?: { readonly rows?: number; readonly files?: number },
  ): Promise<void>;
  /** A webhook was delivered; with `times` exactly so often. */
  toHaveDelivered(expected?: ExpectedDelivery, times?: number): Promise<void>;
  /**
   * A `Response`, a `{ status, headers, body }` or an exchange is as the specification has it; `asked` says
   * what was asked for, where it does not say so itself: `{ method: "POST", path: "/threads" }`.
   */
  toMatchContract(asked?: ExpectOptions): Promise<void>;
}

declare module "vitest" {
  // biome-ignore lint/suspicious/noExplicitAny: the declaration has to repeat that of vitest.
  interface Matchers<T = any> extends EmulatorMatchers {}
}

const SHOWN = 10;

expect.extend({
  async toHaveExported(
    emulator: Emulator,
    exportId: string,
    expected: { rows?: number; files?: number } = {},
  ) {
    const { ok, rows, files, problems } = await emulator.verifyExport(exportId);
    const found = differences(expected, { rows, files });
    const told = [
      ...found,
      ...problems.slice(0, SHOWN).map(({ kind, key, detail }) => `${kind} ${key}: ${detail}`),
    ];
    return {
      pass: ok && found.length === 0,
      message: () =>
        told.length > 0
          ? `export ${exportId} is not as expected:\n${told.join("\n")}`
          : `export ${exportId} has ${rows} rows in ${files} files, all of them right`,
    };
  },
  async toMatchContract(given: Judged, asked: ExpectOptions = {}) {
    const { contractMatchers } = await import("../../contracts/expect.ts");
    return contractMatchers.toMatchContract(given, asked);
  },
  async toHaveDelivered(emulator: Emulator, expected: ExpectedDelivery = {}, times?: number) {
    const all = await emulator.control<readonly unknown[]>("GET", "/webhooks/deliveries?limit=10000");
    const found = all.filter((each) => differences({ status: "delivered", ...expected }, each).length === 0);
    const ledger = all.slice(-SHOWN).map((each) => JSON.stringify(each));
    return {
      pass: times === undefined ? found.length > 0 : found.length === times,
      message: () =>
        `${found.length} deliveries are like ${JSON.stringify(expected)}; the ledger has ${all.length}:\n${ledger.join("\n")}`,
    };
  },
});
