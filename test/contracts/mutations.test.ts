import { describe, expect, it } from "vitest";
import { mutated } from "../mutations/mutation.ts";
import { MUTATIONS } from "../mutations/mutations.ts";
import { expectNoticed } from "../mutations/noticed.ts";
import { SWEEP_MUTATIONS } from "../mutations/sweeps.ts";

/** All of them: `npm run test:mutations`. */
const TRIED = MUTATIONS.slice(0, 1);

describe("mutations of the product", () => {
  it("apply to the source as it is", () => {
    for (const mutation of [...MUTATIONS, ...SWEEP_MUTATIONS])
      expect(mutated(mutation)).toContain(mutation.to);
    expect(new Set(MUTATIONS.map(({ title }) => title)).size).toBe(MUTATIONS.length);
    expect(MUTATIONS.length).toBeGreaterThanOrEqual(100);
  });

  it.each(TRIED)("are noticed by contract run: $title", (mutation) => expectNoticed(mutation));
});
