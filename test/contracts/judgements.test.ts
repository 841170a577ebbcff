import { expect, it } from "vitest";
import { openOracle } from "../../contracts/index.ts";

const RUNS = "/threads/1a91a355-8a88-422c-9546-72c183b95b5c/runs";
const EXPORTS = "/api/v1/bulk-exports";

it.each([
  ["a status that is not listed, of the agent server", RUNS, 418, "application/json", "4.1-3", /418 is none/],
  ["a status that is not listed, of the platform", EXPORTS, 418, "application/json", "7-1", /418 is none/],
  ["another media type, of the agent server", RUNS, 404, "text/csv", "2.3-1", /media type/],
  ["another media type, of the platform", EXPORTS, 401, "text/csv", "7-1", /media type/],
] as const)("%s is another choice, and no failure", async (_, path, status, type, requirement, text) => {
  const request = { region: "us", method: "GET", path, headers: { "x-api-key": "k" } } as const;
  const reply = {
    status,
    headers: { "content-type": type },
    text: path === RUNS ? '"no"' : '{"detail":"no"}',
  };
  expect(await (await openOracle()).judge(request, reply, new Set())).toMatchObject([
    { verdict: "UNSPECIFIED", blame: "specification", requirement, text: expect.stringMatching(text) },
  ]);
});
