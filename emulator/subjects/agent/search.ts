import type { Json } from "./records.ts";

/** What every search of the agent server takes beside its own filters. */
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

/** A page of what was found, sorted, with the headers that lead to the next one. */
export function pageOf<T extends object>(found: readonly T[], options: SearchOptions): SearchResult<T> {
  const [limit, offset] = [options.limit ?? 10, options.offset ?? 0];
  return pageFrom(sorted(found, options), limit, offset);
}

/** A page of what is in order already. */
export function pageFrom<T>(found: readonly T[], limit: number, offset: number): SearchResult<T> {
  const items = found.slice(offset, offset + limit);
  const hasMore = offset + items.length < found.length;
  return {
    items,
    headers: {
      "x-pagination-total": String(found.length),
      ...(hasMore && { "x-pagination-next": String(offset + limit) }),
    },
  };
}

/** The fields that were asked for, of those that there are. */
export function selected(view: object, select: readonly string[] | null | undefined): Json {
  if (!select) return view as Json;
  return Object.fromEntries(Object.entries(view).filter(([name]) => select.includes(name)));
}

/** Records come in order of creation; those that are equal keep it, the newest first or last as asked. */
function sorted<T extends object>(found: readonly T[], { sort_by, sort_order }: SearchOptions): readonly T[] {
  const name = sort_by ?? "created_at";
  const direction = (sort_order ?? "desc") === "asc" ? 1 : -1;
  const items = direction === 1 ? [...found] : [...found].reverse();
  return items.sort((a, b) => direction * compare((a as Json)[name], (b as Json)[name]));
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [left, right] = [String(a), String(b)];
  return left < right ? -1 : Number(left > right);
}
