import { unscaled } from "../storage/parquet/decimals.ts";

/** Enough for every digit of the shortest text of a double. */
const MAX_DECIMALS = 400;

/** An integer of 10 ** -scale as the shortest decimal text: no exponent, no trailing zeros. */
export function plainNumeral(value: bigint, scale: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const fraction = scale === 0 ? "" : digits.slice(-scale).replace(/0+$/, "");
  return `${value < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

/** A double as the shortest decimal text that is read back as the same double. */
export function plainNumeralOfDouble(value: number): string {
  const text = String(value);
  const integer = text.includes("e") ? unscaled(text, MAX_DECIMALS) : undefined;
  return integer === undefined ? text : plainNumeral(integer, MAX_DECIMALS);
}
