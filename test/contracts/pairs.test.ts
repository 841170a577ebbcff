import fc from "fast-check";
import { expect, it } from "vitest";
import { coveringRows } from "../../contracts/engine/pairs.ts";

const sizes = fc.array(fc.integer({ min: 2, max: 4 }), { minLength: 2, maxLength: 7 });

it("covers each pair of values of two factors, the two defaults aside", () => {
  fc.assert(
    fc.property(sizes, (sizes) => {
      const rows = coveringRows(sizes);
      for (const row of rows) expect(row.every((value, at) => value < (sizes[at] ?? 0))).toBe(true);
      for (const [a, b] of sizes.flatMap((_, at) =>
        sizes.slice(at + 1).map((__, more) => [at, at + 1 + more]),
      ))
        for (let left = 0; left < (sizes[a ?? 0] ?? 0); left += 1)
          for (let right = 0; right < (sizes[b ?? 0] ?? 0); right += 1)
            if (left + right > 0)
              expect(rows.some((row) => row[a ?? 0] === left && row[b ?? 0] === right)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

it("has far fewer rows than the product has", () => {
  const rows = coveringRows(Array.from({ length: 20 }, () => 2));
  expect(rows.length).toBeLessThan(20);
  expect(rows.every((row) => row.some((value) => value > 0))).toBe(true);
});
