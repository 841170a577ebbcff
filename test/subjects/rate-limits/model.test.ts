// slow: many runs of a model.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RateLimiter } from "../../../emulator/subjects/rate-limits/limiter.ts";
import { casesOf } from "../../support/depth.ts";
import { limiterWith, NOW, rowOf } from "./limiter.ts";

const COUNT = 4;
const WINDOW_MS = 10_000;
const IDENTITIES = casesOf(250_000);
const QUERY = { region: "us", method: "POST", path: "/runs/query", address: "10.0.0.1" };

/** Remembers every admitted request for ever and looks at all of them each time. */
function obviousModel(window: "fixed" | "sliding") {
  const admitted = new Map<string, number[]>();
  const began = new Map<string, number>();
  return (who: string, now: number): boolean => {
    const past = admitted.get(who) ?? [];
    const start = began.get(who);
    if (start === undefined || now >= start + WINDOW_MS) began.set(who, now);
    const since = window === "fixed" ? (began.get(who) ?? now) : now - WINDOW_MS + 1;
    const counting = past.filter((at) => at >= since);
    if (counting.length >= COUNT) return false;
    admitted.set(who, [...past, now]);
    return true;
  };
}

const steps = fc.array(
  fc.record({
    who: fc.constantFrom("a", "b", "c"),
    afterMs: fc.oneof(
      fc.constant(0),
      fc.integer({ min: 0, max: 4_000 }),
      fc.constantFrom(9_999, 10_000, 25_000),
    ),
  }),
  { maxLength: 120 },
);

function ask(limiter: RateLimiter, who: string, now: number) {
  return limiter.decide({ ...QUERY, apiKey: who }, now);
}

it.each([
  ["fixed", "ends as a whole, ten seconds after its first request", COUNT],
  ["sliding", "counts each request for ten seconds", 2],
] as const)("a %s window %s", async (window, _, admittedLater) => {
  const limiter = await limiterWith({ window, rows: { runs_query_key: `${COUNT} / 10` } });
  for (const ms of [0, 0, 1_000, 8_000]) expect(ask(limiter, "a", NOW + ms)?.admitted).toBe(true);
  expect(ask(limiter, "a", NOW + 9_999)).toMatchObject({ admitted: false, resetsAt: NOW + 10_000 });
  const later = Array.from({ length: COUNT }, () => ask(limiter, "a", NOW + 10_000)?.admitted);
  expect(later.filter(Boolean)).toHaveLength(admittedLater);
});

describe.each(["fixed", "sliding"] as const)("a %s window", (window) => {
  const rows = { runs_query_key: `${COUNT} / ${WINDOW_MS / 1000}` };

  it("decides as a naive model does, and names the instant at which the next request passes", async () => {
    const { settings, copy } = await limiterWith({ window, rows });
    expect(settings.rows.runs_query_key.us).toEqual({ count: COUNT, seconds: 10 });
    fc.assert(
      fc.property(steps, (requests) => {
        const limiter = copy();
        const model = obviousModel(window);
        let now = NOW;
        for (const { who, afterMs } of requests) {
          now += afterMs;
          const [before] = limiter.appliedRows({ ...QUERY, apiKey: who }, now);
          const decision = ask(limiter, who, now);
          expect(decision?.admitted).toBe(model(who, now));
          expect(before?.passesAt === now).toBe(decision?.admitted);
          const left = COUNT - (before?.window.used ?? 0);
          expect(decision?.remaining).toBe(Math.max(0, left - 1));
          if (decision?.admitted) continue;
          expect(decision?.resetsAt).toBe(before?.passesAt);
          const [early] = [limiter.copy(), limiter.copy()].map((at, index) =>
            ask(at, who, (decision?.resetsAt ?? 0) - 1 + index),
          );
          expect(early?.admitted).toBe(false);
          expect(ask(limiter.copy(), who, decision?.resetsAt ?? 0)?.admitted).toBe(true);
        }
      }),
      { numRuns: casesOf(150) },
    );
  });

  it("tripped by hand, refuses every identity for one window", async () => {
    const limiter = await limiterWith({ window, rows });
    ask(limiter, "old", NOW);
    limiter.change(rowOf("runs_query_key"), "us", { remaining: 1 }, NOW + 2_000);
    for (const who of ["old", "new"]) {
      expect(ask(limiter, who, NOW + 2_000)?.admitted).toBe(true);
      expect(ask(limiter, who, NOW + 9_000)?.admitted).toBe(false);
    }
    expect(limiter.decide({ ...QUERY, region: "eu", apiKey: "old" }, NOW + 9_000)?.remaining).toBe(COUNT - 1);
    expect(ask(limiter, "late", NOW + 11_999)?.admitted).toBe(true);
    expect(ask(limiter, "late", NOW + 11_999)?.admitted).toBe(false);
    for (const who of ["old", "new", "late", "later"])
      expect(ask(limiter, who, NOW + 12_000)?.admitted).toBe(true);
  });

  it("keeps its bound under very many identities, evicting the oldest of the fullest row", async () => {
    const bound = 5_000;
    const limiter = await limiterWith({ window, held_at_most: bound });
    const guarded = { ...QUERY, apiKey: "guarded" };
    for (let n = 0; n < 15; n += 1) limiter.decide(guarded, NOW);
    let most = 0;
    for (let n = 0; n < IDENTITIES; n += 1) {
      limiter.decide({ ...QUERY, path: "/nowhere", apiKey: `key-${n}` }, NOW + n / 200_000);
      most = Math.max(most, limiter.storedCount);
    }
    expect(most).toBeLessThanOrEqual(bound);
    expect(most).toBeGreaterThan(bound / 2);
    expect(limiter.decide(guarded, NOW + 5)?.admitted).toBe(false);
    const [latest] = limiter.appliedRows(
      { ...QUERY, path: "/nowhere", apiKey: `key-${IDENTITIES - 1}` },
      NOW + 5,
    );
    expect(latest?.window.used).toBe(1);
  });

  it("stays within the bound when many rows are used, and when one identity never rests", async () => {
    const limiter = await limiterWith({ window, held_at_most: 1_000 });
    const paths = ["/auth", "/repos", "/commits", "/generate", "/charts", "/runs/stats"];
    let most = 0;
    for (let n = 0; n < 30_000; n += 1) {
      const call = { ...QUERY, path: paths[n % paths.length] ?? "", apiKey: `key-${n % 7_001}` };
      limiter.decide({ ...call, region: n % 2 ? "us" : "eu" }, NOW + n);
      limiter.decide({ ...QUERY, path: "/runs/multipart", apiKey: "busy" }, NOW + n);
      most = Math.max(most, limiter.storedCount);
    }
    expect(most).toBeLessThanOrEqual(1_000);
  });

  it("drops expired counters by itself", async () => {
    const limiter = await limiterWith({ window, rows });
    for (let n = 0; n < 1_000; n += 1) ask(limiter, `key-${n}`, NOW);
    expect(limiter.storedCount).toBe(1_000);
    ask(limiter, "a", NOW + 30_000);
    ask(limiter, "a", NOW + 60_000);
    expect(limiter.storedCount).toBe(1);
  });

  it("is copied with its counters, and both continue independently", async () => {
    const limiter = await limiterWith({ window, rows });
    for (let n = 1; n < COUNT; n += 1) ask(limiter, "a", NOW);
    const fork = limiter.copy();
    expect(ask(fork, "a", NOW)?.remaining).toBe(0);
    expect(ask(fork, "a", NOW)?.admitted).toBe(false);
    expect(ask(limiter, "a", NOW)?.admitted).toBe(true);
    const second = limiter.copy();
    for (let n = 0; n < 5; n += 1) ask(limiter, `late-${n}`, NOW);
    expect([second.storedCount, fork.storedCount]).toEqual([1, 1]);
    expect(ask(second, "late-0", NOW)?.remaining).toBe(COUNT - 1);
    limiter.clear();
    expect(ask(limiter, "a", NOW)?.remaining).toBe(COUNT - 1);
    expect(ask(second, "a", NOW)?.admitted).toBe(false);
    expect(ask(fork, "a", NOW)?.admitted).toBe(false);
  });
});

describe("what a row admits", () => {
  it("follows its own setting in one region or in both, and the scale without one", async () => {
    const rows = { runs_query_key: "3 / 7", runs_stats: { us: 5 }, commits_key: 9 };
    const { settings } = await limiterWith({ scale: 0.1, rows });
    expect(settings.rows).toMatchObject({
      runs_query_key: { us: { count: 3, seconds: 7 }, eu: { count: 3, seconds: 7 } },
      runs_stats: { us: { count: 5, seconds: 10 }, eu: { count: 2, seconds: 10 } },
      commits_key: { us: { count: 9, seconds: 60 }, eu: { count: 9, seconds: 60 } },
      deletion_key: { us: { count: 1, seconds: 60 } },
      catch_all: { eu: { count: 10, seconds: 60 } },
    });
    const least = await limiterWith({ scale: 0.001 });
    expect(least.settings.rows.runs_query_key.us.count).toBe(1);
  });

  it.each([
    { rows: { runs_query_key: 0 } },
    { rows: { runs_query_key: 1.5 } },
    { rows: { runs_query_key: "15 per 10" } },
    { rows: { runs_query_key: "15 / 0" } },
    { rows: { runs_query_key: { asia: 3 } } },
    { rows: { runs_quer_key: 3 } },
    { scale: 0 },
    { window: "leaky" },
    { headers: "all" },
    { held_at_most: 10 },
    { trusted_proxies: ["proxy.local"] },
    { trusted_proxies: ["10.0.0.0/33"] },
  ])("is refused as %j", async (granted) => {
    await expect(limiterWith(granted)).rejects.toThrow(/rate_limits/);
  });

  it("can be changed by hand, with limits off too, for that row alone", async () => {
    const limiter = await limiterWith({ enabled: false });
    const other = { ...QUERY, path: "/auth", apiKey: "a" };
    expect(ask(limiter, "a", NOW)).toBeUndefined();
    limiter.change(rowOf("runs_query_key"), "us", { count: 1, seconds: 3 }, NOW);
    expect(ask(limiter, "a", NOW)?.admitted).toBe(true);
    expect(ask(limiter, "a", NOW)?.admitted).toBe(false);
    expect(ask(limiter, "a", NOW + 3_000)?.admitted).toBe(true);
    expect(limiter.decide(other, NOW)).toBeUndefined();
    limiter.change(rowOf("auth_key"), "us", { remaining: 0 }, NOW);
    expect(limiter.decide(other, NOW + 9_999)?.admitted).toBe(false);
    expect(limiter.decide(other, NOW + 10_000)).toBeUndefined();
    limiter.clear();
    expect(ask(limiter, "a", NOW)).toBeUndefined();
  });

  it("has its earlier state once it is released, only in that region and not in a copy", async () => {
    const limiter = await limiterWith({ enabled: false });
    const row = rowOf("runs_query_key");
    for (const region of ["us", "eu"] as const) limiter.change(row, region, { count: 1, seconds: 3 }, NOW);
    for (const admitted of [true, false]) expect(ask(limiter, "a", NOW)?.admitted).toBe(admitted);
    const copy = limiter.copy();
    limiter.clear(row, "us");
    expect(ask(limiter, "a", NOW)).toBeUndefined();
    expect([limiter.storedCount, copy.storedCount]).toEqual([0, 1]);
    expect([limiter.enforces(row, "eu", NOW), limiter.tally(row, "eu").count]).toEqual([true, 1]);
    expect(ask(copy, "a", NOW)?.admitted).toBe(false);
    limiter.change(row, "us", { remaining: 0 }, NOW);
    expect(ask(limiter, "a", NOW)?.admitted).toBe(false);
    limiter.clear(row, "us");
    expect(ask(limiter, "a", NOW)).toBeUndefined();
  });

  it("is enforced on a self-hosted deployment only with a setting", async () => {
    expect((await limiterWith({})).settings.enabled).toBe(true);
    expect((await limiterWith({}, { deployment: "self-hosted" })).settings.enabled).toBe(false);
    expect((await limiterWith({ enabled: true }, { deployment: "self-hosted" })).settings.enabled).toBe(true);
  });
});

describe("an identity", () => {
  it("that is very long is hashed, not stored", async () => {
    const limiter = await limiterWith({ rows: { runs_query_key: 1 } });
    const long = "k".repeat(8_000);
    expect(ask(limiter, `${long}1`, NOW)?.admitted).toBe(true);
    expect(ask(limiter, `${long}2`, NOW)?.admitted).toBe(true);
    const again = ask(limiter, `${long}1`, NOW);
    expect(again?.admitted).toBe(false);
    expect(again?.identity.length).toBeLessThan(100);
  });
});
