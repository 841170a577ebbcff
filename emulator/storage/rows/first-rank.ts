/** The first number from `low` on for which `isBefore` is false, or `high`. All numbers before it must be true. */
export function firstRank(low: number, high: number, isBefore: (rank: number) => boolean): number {
  let [from, until] = [low, high];
  while (from < until) {
    const middle = (from + until) >>> 1;
    if (isBefore(middle)) from = middle + 1;
    else until = middle;
  }
  return from;
}
