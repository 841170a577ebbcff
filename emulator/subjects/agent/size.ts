import { printExact } from "../../../contracts/spec/exact-json.ts";

/** Bytes as JSON in UTF-8. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(printExact(value));
}

/**
 * An upper bound of the value's bytes as JSON. Uses lengths only and does not scan text, so that small
 * values are recognised cheaply.
 */
export function bytesUpperBound(value: unknown): number {
  if (typeof value === "string") return BYTES_PER_CHARACTER * value.length + 2;
  if (typeof value !== "object" || value === null) return NUMBER_BYTES;
  let bytes = 2;
  if (Array.isArray(value)) for (const item of value) bytes += 1 + bytesUpperBound(item);
  else
    for (const name in value)
      bytes +=
        BYTES_PER_CHARACTER * name.length + 4 + bytesUpperBound((value as Record<string, unknown>)[name]);
  return bytes;
}

/** The bytes of a value as JSON when they exceed the limit; else undefined. */
export function bytesOverLimit(value: unknown, limit: number): number | undefined {
  if (bytesUpperBound(value) <= limit) return undefined;
  const bytes = bytesOf(value);
  return bytes > limit ? bytes : undefined;
}

/** The longest JSON form of a character: an escape such as \u0001. */
const BYTES_PER_CHARACTER = 6;

/** Upper bound for a number, true, false and null. */
const NUMBER_BYTES = 25;
