import { describe, expect, it } from "vitest";
import { contractMatchers, expectContract } from "../../contracts/expect.ts";
import { tinyServer } from "./tiny-server.ts";

expect.extend(contractMatchers);

const THREAD = {
  thread_id: "0a91a355-8a88-422c-9546-72c183b95b5c",
  created_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-01T00:00:00Z",
  metadata: {},
  status: "idle",
  config: {},
  values: null,
};
const exchange = { method: "POST", url: "http://any.test/threads", requestBody: {}, status: 200 };

describe("recorded traffic", () => {
  it("keeps the contract or breaks it", async () => {
    await expectContract({ ...exchange, body: THREAD });
    const { config: _, ...less } = THREAD;
    await expect(expectContract({ ...exchange, body: less })).rejects.toThrow(
      /breaks the contract[\s\S]*§2\.2-1/,
    );
  });

  it("is judged more strictly when that is asked for", async () => {
    const said = { ...exchange, body: { ...THREAD, colour: "blue" } };
    await expectContract(said);
    await expect(expectContract(said, { strict: true })).rejects.toThrow(/colour/);
  });

  it("can be a Response, which the test can still read", async () => {
    const server = await tinyServer(() => ({ status: 404, body: { detail: "no" } }));
    const response = await fetch(`${server.url}/threads/0a91a355-8a88-422c-9546-72c183b95b5c/runs`);
    await expect(expectContract(response)).rejects.toThrow(/plain string/);
    expect(await response.json()).toEqual({ detail: "no" });
    await server.close();
  });

  it("has a matcher for test runners", async () => {
    const verdict = await contractMatchers.toKeepContract({ ...exchange, body: [] });
    expect(verdict.pass).toBe(false);
    expect(verdict.message()).toContain("POST http://any.test/threads → 200 breaks the contract");
  });
});
