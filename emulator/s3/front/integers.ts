import { refuseArgument } from "./refused.ts";

/** A whole number in decimal digits; NaN for all else that `Number` accepts, such as `1e3`, `0x10`, spaces and nothing. */
export function integerOf(text: string | undefined): number {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

/** The whole number of a parameter. Throws `S3Refused` (`InvalidArgument`) outside of the range. */
export function integerArgument(
  name: string,
  text: string,
  [min, max]: readonly [number, number],
  message = `${name} must be a whole number from ${min} to ${max}.`,
): number {
  const number = integerOf(text);
  if (number >= min && number <= max) return number;
  throw refuseArgument(name, text, message);
}

/** A count or a number of a list, in 31 bits as in the real service. */
export function countArgument(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined || text === "") return otherwise;
  const message = `Provided ${name} not an integer or within integer range`;
  return integerArgument(name, text, [0, 2 ** 31 - 1], message);
}
