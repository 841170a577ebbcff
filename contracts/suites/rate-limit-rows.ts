import { suite } from "../engine/case.ts";
import { equal } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import { ANY_SERVER, canExhaust, exhaust, LIMITS_ON } from "./rate-limit-requests.ts";

const LIMITED = ["control", "writes"] as const;

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Rows that name one method, with requests that they count and others for the same path that they do not. */
const ONE_METHOD = [
  ["runs_query_key", "/runs/query", "POST", ["GET", "PUT", "PATCH", "DELETE"]],
  ["runs_post", "/runs", "POST", ["GET", "PUT", "DELETE"]],
  ["examples", "/api/v1/examples", "GET", ["POST", "PUT", "PATCH", "DELETE"]],
  ["deletion_key", "/sessions", "DELETE", ["GET", "POST", "PUT", "PATCH"]],
] as const;

/** Rows that name a text which the path contains. */
const CONTAINED = [
  ["charts_key", "POST", "/charts"],
  ["runs_patch", "PATCH", "/runs"],
  ["examples", "GET", "/examples"],
] as const;

/** Status of a request of a key that nobody answers in earnest. */
async function statusOf(t: Contract, method: string, path: string, key = "methods"): Promise<number> {
  const headers = { "x-api-key": `contract-${key}` };
  return (await t.call(method, path, { headers, unchecked: true, mayLack: !t.isPrepared })).status;
}

/** Whether a request is refused by an exhausted row. */
async function isLimited(t: Contract, method: string, path: string, key?: string): Promise<boolean> {
  return [429, 503].includes(await statusOf(t, method, path, key));
}

/** Whether a request is refused by an exhausted row, or belongs to a path that a foreign server lacks. */
async function isLimitedOrMissing(t: Contract, method: string, path: string, key: string): Promise<boolean> {
  const limitStatuses = t.isPrepared ? [429, 503] : [429, 503, 404, 405, 501];
  return limitStatuses.includes(await statusOf(t, method, path, key));
}

export const RATE_LIMIT_ROW_CASES = suite({
  "8.5/methods": {
    title:
      "a rate-limit row without a method counts every method, a row with a method counts only that method",
    requirements: ["8.5-5"],
    needs: ANY_SERVER,
    prefers: LIMITS_ON,
    async run(t) {
      const key = t.draw.word();
      await canExhaust(t, "repos_key", key);
      for (const method of METHODS) {
        const isCounted = await isLimitedOrMissing(t, method, "/repos", key);
        t.fact("8.5-5", isCounted, `${method} /repos is counted in the same row`);
      }
      for (const [row, path, counted, others] of ONE_METHOD) {
        if (!(await canExhaust(t, row, key))) continue;
        const isCounted = await isLimitedOrMissing(t, counted, path, key);
        t.fact("8.5-5", isCounted, `${counted} ${path} is counted`);
        for (const method of others) {
          const limited = await isLimited(t, method, path, key);
          t.fact(
            "8.5-5",
            equal(limited, false),
            `${method} ${path} is not counted: the row names ${counted}`,
          );
        }
      }
    },
  },
  "8.5/trigger-methods": {
    title: "a trigger path counts as a deletion with DELETE only",
    requirements: ["8.5-6"],
    needs: ANY_SERVER,
    prefers: LIMITS_ON,
    async run(t) {
      const key = t.draw.word();
      await canExhaust(t, "deletion_key", key);
      const isCounted = await isLimitedOrMissing(t, "DELETE", "/some/trigger", key);
      t.fact("8.5-1", isCounted, "DELETE /some/trigger is counted");
      const limited = await isLimited(t, "POST", "/some/trigger", key);
      t.choice("rate_limit.trigger_methods", equal(limited, false), "POST /some/trigger is not counted");
    },
  },
  "8.5/containing": {
    title: "a row that names a text in the path counts the text at any place",
    requirements: ["8.5-4"],
    needs: LIMITED,
    settings: LIMITS_ON,
    async run(t) {
      for (const [row, method, text] of CONTAINED) {
        await t.control("PUT", `/rate-limits/${row}`, { remaining: 0 });
        for (const path of [text, `/api/v1/deep${text}`, `/api/v1/deep${text}/below`])
          t.fact("8.5-4", await isLimited(t, method, path), `${method} ${path} contains ${text}`);
      }
    },
  },
  "8.5/paths": {
    title: "each path is counted in its row",
    requirements: ["8.5-4"],
    needs: ANY_SERVER,
    prefers: LIMITS_ON,
    async run(t) {
      const key = t.draw.word();
      for (const [row, method, path, id] of [
        ["runs_query_key", "POST", "/api/v1/runs/query", "rate_limit.path_spelling"],
        ["beacon", "POST", "/api/v1/beacon", "rate_limit.path_spelling"],
        ["charts_key", "POST", "/some/charts-new", "rate_limit.containing"],
      ] as const) {
        if (!(await canExhaust(t, row, key))) continue;
        const isCounted = await isLimited(t, method, path, key);
        t.choice(id, isCounted, `${method} ${path} is counted in the row ${row}`);
      }
      const isFlowChartLimited = await isLimited(t, "POST", "/flowcharts", key);
      t.fact("8.5-4", !isFlowChartLimited, "/flowcharts does not contain /charts");
    },
  },
  "8.5/headers": {
    title: "a refusal reports when the next request passes",
    requirements: ["8.5-1"],
    needs: ANY_SERVER,
    prefers: LIMITS_ON,
    async run(t) {
      if (!t.isPrepared) await exhaust(t, "runs_query_key", t.draw.word());
      const headers = { "x-api-key": `contract-${t.draw.word()}` };
      const send = () => t.call("GET", "/runs/stats", { headers, unchecked: true });
      const first = await send();
      const counts = { limit: first.headers["ratelimit-limit"], left: first.headers["ratelimit-remaining"] };
      t.choice(
        "rate_limit.headers",
        equal(counts, { limit: "1", left: "0" }),
        "RateLimit-Limit is 1, RateLimit-Remaining is 0",
      );
      if (!t.has("clock")) return;
      await t.advance("PT4S");
      const over = await send();
      const again = [over.headers["retry-after"], over.headers["ratelimit-reset"]];
      t.choice("rate_limit.headers", equal(again, ["6", "6"]), "Retry-After is 6 seconds");
    },
  },
  "8.5/user-address": {
    title: "a user is counted together with the address",
    requirements: ["5-2", "8.5-3"],
    needs: LIMITED,
    settings: { rate_limits: { enabled: true, trusted_proxies: ["127.0.0.1"] } },
    async run(t) {
      await t.control("PUT", "/rate-limits/generate_user", { count: 1 });
      const statusFrom = async (address: string) => {
        const headers = { "x-api-key": null, "x-user-id": "ann", "x-forwarded-for": address };
        return (await t.call("POST", "/generate", { body: {}, headers, unchecked: true })).status;
      };
      await statusFrom("192.0.2.1");
      t.fact(
        "5-2",
        equal(await statusFrom("192.0.2.1"), 429),
        "the same user at the same address is refused",
      );
      const elsewhere = (await statusFrom("192.0.2.2")) === 429;
      t.fact("5-2", equal(elsewhere, false), "the same user at another address is not refused");
      t.fact("8.5-3", !elsewhere, "each address of a user is counted separately");
    },
  },
});
