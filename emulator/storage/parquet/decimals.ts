/** A decimal number as text: sign, digits before and after the point, exponent. */
const NUMERAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

/**
 * A decimal number as an integer of 10 ** -scale; further digits are rounded, halves away from zero.
 * Undefined when the text is not a decimal number.
 */
export function unscaled(text: string, scale: number): bigint | undefined {
  const [, sign, whole = "", fraction = "", exponent = "0"] = NUMERAL.exec(text) ?? [];
  if (whole === "" && fraction === "") return undefined;
  const digits = BigInt(whole + fraction);
  const zeros = scale - fraction.length + Number(exponent);
  const power = 10n ** BigInt(Math.abs(zeros));
  const value = zeros >= 0 ? digits * power : (digits * 2n + power) / (power * 2n);
  return sign === "-" ? -value : value;
}
