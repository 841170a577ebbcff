/** `TEST_DEPTH=full`, as in CI, tries all the cases of the tests that make up their own; without it they try some. */
export const isFull = process.env.TEST_DEPTH === "full";

/** One random case in so many, and one in so many of a list, some of which are short. */
const [RANDOM_PART, PART] = isFull ? [1, 1] : [64, 32];

/** How many of `count` cases to try. */
export function casesOf(count: number): number {
  return Math.ceil(count / RANDOM_PART);
}

/** All variants of a case in full depth; otherwise the one whose turn it is at this place among the cases. */
export function turnOf<T>(variants: readonly T[], place: number): readonly T[] {
  return isFull ? variants : variants.filter((_, index) => index === place % variants.length);
}

/** The cases to try: one in each so many, each time at another place among them. */
export function someOf<T>(all: readonly T[]): readonly T[] {
  return all.filter((_, index) => (index + Math.floor(index / PART)) % PART === 0);
}
