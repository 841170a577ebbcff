import { RateLimiterMemory } from "rate-limiter-flexible";
import { fromSource, timedHere } from "../harness/from-source.mjs";

const DECISIONS = 200_000;
const KEYS = 1_000;
const COUNT = 1_000_000_000;
const NOW = Date.UTC(2026, 0, 1);
/** Typical requests, one with a new path each time. */
const CALLS = [
  { method: "POST", path: () => "/runs/batch" },
  { method: "POST", path: () => "/api/v1/runs/query" },
  { method: "GET", path: (n) => `/runs/00000000-0000-4000-8000-${String(n).padStart(12, "0")}` },
  { method: "GET", path: () => "/api/v1/bulk-exports" },
];

/** One decision with the look-up of its row, against a peer that is given the key. */
const deciding = (what, keyOf) => ({
  figure: `decision of the rate limiter, ${what}`,
  per: "decision",
  rounds: 7,
  sides: ["fixed", "sliding", "rate-limiter-flexible"],
  needs: { "rate-limiter-flexible": "rate-limiter-flexible" },
  targets: ["fixed", "sliding"].map((of) => ({ of, against: "rate-limiter-flexible", faster: 1 })),
  async open() {
    const { createRateLimiter, RATE_LIMIT_IDS, RATE_LIMIT_MEMORY } = await fromSource(
      "emulator/subjects/rate-limits/limiter.ts",
      "contracts/spec/rate-limits/rows.ts",
    );
    const rate = { count: COUNT, seconds: 3_600 };
    const settings = {
      enabled: true,
      headers: "none",
      scale: 1,
      trusted_proxies: [],
      held_at_most: RATE_LIMIT_MEMORY.value,
      rows: Object.fromEntries(RATE_LIMIT_IDS.map((id) => [id, { us: rate, eu: rate }])),
    };
    const calls = Array.from({ length: DECISIONS }, (_, n) => callOf(n, keyOf(n)));
    return {
      round: (side) =>
        side === "rate-limiter-flexible"
          ? peer(calls)
          : timedHere(DECISIONS, () => decide(createRateLimiter({ ...settings, window: side }), calls)),
    };
  },
});

function callOf(n, apiKey) {
  const { method, path } = CALLS[n % CALLS.length];
  return { region: "us", method, path: path(n), apiKey, userId: undefined, address: "10.0.0.1" };
}

/** Time advances, so that a sliding window gets a new entry each millisecond. */
function decide(limiter, calls) {
  for (let n = 0; n < calls.length; n += 1)
    if (!limiter.decide(calls[n], NOW + Math.floor(n / 50)).admitted) throw new Error("refused");
}

async function peer(calls) {
  const limiter = new RateLimiterMemory({ points: COUNT, duration: 3_600 });
  const sample = await timedHere(calls.length, async () => {
    for (const { apiKey } of calls) await limiter.consume(apiKey);
  });
  for (const { apiKey } of calls) await limiter.delete(apiKey);
  return sample;
}

export const figures = [
  deciding("keys seen before", (n) => `key-${n % KEYS}`),
  deciding("a new key each time", (n) => `stranger-${n}`),
];
