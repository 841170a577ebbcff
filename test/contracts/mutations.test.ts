import { expect, it } from "vitest";
import { mutated } from "../mutations/mutation.ts";
import { MUTATIONS } from "../mutations/mutations.ts";
import { SWEEP_MUTATIONS } from "../mutations/sweeps.ts";

// `npm run test:mutations` runs the product with each.
it("the mutations of the product apply to the source as it is", () => {
  for (const mutation of [...MUTATIONS, ...SWEEP_MUTATIONS]) expect(mutated(mutation)).toContain(mutation.to);
  expect(new Set(MUTATIONS.map(({ title }) => title)).size).toBe(MUTATIONS.length);
  expect(MUTATIONS.length).toBeGreaterThanOrEqual(100);
});
