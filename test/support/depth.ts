/** `TEST_DEPTH=full`, as in CI, tries all the cases of the tests that make up their own; without it they try one in 64. */
export const isFull = process.env.TEST_DEPTH === "full";

const PART = isFull ? 1 : 64;

/** How many of `count` cases to try. */
export function casesOf(count: number): number {
  return Math.ceil(count / PART);
}

/** All variants of a case in full depth; otherwise the one whose turn it is at this place among the cases. */
export function turnOf<T>(variants: readonly T[], place: number): readonly T[] {
  return isFull ? variants : variants.filter((_, index) => index === place % variants.length);
}

/** The cases to try: one in each so many, each time at another place among them. */
export function someOf<T>(all: readonly T[]): readonly T[] {
  return all.filter((_, index) => (index + Math.floor(index / PART)) % PART === 0);
}
