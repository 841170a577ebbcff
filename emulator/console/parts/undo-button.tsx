import { type Outcome, runningAction, undo } from "../model/actions.ts";
import { asOf } from "../model/client.ts";
import { isReadOnly } from "../model/token.ts";
import { canUndo } from "../model/undo.ts";

/** Restores the state before an action, for as long as the history reaches. */
export function UndoButton({ label, undo: plan }: Pick<Outcome, "label" | "undo">) {
  if (!plan || !canUndo(plan)) return null;
  return (
    <button
      type="button"
      class="button"
      disabled={isReadOnly.value || asOf.value !== null || runningAction.value !== null}
      title="Restores the state before this action. Everything that happened later is removed, too."
      aria-label={`Undo: ${label}`}
      onClick={() => void undo(label, plan)}
    >
      Undo
    </button>
  );
}
