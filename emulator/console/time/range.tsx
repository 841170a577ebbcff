import { computed } from "@preact/signals";
import { useState } from "preact/hooks";
import type { TurnFilter } from "../../control/turns/pages.ts";
import { instantMs } from "../../kernel/instant.ts";
import { asOf } from "../model/client.ts";
import { status } from "../model/clock.ts";
import { count } from "../model/count.ts";
import { useResource } from "../model/resource.ts";
import { addressWith, go, route } from "../model/router.ts";
import { neighbourOf, readTurn, readTurns } from "../model/turns.ts";
import { worldName } from "../model/world-address.ts";
import { useDrag } from "../parts/drag.ts";
import { type Column, Table } from "../parts/table.tsx";
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
  const begin = async () => {
    const { first_turn } = await readTurns({ limit: 1 });
    setRangeTurn(Math.max(status.value?.history.earliest_turn ?? 1, first_turn));
  };
  return (
    <button
      type="button"
      class="button"
      aria-pressed={isOn}
      title="A second playhead: the page shows what changed between both"
      onClick={() => (isOn ? setRangeTurn(null) : void begin())}
    >
      Select a range
    </button>
  );
}

/** The second playhead. Dragging it or the arrow keys move it from turn to turn; Escape cancels a drag, or removes it. */
export function RangeHandle({ axis: { scale }, height }: { axis: DrawnAxis; height: number }) {
  const [dragInstant, setDragInstant] = useState<number | null>(null);
  const turn = rangeTurn.value;
  const current = useResource(`turn ${turn}`, async () =>
    turn === null ? undefined : readTurn({ turn }),
  ).value;
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
      if (dragInstant !== null)
        void readTurn({ at: dragInstant }).then((last) => setRangeTurn(last?.turn ?? null));
      setDragInstant(null);
    },
    cancel: () => setDragInstant(null),
  });
  if (at === null) return null;
  const onKey = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, 1 | -1>> = { ArrowLeft: -1, ArrowRight: 1 };
    const by = steps[event.key];
    if (by === undefined && event.key !== "Escape") return;
    event.preventDefault();
    if (by === undefined || turn === null) setRangeTurn(null);
    else void neighbourOf(turn, by).then((next) => setRangeTurn(next?.turn ?? turn));
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

/** Everything that changed between both playheads. */
export function RangeChanges() {
  const last = asOf.value ?? status.value?.turn;
  const [from, to] = [Math.min(rangeTurn.value ?? 0, last ?? 0), Math.max(rangeTurn.value ?? 0, last ?? 0)];
  const counts = useResource("turns in the range", () => countsIn(from, to), `${from} ${to}`).value;
  if (rangeTurn.value === null || last === undefined) return null;
  const world = encodeURIComponent(worldName);
  return (
    <section class="card" aria-label="Changes in the range">
      <Difference
        heading={`What changed between turn ${from} and turn ${to}`}
        path={`/worlds/${world}/diff?with=${world}&at=${from}&with_at=${to}`}
        names={[`at turn ${from}`, `at turn ${to}`]}
      />
      <p class="muted">
        {count(counts?.turns ?? 0, "turn")}, {count(counts?.requests ?? 0, "request")}, {counts?.limited ?? 0}{" "}
        refused by a rate limit.
      </p>
      {/* A request that passed its limit has no mark in the history. */}
      {counts && counts.refusals.length > 0 && (
        <Table
          label={`Refusals by limit${counts.limited > MAX_REFUSALS ? ", the first 1,000" : ""}`}
          columns={LIMIT_COLUMNS}
          rows={counts.refusals}
          keyOf={([limit]) => limit}
        />
      )}
    </section>
  );
}

/** A page of turns, and so the most refusals whose limits are counted. */
const MAX_REFUSALS = 1000;

/** What comes after turn `from`, up to turn `to`: numbers of turns and requests, and the refusals of each limit. */
async function countsIn(from: number, to: number) {
  const positionAfter = async (turn: number, filter: TurnFilter) => {
    const { items, offset, matching } = await readTurns({ ...filter, turn: turn + 1, limit: 1 });
    return (items[0]?.turn ?? 0) > turn ? offset : matching;
  };
  const placesOf = async (filter: TurnFilter) => {
    const offset = await positionAfter(from, filter);
    return { offset, length: (await positionAfter(to, filter)) - offset };
  };
  const isLimited = { status: 429 };
  const limited = await placesOf(isLimited);
  const limit = Math.min(limited.length, MAX_REFUSALS);
  const { items } =
    limit === 0 ? { items: [] } : await readTurns({ ...isLimited, offset: limited.offset, limit });
  const refusals = new Map<string, number>();
  for (const { cause } of items) refusals.set(cause.ref ?? "", (refusals.get(cause.ref ?? "") ?? 0) + 1);
  return {
    turns: (await placesOf({})).length,
    requests: (await placesOf({ kind: "request" })).length,
    limited: limited.length,
    refusals: [...refusals].sort(([, one], [, other]) => other - one),
  };
}

const LIMIT_COLUMNS: readonly Column<readonly [limit: string, refusals: number]>[] = [
  { name: "Limit", show: ([limit]) => <code>{limit}</code> },
  { name: "Refusals", number: true, show: ([, refusals]) => refusals },
];
