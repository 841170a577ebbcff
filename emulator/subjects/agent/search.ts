import type { Json } from "./records.ts";

/** Parameters common to all searches of the agent server. */
export interface SearchOptions {
  readonly limit?: number | null;
  readonly offset?: number | null;
  readonly sort_by?: string | null;
  readonly sort_order?: "asc" | "desc" | null;
}

export interface SearchResult<T> {
  readonly items: readonly T[];
  readonly headers: Readonly<Record<string, string>>;
}

/** A sorted page of results with its pagination headers. */
export function pageOf<T extends object>(matches: readonly T[], options: SearchOptions): SearchResult<T> {
  const [limit, offset] = [options.limit ?? 10, options.offset ?? 0];
  return pageFrom(sortRecords(matches, options), limit, offset);
}

/** A page of results that are already sorted. */
export function pageFrom<T>(matches: readonly T[], limit: number, offset: number): SearchResult<T> {
  const items = matches.slice(offset, offset + limit);
  const hasMore = offset + items.length < matches.length;
  return {
    items,
    headers: {
      "x-pagination-total": String(matches.length),
      ...(hasMore && { "x-pagination-next": String(offset + limit) }),
    },
  };
}

/** The selected fields of a record; unknown names are ignored. */
export function selected(view: object, select: readonly string[] | null | undefined): Json {
  if (!select) return view as Json;
  return Object.fromEntries(Object.entries(view).filter(([name]) => select.includes(name)));
}

/** Ties are broken by creation, in the direction of the sort; records without a value come last in both. */
function sortRecords<T extends object>(
  matches: readonly T[],
  { sort_by, sort_order }: SearchOptions,
): readonly T[] {
  const name = sort_by ?? "created_at";
  const direction = (sort_order ?? "desc") === "asc" ? 1 : -1;
  const items = direction === 1 ? [...matches] : [...matches].reverse();
  return items.sort((a, b) => {
    const [left, right] = [(a as Json)[name], (b as Json)[name]];
    return Number(left === null) - Number(right === null) || direction * compare(left, right);
  });
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [left, right] = [String(a), String(b)];
  return left < right ? -1 : Number(left > right);
}
