import { describe, expect, it } from "vitest";
import { runContract } from "./mutated-run.ts";
import { MUTATIONS } from "./mutations.ts";

describe("contract run", () => {
  // What the cases find otherwise is the mutation.
  it("finds nothing in the product as it is", async () => {
    const cases = [...new Set(MUTATIONS.flatMap((mutation) => mutation.cases))];
    expect(await runContract(cases)).toEqual({ code: 0, failed: [], differences: [], stderr: "" });
  });

  it.concurrent.each(MUTATIONS)("notices: $title", async (mutation) => {
    const { code, failed, stderr } = await runContract(mutation.cases, mutation);
    expect({ code, noticed: failed.length > 0, stderr }).toEqual({ code: 1, noticed: true, stderr: "" });
  });
});
