import { useState } from "preact/hooks";
import { formatInstant } from "../../kernel/instant.ts";
import { control, perform, runningAction } from "../model/actions.ts";
import { asOf } from "../model/client.ts";
import { clock, now, visibleInstant } from "../model/clock.ts";
import { neighbourOf, readTurn, readTurns } from "../model/turns.ts";
import { useDrag } from "../parts/drag.ts";
import { spanOf, timeOf } from "../parts/time.tsx";
import { showAsOf } from "./as-of.ts";
import type { DrawnAxis } from "./axis-input.ts";
import { instantAt, xOf } from "./scale.ts";
import { centre } from "./state.ts";

interface PlayheadProps {
  readonly axis: DrawnAxis;
  readonly height: number;
}

/**
 * The playhead is the clock. Dragging it to the right advances the clock; dragging it to the left shows the world as of
 * that time; outside the visible range it is an arrow at the edge. Escape cancels the drag. The arrow keys step by event or turn; space freezes the clock or lets it flow.
 */
export function Playhead({ axis: { scale, whole }, height }: PlayheadProps) {
  const [dragInstant, setDragInstant] = useState<number | null>(null);
  const clockInstant = visibleInstant();
  const at = dragInstant ?? clockInstant;
  const position = xOf(scale, at);
  const x = Math.max(0, Math.min(scale.width, position));
  const outside = position < 0 ? "before" : position > scale.width ? "after" : null;
  const instantOf = (event: PointerEvent) => {
    const box = (event.currentTarget as HTMLElement).parentElement?.getBoundingClientRect();
    return instantAt(scale, Math.max(0, Math.min(scale.width, event.clientX - (box?.left ?? 0))));
  };
  const drag = useDrag({
    begin(event) {
      setDragInstant(at);
      return event.clientX;
    },
    move: (event) => setDragInstant(instantOf(event)),
    drop(event, startX) {
      setDragInstant(null);
      if (event.clientX !== startX) void moveTo(instantOf(event));
      else if (outside) centre(scale, whole, at);
    },
    cancel: () => setDragInstant(null),
  });
  return (
    <div
      class={`playhead${dragInstant === null ? "" : " dragged"}${asOf.value === null ? "" : " past"}${outside ? ` ${outside}` : ""}`}
      title={outside ? "The playhead is outside the visible range: click to show it" : undefined}
      style={{ transform: `translateX(${x}px)`, height: `${height}px` }}
      role="slider"
      tabIndex={0}
      aria-label="Clock of the world"
      aria-valuemin={Math.round(scale.from)}
      aria-valuemax={Math.round(scale.to)}
      aria-valuenow={Math.round(at)}
      aria-valuetext={`${timeOf(at)} UTC, ${clock.value?.mode ?? "unknown"}${asOf.value === null ? "" : `, as of turn ${asOf.value}`}`}
      aria-busy={runningAction.value !== null}
      onKeyDown={onKey}
      {...drag}
    >
      <span class="playhead-line" />
      <span class={`playhead-text mono${x > scale.width / 2 ? " left" : ""}`}>
        {outside === "before" && "◀ "}
        {timeOf(at)}
        {outside === "after" && " ▶"}
        {dragInstant !== null && <small>{difference(dragInstant)}</small>}
      </span>
    </div>
  );
}

function difference(at: number): string {
  const ms = at - now.value;
  return ms >= 0 ? `advance by ${spanOf(ms)}` : `${spanOf(-ms)} ago`;
}

/** Advances to a future time. For an earlier time, shows the world as of the last turn before it, or the first turn. */
async function moveTo(at: number): Promise<void> {
  if (at > now.value) {
    showAsOf(null);
    const to = formatInstant(at);
    void perform(`Advance to ${timeOf(at)}`, control("POST", "/clock/advance", { to }));
    return;
  }
  const last = await readTurn({ at });
  if (last) showAsOf(last.turn);
}

function onKey(event: KeyboardEvent): void {
  const move = KEYS[event.key];
  if (!move) return;
  event.preventDefault();
  if (runningAction.value === null) move();
}

const KEYS: Readonly<Record<string, () => void>> = {
  ArrowRight: () => void stepRight(),
  ArrowLeft: () => void stepLeft(),
  Home: () => void readTurns({ offset: 0, limit: 1 }).then(({ items }) => showAsOf(items[0]?.turn ?? null)),
  End: () => showAsOf(null),
  Escape: () => showAsOf(null),
  " ": () => toggleClock(),
};

/** Steps to the next turn of the history, or advances to the next event. */
async function stepRight(): Promise<void> {
  if (asOf.value === null)
    return void perform("Advance to the next event", control("POST", "/clock/advance", { next: 1 }));
  const next = await neighbourOf(asOf.value, 1);
  showAsOf(next && next.turn !== (await newestTurn()) ? next.turn : null);
}

async function stepLeft(): Promise<void> {
  const before = await neighbourOf(asOf.value ?? (await newestTurn()), -1);
  if (before) showAsOf(before.turn);
}

async function newestTurn(): Promise<number> {
  return (await readTurns({ limit: 1 })).items[0]?.turn ?? 0;
}

/** Freezes a flowing clock and lets a frozen one flow. */
export function toggleClock(): void {
  const isFlowing = clock.value?.mode === "flowing";
  if (isFlowing) void perform("Freeze the clock", control("POST", "/clock/freeze", {}));
  else void perform("Let the clock flow", control("POST", "/clock/flow", { rate: 1 }));
}
