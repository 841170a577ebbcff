import { afterEach, describe, expect, it } from "vitest";
import {
  type Addresses,
  createAddressTarget,
  runContracts,
  suite,
  type Target,
} from "../../contracts/index.ts";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../emulator/runtime/index.ts";
import { oneCase, tinyServer } from "./stub-server.ts";

const KEY = "key-of-the-caller";
const MINE = "11111111-1111-4111-8111-111111111111";
const YOURS = "22222222-2222-4222-8222-222222222222";

let emulator: Emulator | undefined;
let target: Target | undefined;

afterEach(async () => {
  await target?.close();
  await emulator?.close();
  target = undefined;
  emulator = undefined;
});

async function opened(options: EmulatorOptions, more: Partial<Addresses> = {}): Promise<Target> {
  emulator ??= await startEmulator({ clock: "frozen", ...options });
  target = await createAddressTarget({ url: emulator.url, allowWrites: true, ...more });
  return target;
}

const judged = async (at: Target, ...select: string[]) =>
  (await runContracts(at, { select, oracle: false })).results.map(({ id, verdict }) => [id, verdict]);

describe("an emulator that knows its callers", () => {
  const KEYS: EmulatorOptions = { auth: { mode: "keys", keys: [{ key: KEY, tenants: [MINE] }] } };
  const worlds = async () => (await emulator?.control<readonly unknown[]>("GET", "/worlds"))?.length;

  it.each<[string, Partial<Addresses>, RegExp]>([
    ["no key", {}, /requires a key \(401\); give a valid key with --api-key$/],
    ["a wrong one", { apiKey: "nobody" }, /refuses the key \(401\); .* --api-key$/],
    [
      "no workspace",
      { apiKey: KEY },
      /refuses generated workspace ids for this key \(403\); give a workspace of the key with --tenant-id$/,
    ],
    [
      "a foreign one",
      { apiKey: KEY, tenantId: YOURS },
      /refuses the workspace 2222\S+ for this key \(403\); .* --tenant-id$/,
    ],
  ])("is not asked with %s: that would be found at fault everywhere", async (_, caller, why) => {
    await expect(opened(KEYS, caller)).rejects.toThrow(why);
    expect(await worlds()).toBe(1);
  });

  it("is asked as the caller, without workspaces that are made up", async () => {
    const at = await opened({ ...KEYS, rateLimits: "on" }, { apiKey: KEY, tenantId: MINE });
    expect(await judged(at, "4.4/unknown-id", "5/workspaces")).toEqual([
      ["4.4/unknown-id", "PASS"],
      ["5/workspaces", "UNSUPPORTED"],
    ]);
  });

  it("does not count the requests of one case for the next one", async () => {
    const at = await opened({ ...KEYS, rateLimits: "on" }, { apiKey: KEY, tenantId: MINE });
    const cases = suite(
      Object.fromEntries(
        [1, 2].map((round) => [
          `8.5/round-${round}`,
          {
            title: "asks as often as it may",
            requirements: ["8.5-1"] as const,
            async run(t) {
              for (let count = 0; count < 15; count++) {
                const body = { session: [MINE] };
                const { status } = await t.call("POST", "/runs/query", { body, unchecked: true });
                t.fact("8.5-1", status !== 429, "it is not stopped", { actual: status });
              }
            },
          },
        ]),
      ),
    );
    const { results } = await runContracts(at, { cases, oracle: false });
    expect(results.flatMap(({ findings }) => findings)).toEqual([]);
  });
});

describe("an emulator of other settings", () => {
  it("is not blamed for what its version does not have yet", async () => {
    const versions = { service: "0.10.0", application: "0.10.0", agent_server: "0.6.30" };
    const at = await opened({ versions });
    expect(at.offers).not.toContain("schedules");
    expect(at.offers).not.toContain("columns");
    const results = await judged(at, "2.5/interval-hours", "2.5/export-fields", "3.3", "2.7/smaller");
    expect(new Set(results.map(([, verdict]) => verdict))).toEqual(new Set(["UNSUPPORTED", "PASS"]));
    expect(results).toContainEqual(["3.3/windows", "UNSUPPORTED"]);
  });

  it("may refuse more when a setting makes it strict", async () => {
    expect(await judged(await opened({ strict: true }), "X/journal")).toEqual([["X/journal", "PASS"]]);
  });

  it("says in its reports that its world is gone", async () => {
    const cases = oneCase("4-1", async (t) => {
      await t.call("GET", "/info");
      t.fact("4-1", false, "something");
    });
    const own = await runContracts(await opened({}), { cases, oracle: false });
    for (const form of ["pretty", "md", "junit"] as const)
      expect(own.report(form).replaceAll("\\", "")).toMatch(
        /cannot be repeated, because this no longer exists: the world contract-[a-z]+ of the run\./,
      );
    await target?.close();
    const main = await runContracts(await opened({}, { world: "main" }), { cases, oracle: false });
    expect(main.report("pretty")).not.toContain("no longer exists");
  });
});

describe("a service elsewhere", () => {
  it("is asked whether it knows the key only when that is wanted", async () => {
    const { url, asked, close } = await tinyServer(() => ({ status: 401, body: { detail: "who?" } }));
    const input = { url, euUrl: "https://eu.example.com", apiKey: KEY, allowWrites: false };
    await createAddressTarget(input);
    expect(asked).toEqual([]);
    await expect(createAddressTarget({ ...input, greets: true })).rejects.toThrow(/refuses the key \(401\)/);
    expect(asked).toEqual(["GET /api/v1/bulk-exports"]);
    await close();
  });
});
