import { computed } from "@preact/signals";
import { useState } from "preact/hooks";
import { instantMs } from "../../kernel/instant.ts";
import { asOf } from "../model/client.ts";
import { status } from "../model/clock.ts";
import { count } from "../model/count.ts";
import { type Turn, turns, turnsNow } from "../model/live.ts";
import { addressWith, go, route } from "../model/router.ts";
import { worldName } from "../model/world-address.ts";
import { useDrag } from "../parts/drag.ts";
import { timeOf } from "../parts/time.tsx";
import { Difference } from "../worlds/difference.tsx";
import type { DrawnAxis } from "./axis-input.ts";
import { instantAt, xOf } from "./scale.ts";

/** The turn of the second playhead; null without a range. */
const rangeTurn = computed(() => Number(route.value.query.get("since")) || null);

function setRangeTurn(turn: number | null): void {
  go(addressWith({ since: turn }), true);
}

/** Shows or removes the second playhead, which begins at the first turn that the history has. */
export function RangeButton() {
  const isOn = rangeTurn.value !== null;
  const earliest = status.value?.history.earliest_turn ?? 1;
  return (
    <button
      type="button"
      class="button"
      aria-pressed={isOn}
      title="A second playhead: the page shows what changed between both"
      onClick={() => setRangeTurn(isOn ? null : Math.max(earliest, turns[0]?.turn ?? 1))}
    >
      Select a range
    </button>
  );
}

/** The second playhead. Dragging it or the arrow keys move it from turn to turn; Escape cancels a drag, or removes it. */
export function RangeHandle({ axis: { scale }, height }: { axis: DrawnAxis; height: number }) {
  const [dragInstant, setDragInstant] = useState<number | null>(null);
  const list = turnsNow();
  const index = list.findIndex(({ turn }) => turn === rangeTurn.value);
  const current = list[index];
  const at = dragInstant ?? (current ? instantMs(current.now) : null);
  const x = at === null ? 0 : Math.max(0, Math.min(scale.width, xOf(scale, at)));
  const drag = useDrag({
    begin: () => {},
    move: (event) => {
      const box = (event.currentTarget as HTMLElement).parentElement?.getBoundingClientRect();
      const next = Math.max(0, Math.min(scale.width, event.clientX - (box?.left ?? 0)));
      setDragInstant(instantAt(scale, next));
    },
    drop() {
      if (dragInstant !== null) setRangeTurn(lastTurnAt(list, dragInstant)?.turn ?? null);
      setDragInstant(null);
    },
    cancel: () => setDragInstant(null),
  });
  if (at === null) return null;
  const onKey = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };
    const by = steps[event.key];
    if (by === undefined && event.key !== "Escape") return;
    event.preventDefault();
    if (by === undefined) setRangeTurn(null);
    else setRangeTurn((list[index + by] ?? current)?.turn ?? null);
  };
  return (
    <div
      class={`playhead range${dragInstant === null ? "" : " dragged"}`}
      style={{ transform: `translateX(${x}px)`, height: `${height}px` }}
      role="slider"
      tabIndex={0}
      aria-label="Other end of the range"
      aria-valuemin={Math.round(scale.from)}
      aria-valuemax={Math.round(scale.to)}
      aria-valuenow={Math.round(at)}
      aria-valuetext={`${timeOf(at)} UTC, turn ${rangeTurn.value}`}
      onKeyDown={onKey}
      {...drag}
    >
      <span class="playhead-line" />
    </div>
  );
}

/** The last turn at or before an instant, or the first turn. */
export function lastTurnAt(list: readonly Turn[], at: number): Turn | undefined {
  return list.findLast((turn) => instantMs(turn.now) <= at) ?? list[0];
}

/** Everything that changed between both playheads. */
export function RangeChanges() {
  const list = turnsNow();
  const last = asOf.value ?? list.at(-1)?.turn;
  if (rangeTurn.value === null || last === undefined) return null;
  const [from, to] = [Math.min(rangeTurn.value, last), Math.max(rangeTurn.value, last)];
  const inside = list.filter(({ turn }) => turn > from && turn <= to);
  const requests = inside.filter(({ cause }) => cause.type === "request");
  const limited = inside.filter(({ refused }) => refused?.status === 429);
  const world = encodeURIComponent(worldName);
  return (
    <section class="card" aria-label="Changes in the range">
      <Difference
        heading={`What changed between turn ${from} and turn ${to}`}
        path={`/worlds/${world}/diff?with=${world}&at=${from}&with_at=${to}`}
        names={[`at turn ${from}`, `at turn ${to}`]}
      />
      <p class="muted">
        {count(inside.length, "turn")}, {count(requests.length, "request")}, {limited.length} refused by a
        rate limit.
      </p>
    </section>
  );
}
