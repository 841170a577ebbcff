/** One of several parts that a run is divided into. */
export interface Shard {
  /** From 1. */
  readonly index: number;
  readonly count: number;
}

/** The items of a part: every n-th, so that long and short ones are divided alike. */
export function partOf<T>(items: readonly T[], shard: Shard | undefined): readonly T[] {
  return shard === undefined ? items : items.filter((_, at) => at % shard.count === shard.index - 1);
}
