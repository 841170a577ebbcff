import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { isText } from "../../../contracts/spec/exact-json.ts";
import { valueWith } from "../json-text.ts";
import { objectAt } from "./json.ts";

/** Metadata keys under which clients name a row's thread, in the order in which they count (query.thread). */
const KEYS = ["session_id", "thread_id", "conversation_id"];

/** The thread that a row belongs to; null when its metadata names none. */
export function threadOf({ extra }: Pick<TraceRow, "extra">): string | null {
  const metadata = objectAt(valueWith(extra, '_id"'), "metadata");
  const threadId = KEYS.map((key) => metadata?.[key]).find((value) => isText(value) && value !== "");
  return (threadId as string | undefined) ?? null;
}
