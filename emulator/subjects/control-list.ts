import { printExact } from "../../contracts/spec/exact-json.ts";
import { integer, optional, text } from "../../contracts/spec/fields.ts";

/** The items of a list, with counts, so that a reader knows what is not included. */
export interface ListPage<V> {
  /** The newest matching items, oldest first. */
  readonly items: readonly V[];
  /** The number of all items. */
  readonly total: number;
  /** The number of items that match the filters. */
  readonly matching: number;
  /** The values of each filter, among all items. */
  readonly values: Readonly<Record<string, readonly string[]>>;
}

/** Query parameters of every list. */
export const LIST_QUERY = {
  limit: optional(integer({ minimum: 1, maximum: 10_000, default: 100 })),
  text: optional(text({ maxLength: 200, title: "only items that contain this text" })),
  counts: optional(
    integer({
      minimum: 0,
      maximum: 1,
      default: 0,
      title: "1 replies with items, total, matching and values",
    }),
  ),
};

/** A filter of a list: compares its query parameter with this value, whatever the case. */
export const FILTER = optional(text({ maxLength: 200 }));

const DEFAULT_LIMIT = 100;
const MAX_FILTER_VALUES = 50;

/** The query parameters of a list request. */
export type ListFilters = Readonly<Record<string, string | number | undefined>>;

interface ListShape<R, V> {
  /** The value of each filter for a record. */
  readonly filters: Readonly<Record<string, (record: R) => string>>;
  readonly show: (record: R) => V;
  readonly defaultLimit?: number;
}

/**
 * The newest records that match the filters of a query; with `counts=1` as a `ListPage`. The type is that of the reply
 * without it, since the types of the library follow from the path of an operation.
 */
export function listOf<R, V>(records: Iterable<R>, query: ListFilters, shape: ListShape<R, V>): readonly V[];
export function listOf<R, V>(
  records: Iterable<R>,
  query: ListFilters,
  { filters, show, defaultLimit = DEFAULT_LIMIT }: ListShape<R, V>,
): readonly V[] | ListPage<V> {
  const all = [...records];
  const tests = Object.entries(filters).flatMap(([name, valueOf]) => {
    const filterValue = query[name];
    return filterValue === undefined ? [] : [(record: R) => isSameText(valueOf(record), String(filterValue))];
  });
  const needle = String(query.text ?? "").toLowerCase();
  if (needle !== "") tests.push((record) => printExact(show(record)).toLowerCase().includes(needle));
  const matches = tests.length === 0 ? all : all.filter((record) => tests.every((test) => test(record)));
  const items = matches.slice(-Number(query.limit ?? defaultLimit)).map(show);
  if (query.counts !== 1) return items;
  const values = Object.fromEntries(
    Object.entries(filters).map(([name, valueOf]) => [name, valuesOf(all, valueOf)]),
  );
  return { items, total: all.length, matching: matches.length, values };
}

function isSameText(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function valuesOf<R>(records: readonly R[], valueOf: (record: R) => string): readonly string[] {
  const values = new Set<string>();
  for (const record of records) {
    if (values.size === MAX_FILTER_VALUES) break;
    values.add(valueOf(record));
  }
  return [...values].sort();
}
