import { type PerformedAction, runningAction, undo } from "../model/actions.ts";
import { asOf } from "../model/client.ts";
import { isReadOnly } from "../model/token.ts";
import { canUndo } from "../model/undo.ts";

interface UndoButtonProps {
  readonly action: PerformedAction;
  /** Its position in the tray. */
  readonly index: number;
}

/** Restores the state before an action, for as long as the history reaches. */
export function UndoButton({ action, index }: UndoButtonProps) {
  if (!action.undo || index < 0 || !canUndo(action.undo)) return null;
  return (
    <button
      type="button"
      class="button"
      disabled={isReadOnly.value || asOf.value !== null || runningAction.value !== null}
      title="Restores the state before this action. Everything that happened later is removed, too."
      aria-label={`Undo: ${action.label}`}
      onClick={() => void undo(action, index)}
    >
      Undo
    </button>
  );
}
