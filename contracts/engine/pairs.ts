/** Values of each parameter, by its name. */
type Parameters = Readonly<Record<string, readonly unknown[]>>;

type Combination<P extends Parameters> = { readonly [Name in keyof P]: P[Name][number] };

/** Few combinations in which every two values of different parameters occur together; the first has the first values. */
export function pairwise<P extends Parameters>(parameters: P): readonly Combination<P>[] {
  const entries = Object.entries(parameters);
  const rows = [entries.map(() => 0), ...coveringRows(entries.map(([, { length }]) => length))];
  return rows.map((row) => {
    const values = entries.map(([name, choices], at) => [name, choices[row[at] ?? 0]]);
    return Object.fromEntries(values) as Combination<P>;
  });
}

/**
 * A covering array: rows of one value for each factor, so that each pair of values of two factors is in a row. A
 * factor has the values 0 to `sizes[i] - 1`; the row of zeros is left out. Built greedily: each row begins with a pair
 * that is not covered yet, and takes for every other factor the value that covers the most.
 */
export function coveringRows(sizes: readonly number[]): readonly (readonly number[])[] {
  const open = openPairs(sizes);
  const rows: number[][] = [];
  for (const key of open) {
    const [[factor, value], [other, otherValue]] = parsed(key);
    const row: (number | undefined)[] = sizes.map(() => undefined);
    row[factor] = value;
    row[other] = otherValue;
    sizes.forEach((size, index) => {
      row[index] ??= best(row, index, size, open);
    });
    const full = row as number[];
    for (const [a, b] of pairsIn(full)) open.delete(keyOf(a, b));
    rows.push(full);
  }
  return rows;
}

type Cell = readonly [factor: number, value: number];

/** Pairs of two defaults are those of the baseline. */
function openPairs(sizes: readonly number[]): Set<string> {
  const cells = sizes.flatMap((size, factor) =>
    Array.from({ length: size }, (_, value): Cell => [factor, value]),
  );
  const pairs = cells.flatMap((cell) =>
    cells
      .filter(([factor, value]) => factor > cell[0] && value + cell[1] > 0)
      .map((other) => keyOf(cell, other)),
  );
  return new Set(pairs);
}

function best(row: readonly (number | undefined)[], index: number, size: number, open: Set<string>): number {
  let bestAt = 0;
  let most = -1;
  for (let value = 0; value < size; value += 1) {
    const covered = row.filter((other, at) => {
      if (other === undefined) return false;
      return open.has(at < index ? keyOf([at, other], [index, value]) : keyOf([index, value], [at, other]));
    }).length;
    if (covered > most) [bestAt, most] = [value, covered];
  }
  return bestAt;
}

function* pairsIn(row: readonly number[]): Iterable<readonly [Cell, Cell]> {
  for (const [a, left] of row.entries())
    for (let b = a + 1; b < row.length; b += 1)
      yield [
        [a, left],
        [b, row[b] as number],
      ];
}

function keyOf([a, left]: Cell, [b, right]: Cell): string {
  return `${a}.${left}/${b}.${right}`;
}

function parsed(key: string): readonly [Cell, Cell] {
  const [left = "", right = ""] = key.split("/");
  return [cellOf(left), cellOf(right)];
}

function cellOf(text: string): Cell {
  const [factor, value] = text.split(".").map(Number);
  return [factor ?? 0, value ?? 0];
}
