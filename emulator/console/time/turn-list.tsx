import { useEffect } from "preact/hooks";
import { asOf } from "../model/client.ts";
import { type Turn, turnsNow } from "../model/live.ts";
import { route } from "../model/router.ts";
import { shortTime } from "../parts/time.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { select, selectedTurn } from "./state.ts";

const ROW_HEIGHT = 28;

const GLYPHS: Readonly<Record<Turn["cause"]["type"], string>> = {
  request: "→",
  event: "◷",
  effect: "↩",
  control: "⚙",
  object_storage: "▤",
  start: "◆",
};

/** The turns with the kind and the text of the address: in the cause, the subject, the notes or the error. */
export function matchingTurns(): readonly Turn[] {
  const turns = turnsNow();
  const { query } = route.value;
  const [kind, text] = [query.get("kind") ?? "", (query.get("text") ?? "").toLowerCase()];
  if (kind === "" && text === "") return turns;
  return turns.filter(
    ({ turn, cause, refused, notes, put }) =>
      (kind === "" || cause.type === kind || (kind === "refused" && refused !== undefined)) &&
      (text === "" || JSON.stringify({ turn, cause, refused, notes, put }).toLowerCase().includes(text)),
  );
}

/** Every matching turn with its cause, oldest first; scrolls with the playhead. */
export function TurnList() {
  const turns = matchingTurns();
  const focusedTurn = selectedTurn.value ?? asOf.value;
  const focusedIndex = focusedTurn === null ? -1 : turns.findIndex(({ turn }) => turn === focusedTurn);
  useEffect(() => {
    // The list keeps the row in its box; a panel that opens next to or over the list must not hide it.
    document.querySelector(".turn.selected")?.scrollIntoView({ block: "nearest" });
  }, [selectedTurn.value]);
  const onKey = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 };
    const by = steps[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const from = focusedIndex === -1 ? turns.length - 1 : focusedIndex;
    const next = turns[Math.max(0, Math.min(turns.length - 1, from + by))];
    if (next) select(next.turn);
  };
  return (
    <VirtualList
      label="Turns"
      count={turns.length}
      rowHeight={ROW_HEIGHT}
      focus={focusedIndex === -1 ? null : focusedIndex}
      onKey={onKey}
      row={(index) => <Row turn={turns[index]} isSelected={index === focusedIndex} />}
    />
  );
}

function Row({ turn, isSelected }: { turn: Turn | undefined; isSelected: boolean }) {
  if (!turn) return null;
  const { cause, refused, notes = [] } = turn;
  return (
    <button
      type="button"
      tabIndex={-1}
      class={`turn${isSelected ? " selected" : ""}${refused ? " refused" : ""}`}
      aria-current={isSelected}
      onClick={() => select(isSelected ? null : turn.turn)}
    >
      <span class="turn-number mono">{turn.turn}</span>
      <span class="mono turn-time">{shortTime(turn.now)}</span>
      <span class={`turn-cause ${cause.type}`}>
        <span aria-hidden="true">{GLYPHS[cause.type]}</span> {cause.name}
      </span>
      <span class="turn-ref mono">{cause.ref ?? String(cause.detail?.path ?? "")}</span>
      <span class="turn-notes">
        {refused && `${refused.status} ${refused.message}`}
        {notes.map(({ kind, detail }) => noteText(kind, detail)).join(" · ")}
      </span>
    </button>
  );
}

function noteText(kind: string, detail: Readonly<Record<string, unknown>> = {}): string {
  if ("from" in detail && "to" in detail) return `${kind.split(".")[0]} ${detail.from} → ${detail.to}`;
  return kind;
}
