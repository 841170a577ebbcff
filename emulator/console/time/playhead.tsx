import { useState } from "preact/hooks";
import { formatInstant, instantMs } from "../../kernel/instant.ts";
import { control, perform, underWay } from "../model/actions.ts";
import { asOf } from "../model/client.ts";
import { clock, now, shownInstant } from "../model/clock.ts";
import { turns } from "../model/live.ts";
import { spanOf, timeOf } from "../parts/time.tsx";
import { showAsOf } from "./past.ts";
import { instantAt, type Scale, xOf } from "./scale.ts";

/**
 * The playhead is the clock. Dragged to the right it advances to where it is released; to the left it shows the
 * world as of there. Right and left step event by event and turn by turn; space freezes the clock or lets it flow.
 */
export function Playhead({ scale, height }: { readonly scale: Scale; readonly height: number }) {
  const [dragged, setDragged] = useState<number | null>(null);
  const stands = shownInstant();
  const at = dragged ?? stands;
  const x = Math.max(0, Math.min(scale.width, xOf(scale, at)));
  const instantOf = (event: PointerEvent) => {
    const box = (event.currentTarget as HTMLElement).parentElement?.getBoundingClientRect();
    return instantAt(scale, Math.max(0, Math.min(scale.width, event.clientX - (box?.left ?? 0))));
  };
  const release = () => {
    if (dragged !== null) moveTo(dragged);
    setDragged(null);
  };
  return (
    <div
      class={`playhead${dragged === null ? "" : " dragged"}${asOf.value === null ? "" : " past"}`}
      style={{ transform: `translateX(${x}px)`, height: `${height}px` }}
      role="slider"
      tabIndex={0}
      aria-label="Clock of the world"
      aria-valuemin={Math.round(scale.from)}
      aria-valuemax={Math.round(scale.to)}
      aria-valuenow={Math.round(at)}
      aria-valuetext={`${timeOf(at)} UTC, ${clock.value?.mode ?? "unknown"}${asOf.value === null ? "" : `, as of turn ${asOf.value}`}`}
      aria-busy={underWay.value !== null}
      onKeyDown={onKey}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDragged(at);
      }}
      onPointerMove={(event) => dragged !== null && setDragged(instantOf(event))}
      onPointerUp={release}
      onPointerCancel={() => setDragged(null)}
    >
      <span class="playhead-line" />
      <span class={`playhead-text mono${x > scale.width / 2 ? " left" : ""}`}>
        {timeOf(at)}
        {dragged !== null && <small>{difference(dragged)}</small>}
      </span>
    </div>
  );
}

function difference(at: number): string {
  const ms = at - now.value;
  return ms >= 0 ? `advance by ${spanOf(ms)}` : `${spanOf(-ms)} ago`;
}

/** To the right of the clock: advance to there; to the left: the world as of the last turn until there, or of the first. */
function moveTo(at: number): void {
  if (at > now.value) {
    showAsOf(null);
    const to = formatInstant(at);
    void perform(`Advance to ${timeOf(at)}`, control("POST", "/clock/advance", { to }));
    return;
  }
  const last = turns.findLast((turn) => instantMs(turn.now) <= at) ?? turns[0];
  if (last) showAsOf(last.turn);
}

function onKey(event: KeyboardEvent): void {
  const move = KEYS[event.key];
  if (!move) return;
  event.preventDefault();
  if (underWay.value === null) move();
}

const KEYS: Readonly<Record<string, () => void>> = {
  ArrowRight: () => stepRight(),
  ArrowLeft: () => stepLeft(),
  Home: () => showAsOf(turns[0]?.turn ?? null),
  End: () => showAsOf(null),
  Escape: () => showAsOf(null),
  " ": () => toggleClock(),
};

/** In the past to the next turn, else to the next event. */
function stepRight(): void {
  if (asOf.value === null)
    void perform("Advance to the next event", control("POST", "/clock/advance", { next: 1 }));
  else showAsOf(neighbour(1)?.turn ?? null);
}

function stepLeft(): void {
  const before = neighbour(-1);
  if (before) showAsOf(before.turn);
}

function neighbour(by: 1 | -1) {
  const at = asOf.value === null ? turns.length - 1 : turns.findIndex(({ turn }) => turn === asOf.value);
  const next = turns[at + by];
  return next === turns.at(-1) ? undefined : next;
}

/** Freezes a flowing clock and lets a frozen one flow. */
export function toggleClock(): void {
  const isFlowing = clock.value?.mode === "flowing";
  if (isFlowing) void perform("Freeze the clock", control("POST", "/clock/freeze", {}));
  else void perform("Let the clock flow", control("POST", "/clock/flow", { rate: 1 }));
}
