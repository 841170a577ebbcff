import { Refusal } from "../../kernel/refusal.ts";
import type { RowPlace } from "../traces/port.ts";

export type Order = "asc" | "desc";

const PLAIN =
  /^(asc|desc) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Names the last row that a page has looked at; rows that come later do not move it. */
export function cursorAt(order: Order, { startTime, id }: RowPlace): string {
  return btoa(`${order} ${startTime} ${id}`);
}

/** The place that a cursor names; it leads on in the order of the page that gave it. */
export function readCursor(cursor: string, order: Order): RowPlace {
  const [, decodedCursor, startTime, id] = PLAIN.exec(decoded(cursor)) ?? [];
  if (startTime === undefined || id === undefined)
    throw new Refusal(422, "invalid_cursor", "body.cursor: is none that a page of this list has given.");
  if (decodedCursor !== order)
    throw new Refusal(422, "invalid_cursor", `body.cursor: belongs to a list in the order ${decodedCursor}.`);
  return { startTime, id };
}

function decoded(cursor: string): string {
  try {
    return atob(cursor);
  } catch {
    return "";
  }
}
