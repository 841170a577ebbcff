/** Bytes as JSON in UTF-8. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/**
 * A number of bytes that a value surely does not pass as JSON. No text is read, so that it costs next to
 * nothing to see that something is small.
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

/** The bytes of a value when they are more than a limit; a small value is not read for it. */
export function bytesOverLimit(value: unknown, limit: number): number | undefined {
  if (bytesUpperBound(value) <= limit) return undefined;
  const bytes = bytesOf(value);
  return bytes > limit ? bytes : undefined;
}

/** The longest form of a character of a text in JSON, an escape such as \u0001. */
const BYTES_PER_CHARACTER = 6;

/** No number, and no other word of JSON, is longer. */
const NUMBER_BYTES = 25;
