import { describe, expect, it } from "vitest";
import type { RateLimiter } from "../../../emulator/subjects/rate-limits/limiter.ts";
import { turnOf } from "../../support/depth.ts";
import { limiterWith, NOW } from "./limiter.ts";
import { callers, SPECIFIED, type SpecifiedRow } from "./specification.ts";

/** Each row in both regions; without full depth with one of the windows by turns. */
const CASES = SPECIFIED.flatMap((row, place) =>
  turnOf(["fixed", "sliding"], place).flatMap((window) =>
    (["us", "eu"] as const).map((region) => ({ ...row, window, region, limit: row[region] })),
  ),
);

let limiter: RateLimiter;

/** Asks the n-th of the row's requests in turn: all of them count together. */
function ask({ requests, identity }: SpecifiedRow, region: string, n: number, now: number, who: 0 | 1 = 0) {
  const [method = "", path = ""] = requests[n % requests.length] ?? [];
  return limiter.decide({ ...callers(identity)[who], region, method, path }, now);
}

describe("every row of §8.5", () => {
  it.each(CASES)(
    "$row in $region with a $window window admits $limit.count in $limit.seconds s by $identity",
    async (row) => {
      const { region, window } = row;
      limiter = await limiterWith({ window });
      const { count, seconds } = row.limit;
      const until = NOW + seconds * 1000;
      // Many thousands: an `expect` of each takes a hundred times as long as the limiter.
      const wrong = Array.from({ length: count }, (_, n) => ({
        n,
        decision: ask(row, region, n, NOW),
      })).filter(
        ({ n, decision }) =>
          decision?.row.id !== row.row || !decision.admitted || decision.remaining !== count - n - 1,
      );
      expect(wrong).toEqual([]);
      for (const [n] of row.requests.entries())
        expect(ask(row, region, n, NOW)).toMatchObject({
          row: { id: row.row },
          admitted: false,
          count,
          seconds,
          resetsAt: until,
        });
      expect(ask(row, region, 0, NOW, 1)).toMatchObject({ row: { id: row.row }, admitted: true });
      expect(ask(row, region === "us" ? "eu" : "us", 0, NOW)).toMatchObject({
        row: { id: row.row },
        admitted: true,
      });
      expect(ask(row, region, 0, until - 1)).toMatchObject({ admitted: false });
      expect(ask(row, region, 0, until)).toMatchObject({ admitted: true, remaining: count - 1 });
    },
  );
});
