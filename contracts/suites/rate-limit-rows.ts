import { suite } from "../engine/case.ts";
import { equal, includes } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import { EXPORTS } from "./export-helpers.ts";

const LIMITED = ["control", "writes"] as const;
const ON = { rateLimits: "on" } as const;

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Rows that name one method, with requests that they count and others for the same path that they do not. */
const ONE_METHOD = [
  ["runs_query_key", "/runs/query", "POST", ["GET", "PUT", "PATCH", "DELETE"]],
  ["runs_post", "/runs", "POST", ["GET", "PUT", "DELETE"]],
  ["examples", "/api/v1/examples", "GET", ["POST", "PUT", "PATCH", "DELETE"]],
  ["deletion_key", "/sessions", "DELETE", ["GET", "POST", "PUT", "PATCH"]],
] as const;

const CATEGORIES = [
  ["GET", "/info", "High throughput"],
  ["POST", "/runs/query", "Run query (API)"],
  ["POST", "/runs", "Run ingest"],
  ["GET", EXPORTS, "Default (API key)"],
] as const;

/** Whether a request that nobody answers in earnest is refused by an exhausted row. */
async function isLimited(t: Contract, method: string, path: string): Promise<boolean> {
  const headers = { "x-api-key": "contract-methods" };
  return (await t.call(method, path, { headers, unjudged: true })).status === 429;
}

export const RATE_LIMIT_ROW_CASES = suite({
  "8.5/methods": {
    title: "a row without a method counts every method, one with a method that one alone",
    requirements: ["8.5-5"],
    needs: LIMITED,
    settings: ON,
    async run(t) {
      await t.control("PUT", "/rate-limits/repos_key", { remaining: 0 });
      for (const method of METHODS)
        t.fact("8.5-5", await isLimited(t, method, "/repos"), `${method} /repos is counted with the others`);
      for (const [row, path, counted, others] of ONE_METHOD) {
        await t.control("PUT", `/rate-limits/${row}`, { remaining: 0 });
        t.fact("8.5-5", await isLimited(t, counted, path), `${counted} ${path} is counted`);
        for (const method of others) {
          const limited = await isLimited(t, method, path);
          t.fact("8.5-5", equal(limited, false), `${method} ${path} is not: the row says ${counted}`);
        }
      }
    },
  },
  "8.5/categories": {
    title: "an explanation of a limit shows the category of its row",
    requirements: ["8.5-7"],
    needs: LIMITED,
    settings: ON,
    async run(t) {
      for (const [method, path, category] of CATEGORIES) {
        const query = new URLSearchParams({ method, path, "x-api-key": "contract-asker" });
        const explained = JSON.stringify(await t.control("GET", `/rate-limits/explain?${query}`));
        t.fact("8.5-7", includes(explained, JSON.stringify(category)), `${method} ${path}: ${category}`);
      }
    },
  },
});
