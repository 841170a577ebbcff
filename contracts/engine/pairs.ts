/** Values of each parameter, by its name. */
type Parameters = Readonly<Record<string, readonly unknown[]>>;

type Combination<P extends Parameters> = { readonly [Name in keyof P]: P[Name][number] };

/** Few combinations in which every two values of different parameters occur together. */
export function pairwise<P extends Parameters>(parameters: P): readonly Combination<P>[] {
  const candidates = combinationsOf(Object.entries(parameters)).map((places) => ({
    places,
    pairs: pairsOf(places),
  }));
  const open = new Set(candidates.flatMap(({ pairs }) => pairs));
  const combinations: Combination<P>[] = [];
  while (open.size > 0) {
    const gains = candidates.map(({ pairs }) => pairs.filter((pair) => open.has(pair)).length);
    const best = candidates[gains.indexOf(Math.max(...gains))] as (typeof candidates)[number];
    for (const pair of best.pairs) open.delete(pair);
    const values = Object.keys(parameters).map((name, at) => [
      name,
      parameters[name]?.[best.places[at] ?? 0],
    ]);
    combinations.push(Object.fromEntries(values));
  }
  return combinations;
}

function combinationsOf(parameters: readonly (readonly [string, readonly unknown[]])[]): readonly number[][] {
  const [first, ...others] = parameters;
  if (!first) return [[]];
  return first[1].flatMap((_, place) => combinationsOf(others).map((rest) => [place, ...rest]));
}

/** A text for each two of these values. */
function pairsOf(places: readonly number[]): readonly string[] {
  return places.flatMap((place, at) =>
    places.slice(at + 1).map((other, by) => `${at}=${place} ${at + 1 + by}=${other}`),
  );
}
