import type { JournalEntry } from "../kernel/journal.ts";

/** A turn in a chain of causes. */
export interface CausedTurn extends JournalEntry {
  /** The event or the effect that it answers, and the turn that asked for it; null for one before the history. */
  readonly because?: { readonly kind: string; readonly ref: string; readonly of_turn: number | null };
}

/** The causes and the effects of a record, an object or a trace row. */
export interface Causes {
  readonly id: string;
  /** As `collection/key`; `rows/<id>` for a trace row. */
  readonly found: string;
  /** For a trace row: which ancestor has not arrived, as a sentence. */
  readonly waits?: string;
  /** The path of the field whose value is meant; the whole record without it. */
  readonly field?: string;
  /** The last turn that changed it, or this field of it, then the one that caused that, and so on to a request, a control call or the start. */
  readonly chain: readonly CausedTurn[];
  /** False when the chain starts before the history; it is empty for a value that is older. */
  readonly complete: boolean;
  /** The turns that the turn which first changed it has led to, oldest first; only when they are asked for. */
  readonly effects?: readonly CausedTurn[];
  readonly effects_total?: number;
}
