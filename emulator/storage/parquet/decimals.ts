/** A decimal number as text: sign, digits before and after the point, exponent. */
const NUMERAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

interface Numeral {
  readonly isNegative: boolean;
  readonly digits: string;
  /** The value is digits / 10 ** scale. */
  readonly scale: number;
}

function parse(text: string): Numeral | undefined {
  const match = NUMERAL.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  if (whole === "" && fraction === "") return undefined;
  return { isNegative: sign === "-", digits: whole + fraction, scale: fraction.length - Number(exponent) };
}

/**
 * A decimal number as an integer of 10 ** -scale; further digits are rounded, halves away from zero.
 * Undefined when the text is not a decimal number.
 */
export function unscaled(text: string, scale: number): bigint | undefined {
  const numeral = parse(text);
  if (numeral === undefined) return undefined;
  const zeros = scale - numeral.scale;
  const digits = BigInt(numeral.digits);
  let value: bigint;
  if (zeros >= 0) {
    value = digits * 10n ** BigInt(zeros);
  } else {
    const divisor = 10n ** BigInt(-zeros);
    value = (digits * 2n + divisor) / (divisor * 2n);
  }
  return numeral.isNegative ? -value : value;
}

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
  const numeral = parse(text);
  if (numeral === undefined) return text;
  const scale = Math.max(0, numeral.scale);
  return plainNumeral(unscaled(text, scale) ?? 0n, scale);
}
