import fc from "fast-check";
import { describe, it } from "vitest";
import { addDecimals, parseDecimal, printScaled } from "../../../emulator/subjects/traces/decimal.ts";

describe("costs", () => {
  it.for([
    [0, "0"],
    [-0, "0"],
    ["-0.000", "0"],
    [1, "1"],
    ["007.50", "7.5"],
    ["+.5", "0.5"],
    ["5.", "5"],
    [1e-7, "0.0000001"],
    [1.5e21, "1500000000000000000000"],
    ["1E+3", "1000"],
    ["12e-14", "0"],
    [0.1 + 0.2, "0.3"],
    ["-0.25", "-0.25"],
    ["0.000000000001", "0.000000000001"],
    ["0.0000000000005", "0"],
    ["0.0000000000015", "0.000000000002"],
    ["0.0000000000025", "0.000000000002"],
    ["0.00000000000250001", "0.000000000003"],
    ["-0.0000000000015", "-0.000000000002"],
    ["9999999999999999999999999.999999999999", "9999999999999999999999999.999999999999"],
    ["1e-9999", "0"],
    ["0e9999", "0"],
  ] as const)("%s is kept as %s", ([value, expected], { expect }) => {
    expect(parseDecimal(value)).toBe(expected);
  });

  it.for([
    "",
    ".",
    "-",
    "e5",
    "1e",
    "1,5",
    "$1",
    " 1",
    "0x10",
    "NaN",
    "1e25",
    "9999999999999999999999999.9999999999999",
    "1e99999",
    "1e9999",
    "1".repeat(401),
    Number.NaN,
    Number.POSITIVE_INFINITY,
    null,
    true,
    [1],
  ])("%j is not a cost", (value, { expect }) => {
    expect(parseDecimal(value)).toBeUndefined();
  });

  const scaled = fc.bigInt({ min: -(10n ** 37n) + 1n, max: 10n ** 37n - 1n });

  it("reads back what it prints", ({ expect }) => {
    fc.assert(
      fc.property(scaled, (amount) => {
        expect(parseDecimal(printScaled(amount))).toBe(printScaled(amount));
      }),
    );
  });

  it("adds exactly", ({ expect }) => {
    fc.assert(
      fc.property(scaled, scaled, (a, b) => {
        expect(addDecimals(printScaled(a), printScaled(b))).toBe(printScaled(a + b));
      }),
    );
  });

  it("keeps every number of at most twelve decimals as the language prints it", ({ expect }) => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (millionths) => {
        const amount = millionths / 1e6;
        expect(Number(parseDecimal(amount))).toBe(amount + 0);
      }),
    );
  });
});
