import { isDeepStrictEqual } from "node:util";

/** An expected and an actual value, and whether they agree. */
export interface Check {
  readonly holds: boolean;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** A status of 2xx. */
export function accepted(status: number): Check {
  return { holds: status >= 200 && status < 300, expected: "2xx", actual: status };
}

/** A status of 4xx. */
export function refused(status: number): Check {
  return { holds: isRefused(status), expected: "4xx", actual: status };
}

export function isRefused(status: number): boolean {
  return status >= 400 && status < 500;
}

/** The same value, whatever the order of the members of objects is. */
export function equal(actual: unknown, expected: unknown): Check {
  return { holds: isDeepStrictEqual(actual, expected), expected, actual };
}

/** A text that contains this part, or a list that contains this item. */
export function includes(actual: string | readonly unknown[] | null | undefined, part: string): Check {
  return { holds: actual?.includes(part) === true, expected: `… ${part} …`, actual };
}

/** A list that contains no other values than these. */
export function every(actual: readonly string[], ...expected: readonly string[]): Check {
  return { holds: actual.every((item) => expected.includes(item)), expected, actual };
}

/** The same items in any order, compared as texts. */
export function sameItems(actual: readonly unknown[], expected: readonly unknown[]): Check {
  return { holds: sorted(actual) === sorted(expected), expected, actual };
}

/** The values as sorted texts in one JSON text, for comparison. */
export function sorted(values: readonly unknown[]): string {
  return JSON.stringify(values.map(String).sort());
}
