import { describe, expect, expectTypeOf, it } from "vitest";
import type { ExpectOptions } from "../../../contracts/targets/expect.ts";
import {
  FIRST_INSTANT,
  type FrozenClock,
  type SharedEmulator,
  test,
} from "../../../emulator/entries/vitest.ts";
import type { Emulator } from "../../../emulator/runtime/index.ts";
import { createLibraryExport } from "../../support/library-export.ts";

const exportRows = (emulator: Emulator, days: readonly [string, string]) =>
  createLibraryExport(emulator, days, { count: 30 });

const WINDOW = ["2025-12-31T00:00:00Z", "2026-01-01T00:00:00Z"] as const;
const kinds = new Set<string>();

describe("the fixture", () => {
  for (const nth of ["first", "second"])
    test(`gives the ${nth} test a world that nobody has used`, async ({ emulator, clock }) => {
      expect(kinds.has(emulator.url)).toBe(false);
      kinds.add(emulator.url);
      expect(clock.now().toISOString()).toBe(new Date(FIRST_INSTANT).toISOString());
      expect(await (await emulator.request("/threads/count", { json: {} })).json()).toBe(0);
      await emulator.request("/threads", { json: {} });
      await clock.advance("P1D");
    });

  it("has removed them, and they were of one emulator", async () => {
    expect(kinds.size).toBe(2);
    expect(new Set([...kinds].map((url) => new URL(url).origin)).size).toBe(1);
    for (const url of kinds) expect((await fetch(`${url}/ok`)).status).toBe(404);
  });

  test("arms faults in the world of the test", async ({ emulator, faults }) => {
    await faults.arm({ target: "http", match: { op: "createThread" }, then: { status: 503 } });
    expect((await emulator.request("/threads", { json: {} })).status).toBe(503);
    expect(await emulator.faults.list()).toMatchObject([{ hits: 1 }]);
  });

  test("moves time to an instant, and until an export is where it should be", async ({ emulator, clock }) => {
    const id = await exportRows(emulator, WINDOW);
    await clock.advanceTo("2026-01-01T00:00:00.500Z");
    expect(await (await emulator.request(`/api/v1/bulk-exports/${id}`)).json()).toMatchObject({
      status: "CREATED",
    });
    await clock.advanceUntil(id);
    await expect(clock.advanceUntil(id, "FAILED")).rejects.toThrow(/did not get to .*FAILED/);
  });
});

const seeded = test.extend({ emulatorOptions: { seed: 77, now: "2027-05-05T00:00:00Z" } });

seeded("options are those that the tests give", async ({ emulator, clock }) => {
  expect(emulator.seed).toBe(77);
  expect(clock.now().toISOString()).toBe("2027-05-05T00:00:00.000Z");
});

const count = async (emulator: Emulator) => (await emulator.request("/threads/count", { json: {} })).json();

const options = { seed: 78 };
const prepared = test.extend({ emulatorOptions: options, emulatorFrom: "main" });

describe("data that is prepared once", () => {
  const stocked = prepared.extend({ emulatorFrom: "stocked" });
  let exportId: string;
  let hooks = 0;

  prepared.beforeAll(async ({ sharedEmulator }) => {
    hooks += 1;
    const main = await sharedEmulator(options);
    expect(await sharedEmulator({ seed: 78 })).toBe(main);
    exportId = await exportRows(main, WINDOW);
    await main.clock.advance({ until: { export: exportId, status: "COMPLETED" } });
    await main.request("/threads", { json: {} });
    await main.snapshots.save("stocked");
    await main.request("/threads", { json: {} });
  });

  for (const nth of ["first", "second"])
    prepared(
      `is in the world of the ${nth} test, which begins where that ended`,
      async ({ emulator, clock, sharedEmulator }) => {
        expect(hooks).toBe(1);
        await expect(emulator).toHaveExported(exportId, { rows: 30 });
        expect(clock.now().getTime()).toBe(Date.parse((await sharedEmulator(options)).clock.now()));
        expect(await count(emulator)).toBe(2);
        await emulator.request("/threads", { json: {} });
        await emulator.control("DELETE", "/s3/buckets/traces");
        await clock.advance("P1D");
      },
    );

  stocked("is there as a snapshot, too", async ({ emulator, sharedEmulator }) => {
    expect(await count(emulator)).toBe(1);
    expect(await count(await sharedEmulator(options))).toBe(2);
  });

  test("depends only on its own options", async ({ emulator }) => {
    expect(await count(emulator)).toBe(0);
  });

  const nowhere = prepared.extend({ emulatorFrom: "nowhere" });
  nowhere.fails("has to be there", async ({ emulator }) => {
    expect(emulator).toBeDefined();
  });
});

it("an extended test keeps its types", () => {
  type OfFile = Parameters<Parameters<typeof prepared.beforeAll>[0]>[0];
  expectTypeOf<OfFile["sharedEmulator"]>().toEqualTypeOf<SharedEmulator>();
  type OfTest = Parameters<Parameters<typeof prepared.beforeEach>[0]>[0];
  expectTypeOf<OfTest["emulator"]>().toEqualTypeOf<Emulator>();
  expectTypeOf<OfTest["clock"]>().toEqualTypeOf<FrozenClock>();
});

describe.concurrent("tests that run at the same time", () => {
  const rounds = [1, 2, 3, 4, 5];
  let arrived = 0;
  let everybodyIsThere = () => {};
  const together = new Promise<void>((resolve) => {
    everybodyIsThere = resolve;
  });

  for (const round of rounds)
    test(`do not see one another (${round})`, async ({ emulator, clock, expect: own }) => {
      for (let count = 0; count < round; count += 1) await emulator.request("/threads", { json: {} });
      await clock.advance(`PT${round}H`);
      arrived += 1;
      if (arrived === rounds.length) everybodyIsThere();
      await together;
      own(await count(emulator)).toBe(round);
      own(clock.now().getTime()).toBe(Date.parse(FIRST_INSTANT) + round * 3_600_000);
    });
});

const alone = test.extend({ emulatorFrom: null });

alone("an emulator of its own is there for who needs one", async ({ emulator, sharedEmulator }) => {
  expect([emulator.world, new URL(emulator.url).pathname]).toEqual(["main", "/"]);
  expect(new URL(emulator.url).origin).not.toBe(new URL((await sharedEmulator()).url).origin);
});

describe("toHaveExported", () => {
  test("reads the files back", async ({ emulator, clock }) => {
    const id = await exportRows(emulator, WINDOW);
    await clock.advanceUntil(id);
    await expect(emulator).toHaveExported(id);
    await expect(emulator).toHaveExported(id, { rows: 30, files: 1 });
    await expect(expect(emulator).toHaveExported(id, { rows: 31 })).rejects.toThrow(
      /rows: expected 31, found 30/,
    );
  });

  test("reports their mistakes", async ({ emulator, clock }) => {
    const id = await exportRows(emulator, WINDOW);
    await clock.advanceUntil(id);
    await emulator.control("DELETE", "/s3/buckets/traces");
    await expect(expect(emulator).toHaveExported(id)).rejects.toThrow(/is not as expected:\n\w+/);
    await expect(emulator).not.toHaveExported(id);
  });
});

describe("toHaveDelivered", () => {
  test("looks into the ledger", async ({ emulator, clock }) => {
    await expect(emulator).not.toHaveDelivered();
    const { thread_id } = (await (await emulator.request("/threads", { json: {} })).json()) as {
      thread_id: string;
    };
    await emulator.request(`/threads/${thread_id}/runs`, {
      json: { assistant_id: "agent", webhook: "/_emulator/inbox/mine" },
    });
    await clock.advance("PT1H");
    await expect(emulator).toHaveDelivered(
      { url: "/_emulator/inbox/mine", "request.body.status": "success" },
      1,
    );
    await expect(expect(emulator).toHaveDelivered({ thread_id }, 2)).rejects.toThrow(
      /^1 deliveries are like/,
    );
    await expect(emulator).not.toHaveDelivered({ run_status: "error" });
  });

  test("accepts no matcher of another kind, which would never match", async ({ emulator }) => {
    const misspelled = expect(emulator).not.toHaveDelivered({ run_status: { $nott: "success" } });
    await expect(misspelled).rejects.toThrow(
      "toHaveDelivered: run_status: $nott is not a matcher; did you mean $not?",
    );
    await expect(expect(emulator).toHaveDelivered({ run_id: "$uid" }, 0)).rejects.toThrow(
      "did you mean $uuid?",
    );
  });
});

describe("toMatchContract", () => {
  test("checks a response, which the test can still read", async ({ emulator }) => {
    const response = await emulator.request("/threads", { json: {} });
    await expect(response).toMatchContract({ method: "POST", path: "/threads" });
    expect(await response.json()).toMatchObject({ status: "idle" });
    const real = await fetch(`${emulator.url}/threads/${crypto.randomUUID()}/runs`);
    await expect(real).toMatchContract();
  });

  test("names the section, the difference and a command that repeats the request", async ({ emulator }) => {
    const { config: _, ...less } = (await (await emulator.request("/threads", { json: {} })).json()) as {
      config: unknown;
    };
    const reply = { status: 200, headers: { "content-type": "application/json" }, body: less };
    const request = { method: "POST", path: "/threads", requestBody: {} };
    await expect(reply).not.toMatchContract(request);
    await expect(expect(reply).toMatchContract(request)).rejects.toThrow(
      /POST \/threads → 200 breaks the contract\n {2}FAIL §2\.2-1.*config[\s\S]*curl -sS -X POST "\$EMULATOR_URL"'\/threads' --data '\{\}'/,
    );
  });

  test("checks the recording of an emulator", async ({ emulator }) => {
    await emulator.request("/threads", { json: { metadata: { by: "me" } } });
    const text = await (await emulator.request("/_emulator/v1/recording")).text();
    const lines = text.trim().split("\n").slice(1);
    expect(lines).toHaveLength(1);
    for (const line of lines) await expect(JSON.parse(line)).toMatchContract({ strict: true });
  });

  test("ignores paths that are not operations", async ({ emulator }) => {
    const response = await emulator.request("/nonsense");
    await expect(expect(response).not.toMatchContract({ path: "/nonsense" })).rejects.toThrow(
      /not an operation of this API/,
    );
  });

  it("declares the types of its options and its result", () => {
    expectTypeOf(expect(new Response()).toMatchContract)
      .parameter(0)
      .toEqualTypeOf<ExpectOptions | undefined>();
    expectTypeOf(expect(new Response()).toMatchContract).returns.toEqualTypeOf<Promise<void>>();
  });
});
