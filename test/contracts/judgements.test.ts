import { expect, it } from "vitest";
import { openOracle } from "../../contracts/index.ts";

const RUNS = "/threads/1a91a355-8a88-422c-9546-72c183b95b5c/runs";
const EXPORTS = "/api/v1/bulk-exports";
const JSON_TYPE = "application/json";
const [NO_REQUEST, NO_BODY] = ["agent.invalid_request", "platform.invalid_request"];

it.each([
  ["a status that is not listed, of the agent server", RUNS, 418, JSON_TYPE, "4.1-3", NO_REQUEST],
  ["a status that is not listed, of the platform", EXPORTS, 418, JSON_TYPE, "7-1", NO_BODY],
  ["another success, of the platform", EXPORTS, 206, JSON_TYPE, "7-1", "platform.success_status"],
  ["a limit of an operation without one", "/ok", 429, JSON_TYPE, "8.5-1", undefined],
  ["another media type, of the agent server", RUNS, 404, "text/csv", "2.3-1", "agent.error_body"],
  ["another media type, of the platform", EXPORTS, 401, "text/csv", "7-1", "platform.error_body"],
] as const)(
  "%s is another choice, and no failure",
  async (_, path, status, type, requirement, assumption) => {
    const request = { region: "us", method: "GET", path, headers: { "x-api-key": "k" } } as const;
    const reply = {
      status,
      headers: { "content-type": type },
      text: path === RUNS ? '"no"' : '{"detail":"no"}',
    };
    expect(await (await openOracle("spec", "prism")).check(request, reply, new Set())).toMatchObject([
      {
        verdict: "UNSPECIFIED",
        blame: "specification",
        requirement,
        ...(assumption && { assumption }),
        text: expect.stringContaining(
          type === JSON_TYPE ? `${status} is not defined for this operation` : "media type",
        ),
      },
    ]);
  },
);
