/**
 * Decimal numerals in text, the form in which trace rows store costs: no exponent, no trailing zeros, at most
 * 12 digits after the point and 25 before it, so that they fit the DECIMAL(38, 12) of an export.
 */

const SCALE = 12;
const MAX_INTEGER_DIGITS = 25;
const MAX_NUMERAL_LENGTH = 400;
const NUMERAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?$/i;
/** The usual form; it has no zero with a sign. */
const CANONICAL = /^(?:0|-?(?:[1-9]\d{0,24}(?:\.\d{0,11}[1-9])?|0\.\d{0,11}[1-9]))$/;
const ONE = 10n ** BigInt(SCALE);

/**
 * The canonical numeral of a number or of a numeral in text; undefined when it is neither or too
 * large. Digits beyond the twelfth decimal are rounded half to even. Negative amounts are allowed
 * (credits).
 */
export function parseDecimal(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || text.length > MAX_NUMERAL_LENGTH) return undefined;
  if (CANONICAL.test(text)) return text;
  const parts = NUMERAL.exec(text);
  if (parts === null) return undefined;
  const [, sign, whole = "", fraction = "", exponent = "0"] = parts;
  if (whole.length + fraction.length === 0) return undefined;
  const digits = BigInt(whole + fraction);
  const power = SCALE - fraction.length + Number(exponent);
  if (digits === 0n) return "0";
  // Checked before exponentiation, so that a large exponent cannot produce a number of many kilobytes.
  if (String(digits).length + power > MAX_INTEGER_DIGITS + SCALE + 1) return undefined;
  const scaled = power >= 0 ? digits * 10n ** BigInt(power) : divideHalfEven(digits, -power);
  if (scaled >= 10n ** BigInt(MAX_INTEGER_DIGITS + SCALE)) return undefined;
  return printScaled(sign === "-" ? -scaled : scaled);
}

/** The exact sum of two canonical numerals. */
export function addDecimals(a: string, b: string): string {
  return printScaled(scaledOf(a) + scaledOf(b));
}

/** The canonical numeral of the negated amount. */
export function negateDecimal(numeral: string): string {
  return printScaled(-scaledOf(numeral));
}

/** The canonical numeral of an amount in units of 10^-12. */
export function printScaled(scaled: bigint): string {
  const size = scaled < 0n ? -scaled : scaled;
  const fraction = String(size % ONE)
    .padStart(SCALE, "0")
    .replace(/0+$/, "");
  return `${scaled < 0n ? "-" : ""}${size / ONE}${fraction === "" ? "" : `.${fraction}`}`;
}

function scaledOf(numeral: string): bigint {
  const [whole = "", fraction = ""] = numeral.split(".");
  return BigInt(whole + fraction.padEnd(SCALE, "0"));
}

function divideHalfEven(digits: bigint, power: number): bigint {
  if (power > MAX_NUMERAL_LENGTH) return 0n;
  const divisor = 10n ** BigInt(power);
  const quotient = digits / divisor;
  const twice = (digits % divisor) * 2n;
  return twice > divisor || (twice === divisor && quotient % 2n === 1n) ? quotient + 1n : quotient;
}
