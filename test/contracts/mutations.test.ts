import { describe, expect, it } from "vitest";
import { mutated } from "../mutations/mutation.ts";
import { MUTATIONS } from "../mutations/mutations.ts";
import { expectNoticed } from "../mutations/noticed.ts";
import { SWEEP_MUTATIONS } from "../mutations/sweeps.ts";
import { someOf } from "../support/depth.ts";

/** All of them: `npm run test:mutations`. Here one in so many, so that each table has its turn. */
const ONE_IN = 20;

describe("mutations of the product", () => {
  it("apply to the source as it is", () => {
    for (const mutation of [...MUTATIONS, ...SWEEP_MUTATIONS])
      expect(mutated(mutation)).toContain(mutation.to);
    expect(new Set(MUTATIONS.map(({ title }) => title)).size).toBe(MUTATIONS.length);
    expect(MUTATIONS.length).toBeGreaterThanOrEqual(100);
  });

  it.each(someOf(MUTATIONS.filter((_, place) => place % ONE_IN === 0)))(
    "are noticed by contract run: $title",
    (mutation) => expectNoticed(mutation),
  );
});
