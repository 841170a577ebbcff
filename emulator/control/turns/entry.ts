import { undocumentedOf } from "../../http/undocumented-members.ts";
import type { JournalEntry } from "../../kernel/journal.ts";

/** A turn in the control API, with the members that the specification does not define. */
export function withUndocumented(entry: JournalEntry) {
  const { request = [], reply = [] } = undocumentedOf(entry.cause) ?? {};
  return {
    ...entry,
    ...(request.length > 0 && { sent_beyond: request }),
    ...(reply.length > 0 && { answered_beyond: reply }),
  };
}
