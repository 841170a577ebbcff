interface ResultFilterProps<V extends string> {
  /** The number of items of each result. */
  readonly counts: Readonly<Record<V, number>>;
  readonly results: readonly V[];
  readonly selected: V | null;
  readonly select: (result: V | null) => void;
}

/** Buttons with the number of items of each result, which show only these. */
export function ResultFilter<V extends string>({ counts, results, selected, select }: ResultFilterProps<V>) {
  return (
    <p class="row" role="group" aria-label="Filter by result">
      {results.map((result) => (
        <button
          key={result}
          type="button"
          aria-pressed={result === selected}
          onClick={() => select(result === selected ? null : result)}
        >
          {counts[result] ?? 0} {result}
        </button>
      ))}
    </p>
  );
}
