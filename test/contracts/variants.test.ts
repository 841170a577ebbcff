import { describe, expect, it } from "vitest";
import type { Send, WireRequest } from "../../contracts/engine/http-message.ts";
import { variantsOf } from "../../contracts/engine/variant.ts";
import { createAddressTarget, selftest, suite, VARIANTS } from "../../contracts/index.ts";
import { isProven, selftestJson, selftestLines, selftestProblems } from "../../contracts/report/selftest.ts";
import type { Assumption } from "../../contracts/spec/assumption.ts";
import { ASSUMPTIONS } from "../../contracts/spec/assumptions.ts";
import { tinyServer } from "./stub-server.ts";

const LIST = "/threads/1a91a355-8a88-422c-9546-72c183b95b5c/runs";

const ASKING = suite({
  "4.1/list": {
    title: "runs are listed",
    requirements: ["4.1-1"],
    async run(t) {
      const { status } = await t.call("GET", LIST);
      t.fact("4.1-1", status === 200, "the list is answered", { expected: 200, actual: status });
    },
  },
  "4.1/missing": {
    title: "no runs of a missing thread are listed",
    requirements: ["4.1-3"],
    async run(t) {
      const { status } = await t.call("GET", "/threads/missing/runs");
      t.fact("4.1-3", status === 404, "404", { actual: status });
    },
  },
});

const answeredWith =
  (status: number, path = "") =>
  (next: Send) =>
  async (request: WireRequest) => {
    const reply = await next(request);
    return request.path.includes(path) ? { ...reply, status } : reply;
  };

describe("conforming variants", () => {
  it("run with the cases that observe their difference, and no case fails on them", async () => {
    const server = await tinyServer(({ path }) =>
      path.startsWith("/_emulator") || path.includes("missing")
        ? { status: 404, body: "There is no such thread." }
        : { status: 200, body: [] },
    );
    const target = await createAddressTarget({ url: server.url, apiKey: "a-key", allowWrites: false });
    const done = await selftest({
      cases: ASKING,
      mutants: [],
      variants: variantsOf("4.1-1", {
        created: { differs: "a list is answered with 201", send: answeredWith(201, LIST) },
        unseen: { differs: "nothing", send: answeredWith(200, "/nowhere") },
        broken: { differs: "every reply is 503", send: answeredWith(503) },
      }),
      targetWith: () => target,
    });
    await server.close();
    expect(done.variantResults.map(({ cases }) => cases)).toEqual([1, 0, 2]);
    expect(isProven(done)).toBe(false);
    expect(selftestLines(done).at(-1)).toBe("0 of 3 conforming variants passed");
    const said = selftestProblems(done);
    expect(said[0]).toMatch(
      /^wrongly failed: 4\.1-1\/created: a list is answered with 201; 4\.1\/list fails/,
    );
    expect(said).toContain(
      "4.1-1/unseen: nothing; no case observes the difference, so the variant is not checked",
    );
    expect(JSON.parse(selftestJson(done)).variants[2]).toMatchObject({
      verdict: "FAIL",
      failed_by: ["4.1/list", "4.1/missing"],
    });
    expect(isProven({ ...done, variantResults: [] })).toBe(true);
  });

  it("are at least sixty, each under a name of its own", () => {
    expect(new Set(VARIANTS.map(({ id }) => id)).size).toBe(VARIANTS.length);
    expect(VARIANTS.length).toBeGreaterThanOrEqual(60);
  });

  it("are one for each alternative of an assumption that no shown statement rules out", () => {
    for (const [id, row] of Object.entries<Assumption>(ASSUMPTIONS))
      for (const value of row.alternatives ?? []) {
        const isHonest = VARIANTS.some((variant) => variant.id === `${id}=${value}`);
        expect([id, value, isHonest]).toEqual([id, value, !row.ruledOut?.includes(value)]);
      }
  });
});
