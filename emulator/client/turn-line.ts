import { printExact } from "../../contracts/spec/exact-json.ts";
import type { JournalEntry } from "../kernel/journal.ts";

/** A turn as one line: its number, time and cause, its effects and its notes. */
export function lineOfTurn(entry: JournalEntry): string {
  return `#${entry.turn} ${entry.now} ${textOfTurn(entry)}`;
}

/** The same line without number and time. */
export function textOfTurn({ cause, refused, effects = [], notes = [] }: JournalEntry): string {
  const { type, name, ref, detail } = cause;
  const { method, path, unknown_fields: unread } = (detail ?? {}) as RequestDetail;
  const summary =
    method === undefined ? [type, name, ref].filter(Boolean).join(" ") : `${method} ${path} (${name})`;
  const remarks = [
    ...(refused ? [`refused with ${refused.status}: ${refused.message}`] : []),
    ...(unread ? [`unread: ${unread.join(", ")}`] : []),
    ...notes.map((note) => `${note.kind} ${note.ref}${note.detail ? ` ${printExact(note.detail)}` : ""}`),
    ...effects.map((effect) => `requests ${effect.kind} ${effect.ref}`),
  ];
  return [summary, ...remarks].join("; ");
}

/** Facts about the request in the cause of its turn. */
interface RequestDetail {
  readonly method?: string;
  readonly path?: string;
  readonly unknown_fields?: readonly string[];
}
