import type { JournalEntry } from "../../kernel/journal.ts";
import { addressOf } from "../model/router.ts";

/** Opens a turn of the journal. */
export function TurnLink({ turn }: { readonly turn: number }) {
  return <a href={addressOf("time", null, { turn })}>turn {turn}</a>;
}

/** The request of a turn and the faults that triggered in it, each with a link. */
export function Origins({ turn, cause, notes = [] }: Pick<JournalEntry, "turn" | "cause" | "notes">) {
  return (
    <>
      {(cause.type === "request" || cause.type === "control") && (
        <a href={addressOf("requests", null, { turn })}>Request and reply</a>
      )}
      {notes
        .filter(({ kind }) => kind === "fault.triggered")
        .map(({ ref, detail }) => (
          <a key={ref} href={addressOf("faults", null, { text: ref })}>
            <span aria-hidden="true">↯</span> Fault {ref.slice(0, 8)}{" "}
            <code>{JSON.stringify(detail?.then)}</code>
          </a>
        ))}
    </>
  );
}
