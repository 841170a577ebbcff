import fc from "fast-check";
import { expect, test } from "vitest";
import { plainNumeral, plainNumeralOfDouble } from "../../emulator/oracle/plain-numeral.ts";
import { unscaled } from "../../emulator/storage/parquet/decimals.ts";

test.each([
  ["0.10", 12, "0.1"],
  ["-0.000", 12, "0"],
  ["1e-7", 12, "0.0000001"],
  ["+12E3", 12, "12000"],
  [".5", 12, "0.5"],
  ["5.", 12, "5"],
  ["0.0000000000005", 12, "0.000000000001"],
  ["-0.0000000000005", 12, "-0.000000000001"],
  ["0.00000000000049", 12, "0"],
  ["99999999999999999999999999.999999999999", 12, "99999999999999999999999999.999999999999"],
])("%s with %d digits is %s", (text, scale, plain) => {
  expect(plainNumeral(unscaled(text, scale) ?? -1n, scale)).toBe(plain);
});

test.each(["", ".", "-", "1,5", "0x10", "Infinity", "NaN", " 1", "1 ", "1e", "--1", "1e99999"])(
  "%o is not a decimal numeral",
  (text) => {
    expect(unscaled(text, 12)).toBeUndefined();
  },
);

test("the plain numeral of a double reads back as the double, and has no exponent", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const plain = plainNumeralOfDouble(value);
      expect(plain).toMatch(/^-?(0|[1-9]\d*)(\.\d*[1-9])?$/);
      expect(Number(plain) + 0).toBe(value + 0);
    }),
  );
});
