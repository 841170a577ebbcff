import { SCAN_BOUNDS } from "../../../contracts/spec/queries/resources.ts";
import type { Steps } from "../../kernel/steps.ts";
import type { StoredRow } from "../traces/roll-up.ts";
import { cursorAt, type Order, readCursor } from "./cursor.ts";
import { candidatesOf, type QueryContext } from "./rows.ts";
import type { Selection } from "./selection.ts";

/** Parameters of one page. */
export interface PageQuery {
  readonly selection: Selection;
  readonly order: Order;
  readonly limit: number;
  readonly cursor: string | null;
}

/** The rows of one page and the cursor of the next, which is null on the last page. */
export interface RowPage {
  readonly rows: readonly StoredRow[];
  readonly next: string | null;
}

/**
 * Reads a page of rows. The rows and bytes examined are bounded (`SCAN_BOUNDS`): with a selective filter a page may be short or
 * empty and still have a next cursor.
 */
export function* readPage(
  context: QueryContext,
  { selection, order, limit, cursor }: PageQuery,
): Steps<RowPage> {
  const after = cursor === null ? undefined : readCursor(cursor, order);
  const { rows: listedRows, test } = candidatesOf(context, selection, order, after);
  const rows: StoredRow[] = [];
  let examined = 0;
  let bytes = 0;
  let last = after;
  for (const listedRow of listedRows) {
    const isFull = rows.length === limit || examined === SCAN_BOUNDS.rows;
    if (isFull || (examined > 0 && bytes + listedRow.bytes > SCAN_BOUNDS.bytes))
      return { rows, next: last === undefined ? null : cursorAt(order, last) };
    examined += 1;
    bytes += listedRow.bytes;
    last = listedRow;
    const row = listedRow.read();
    if (yield* test(row)) rows.push(row);
  }
  return { rows, next: null };
}
