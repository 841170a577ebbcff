import { LOOK_BOUNDS } from "../../../contracts/spec/queries/resources.ts";
import type { StoredRow } from "../traces/roll-up.ts";
import { cursorAt, type Order, readCursor } from "./cursor.ts";
import { candidatesOf, type QueryContext } from "./rows.ts";
import type { Selection } from "./selection.ts";

/** Which rows, from which cursor on, and how many at most. */
export interface PageQuery {
  readonly selection: Selection;
  readonly order: Order;
  readonly limit: number;
  readonly cursor: string | null;
}

/** Some rows, and the cursor for those behind them. */
export interface RowPage {
  readonly rows: readonly StoredRow[];
  /** Null when there is nothing behind this page. */
  readonly next: string | null;
}

/**
 * A page of rows. It looks at a bounded number of them, so that a filter that few rows pass cannot hold up
 * everything else: such a page is short, and leads on.
 */
export function readPage(context: QueryContext, { selection, order, limit, cursor }: PageQuery): RowPage {
  const after = cursor === null ? undefined : readCursor(cursor, order);
  const { rows: listed, test } = candidatesOf(context, selection, order, after);
  const rows: StoredRow[] = [];
  let examined = 0;
  let bytes = 0;
  let last = after;
  for (const found of listed) {
    const isFull = rows.length === limit || examined === LOOK_BOUNDS.rows;
    if (isFull || (examined > 0 && bytes + found.bytes > LOOK_BOUNDS.bytes))
      return { rows, next: last === undefined ? null : cursorAt(order, last) };
    examined += 1;
    bytes += found.bytes;
    last = found;
    const row = found.read();
    if (test(row)) rows.push(row);
  }
  return { rows, next: null };
}
