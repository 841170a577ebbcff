import { describe, expect, it } from "vitest";
import type { RateLimiter } from "../../../emulator/subjects/rate-limits/limiter.ts";
import { limiterWith, NOW, rowOf } from "./limiter.ts";

const COUNT = 4;
const IDENTITIES = 20_000;
const QUERY = { region: "us", method: "POST", path: "/runs/query", address: "10.0.0.1" };

function ask(limiter: RateLimiter, who: string, now: number) {
  return limiter.decide({ ...QUERY, apiKey: who }, now);
}

/** Requests at milliseconds: how many more are admitted then, or "until" the instant of the next one. */
it.each([
  [
    "fixed",
    "ends as a whole, ten seconds after its first request",
    "0: 3, 0: 2, 4000: 1, 9999: 0, 9999: until 10000, 10000: 3, 25000: 3",
  ],
  [
    "sliding",
    "counts each request for ten seconds",
    "0: 3, 0: 2, 4000: 1, 9999: 0, 9999: until 10000, 10000: 1, 10000: 0, 10001: until 14000, 14000: 0, 14001: until 19999, 25000: 3",
  ],
] as const)("a %s window %s", async (window, _, requests) => {
  const limiter = await limiterWith({ window, rows: { runs_query_key: `${COUNT} / 10` } });
  for (const request of requests.split(", ")) {
    const [ms, remaining] = request.split(/: (?:until )?/).map(Number) as [number, number];
    const isAdmitted = !request.includes("until");
    const passesAt = NOW + (isAdmitted ? ms : remaining);
    const [before] = limiter.appliedRows({ ...QUERY, apiKey: "a" }, NOW + ms);
    expect(before?.passesAt, request).toBe(passesAt);
    if (!isAdmitted) {
      expect(ask(limiter.copy(), "a", passesAt - 1)?.admitted, request).toBe(false);
      expect(ask(limiter.copy(), "a", passesAt)?.admitted, request).toBe(true);
    }
    const expected = isAdmitted
      ? { admitted: true, remaining }
      : { admitted: false, remaining: 0, resetsAt: passesAt };
    expect(ask(limiter, "a", NOW + ms), request).toMatchObject(expected);
    expect(ask(limiter.copy(), "b", NOW + ms), request).toMatchObject({
      admitted: true,
      remaining: COUNT - 1,
    });
  }
});

describe.each(["fixed", "sliding"] as const)("a %s window", (window) => {
  const rows = { runs_query_key: `${COUNT} / 10` };

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
