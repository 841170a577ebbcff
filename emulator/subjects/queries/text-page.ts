import { Refusal } from "../../kernel/refusal.ts";
import { decoded, INVALID_CURSOR, type Order } from "./cursor.ts";

/** A position in a list that is sorted by a text and then by an id. */
export interface TextPlace {
  readonly key: string;
  readonly id: string;
}

/** One page of such a list. */
export interface TextPageQuery {
  /** The name of the sort key, in cursors. */
  readonly by: string;
  readonly order: Order;
  readonly limit: number;
  readonly after: TextPlace | null;
}

/** Sorts items and returns those of a page, and the cursor of the next page; null on the last page. */
export function textPage<Item extends TextPlace>(
  items: readonly Item[],
  { by, order, limit, after }: TextPageQuery,
): { readonly page: readonly Item[]; readonly next: string | null } {
  const sign = order === "asc" ? 1 : -1;
  const rest = items
    .filter((item) => after === null || sign * compare(item, after) > 0)
    .sort((a, b) => sign * compare(a, b));
  const page = rest.slice(0, limit);
  const last = rest.length > limit ? page.at(-1) : undefined;
  const next = last ? btoa(encodeURIComponent(JSON.stringify([`${by} ${order}`, last.key, last.id]))) : null;
  return { page, next };
}

function compare(one: TextPlace, other: TextPlace): number {
  if (one.key !== other.key) return one.key < other.key ? -1 : 1;
  return one.id < other.id ? -1 : Number(one.id > other.id);
}

/** Decodes a cursor. Throws a `Refusal` (422) if it is invalid or belongs to a list in another order. */
export function readTextCursor(
  cursor: string | null | undefined,
  by: string,
  order: Order,
): TextPlace | null {
  if (cursor == null) return null;
  const [sort, key, id] = textsIn(cursor);
  if (sort === `${by} ${order}` && key !== undefined && id !== undefined) return { key, id };
  throw new Refusal(422, "invalid_cursor", INVALID_CURSOR);
}

function textsIn(cursor: string): readonly (string | undefined)[] {
  try {
    const texts: unknown = JSON.parse(decodeURIComponent(decoded(cursor)));
    return Array.isArray(texts) && texts.every((text) => typeof text === "string") ? texts : [];
  } catch {
    return [];
  }
}
