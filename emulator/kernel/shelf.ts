/** A record with its place in the order of first puts. */
export interface Entry<T> {
  readonly order: number;
  record: T;
}

/** Entries in order; any part of them is reached without walking past the others. */
export interface Shelf<T> {
  readonly size: number;
  add(entry: Entry<T>): void;
  remove(entry: Entry<T>): void;
  /** `limit` records after the first `offset`, from the oldest or from the newest on. */
  page(offset: number, limit: number, newestFirst: boolean): readonly T[];
}

export function createShelf<T>(): Shelf<T> {
  const entries: Entry<T>[] = [];

  /** Where an entry of this order stands, or would stand. */
  function placeOf(order: number): number {
    let [low, high] = [0, entries.length];
    // Most entries come and change at the end.
    if (high > 0 && (entries[high - 1] as Entry<T>).order < order) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((entries[middle] as Entry<T>).order < order) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    get size() {
      return entries.length;
    },
    add: (entry) => void entries.splice(placeOf(entry.order), 0, entry),
    remove(entry) {
      const place = placeOf(entry.order);
      if (entries[place] === entry) entries.splice(place, 1);
    },
    page(offset, limit, newestFirst) {
      const from = newestFirst ? Math.max(0, entries.length - offset - limit) : offset;
      const to = newestFirst ? Math.max(0, entries.length - offset) : offset + limit;
      const records = entries.slice(from, to).map(({ record }) => record);
      return newestFirst ? records.reverse() : records;
    },
  };
}
