import { Refusal } from "../../kernel/refusal.ts";
import type { RowPlace } from "../traces/port.ts";

export type Order = "asc" | "desc";

export const INVALID_CURSOR = "cursor: must be a cursor that an earlier page of this list returned.";

const PLAIN =
  /^(asc|desc) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Encodes the position of the last row examined; rows written later do not shift it. */
export function cursorAt(order: Order, { startTime, id }: RowPlace): string {
  return btoa(`${order} ${startTime} ${id}`);
}

/** Decodes a cursor. Throws a `Refusal` (422) if it is invalid or belongs to a list in another order. */
export function readCursor(cursor: string, order: Order): RowPlace {
  const [, decodedCursor, startTime, id] = PLAIN.exec(decoded(cursor)) ?? [];
  if (startTime === undefined || id === undefined) throw new Refusal(422, "invalid_cursor", INVALID_CURSOR);
  if (decodedCursor !== order)
    throw new Refusal(422, "invalid_cursor", `cursor: belongs to a list in the order ${decodedCursor}.`);
  return { startTime, id };
}

/** The text of a cursor; empty if it is not base64. */
export function decoded(cursor: string): string {
  try {
    return atob(cursor);
  } catch {
    return "";
  }
}
