import { instantMs } from "../../kernel/instant.ts";
import type { ExportOverview } from "../../subjects/bulk-exports/overview.ts";
import { isFilm } from "../model/live.ts";
import { addressOf } from "../model/router.ts";
import { toneOf } from "../parts/status.tsx";
import { spanOf } from "../parts/time.tsx";
import type { Bar, Mark } from "./history.ts";
import { indexAt, type Scale, xIn, xOf } from "./scale.ts";

const ROW_HEIGHT = 16;
const MAX_ROWS = 8;
const MIN_WIDTH = 3;

/** A bar with its parts. */
export interface LaneBar extends Bar {
  readonly parts: readonly Bar[];
  /** The text next to it where there is room; its duration follows. */
  readonly name: string;
  /** A schedule: its parts are drawn one after another, at full height. */
  readonly isBand: boolean;
  readonly href: string | null;
}

/** Exports as bars, with a bar for each of their runs; a schedule is a band with a bar for each of its exports. */
export function exportBars(
  exports: readonly ExportOverview[],
  failures: ReadonlyMap<string, readonly number[]>,
): readonly LaneBar[] {
  const schedules = new Set(
    exports.flatMap(({ id, interval_hours }) => (interval_hours === null ? [] : [id])),
  );
  const exportsOf = (schedule: string) =>
    exports.filter(({ source_bulk_export_id: source }) => source === schedule);
  return exports.flatMap((each) => {
    if (each.source_bulk_export_id !== null && schedules.has(each.source_bulk_export_id)) return [];
    const isBand = each.interval_hours !== null;
    const name = isBand ? `every ${each.interval_hours} h` : each.id.slice(0, 8);
    const children = isBand ? exportsOf(each.id).map((child) => exportBar(child, "export")) : [];
    return [
      {
        ...exportBar(each, isBand ? "schedule" : "export"),
        name: `${each.project ?? "project gone"} ${name}`,
        isBand,
        href: addressOf("exports", each.id),
        parts: isBand
          ? children
          : each.runs.map((run) => ({
              id: run.id,
              from: instantMs(run.created_at),
              to: endInstant(run.finished_at),
              tone: toneOf(run.status),
              label: `run of ${run.start_time.slice(0, 10)}: ${run.status}`,
              notches: [...(failures.get(run.id) ?? [])],
            })),
      },
    ];
  });
}

function exportBar(each: ExportOverview, kind: string): Bar {
  return {
    id: each.id,
    from: instantMs(each.created_at),
    to: endInstant(each.finished_at),
    tone: toneOf(each.status),
    label: `${kind} ${each.id}, ${each.project ?? "project gone"}: ${each.status}`,
    notches: [],
  };
}

/** Bars without parts, which lead to their view. */
export function runBars(runs: readonly Bar[], view: "runs" | "exports"): readonly LaneBar[] {
  return runs.map((run) => ({
    ...run,
    tone: toneOf(run.tone),
    parts: [],
    name: run.id.slice(0, 8),
    isBand: false,
    href: isFilm.value ? null : addressOf(view, run.id),
  }));
}

function endInstant(at: string | null): number | null {
  return at === null ? null : instantMs(at);
}

interface PlacedBar {
  readonly bar: LaneBar;
  readonly row: number;
  /** Where its text begins (px), and how much room it has. */
  readonly textX: number;
  readonly room: number;
}

const CHARACTER_PX = 6.3;
/** With more visible bars, no room is left for texts next to them. */
const MAX_NAMED_BARS = 24;
const NAME_PX = 150;
const MIN_NAME_PX = 60;

/** Puts bars that overlap into separate rows; bars beyond `MAX_ROWS` share the last row. */
export function layOutBars(bars: readonly LaneBar[], scale: Scale, now: number): readonly PlacedBar[] {
  const free: number[] = [];
  const visible = bars.flatMap((bar) => {
    const end = xOf(scale, bar.to ?? Math.max(now, bar.from));
    const begin = xOf(scale, bar.from);
    return end < -MIN_WIDTH || begin > scale.width ? [] : [{ bar, begin, end }];
  });
  const nameRoom = visible.length > MAX_NAMED_BARS ? 0 : NAME_PX;
  return visible.map(({ bar, begin, end }) => {
    const right = Math.max(end, begin + MIN_WIDTH);
    const [first, last] = [Math.max(0, begin), Math.min(scale.width, right)];
    const isInside = last - first >= NAME_PX || right + MIN_NAME_PX > scale.width;
    const freeRow = free.findIndex((x) => x <= begin);
    const row = freeRow !== -1 ? freeRow : Math.min(free.length, MAX_ROWS - 1);
    free[row] = right + 2 + (isInside ? 0 : nameRoom);
    const room = isInside ? last - first - 6 : Math.min(nameRoom, scale.width - right) - 6;
    return { bar, row, textX: (isInside ? first : right) + 4, room };
  });
}

export function heightOf(rows: readonly PlacedBar[]): number {
  return (Math.max(0, ...rows.map(({ row }) => row)) + 1) * ROW_HEIGHT + 6;
}

interface BarsProps {
  readonly rows: readonly PlacedBar[];
  readonly scale: Scale;
  readonly now: number;
  /** The address of the console that the bars lead to. */
  readonly base: string;
}

export function Bars({ rows, scale, now, base }: BarsProps) {
  return (
    <>
      {rows.map((placed) => (
        <BarShape key={placed.bar.id} placed={placed} scale={scale} now={now} base={base} />
      ))}
    </>
  );
}

function durationText({ from, to }: Bar): string {
  return to === null ? "open" : spanOf(to - from);
}

function BarShape({ placed, scale, now, base }: Omit<BarsProps, "rows"> & { placed: PlacedBar }) {
  const { bar, row, textX, room } = placed;
  const y = row * ROW_HEIGHT + 4;
  const extent = (part: Bar) => {
    const x = Math.max(-2, xOf(scale, part.from));
    const end = Math.min(scale.width + 2, xOf(scale, part.to ?? now));
    return { x, width: Math.max(MIN_WIDTH, end - x) };
  };
  const height = ROW_HEIGHT - 5;
  const parts = bar.isBand ? apart(bar.parts, scale) : bar.parts;
  const part = bar.isBand ? height : Math.max(1, Math.min(4, height / Math.max(1, parts.length)));
  const stripes = bar.isBand ? parts : parts.slice(0, Math.floor(height / part));
  const partY = (index: number) => (bar.isBand ? y : y + index * part);
  const text = `${bar.name} · ${durationText(bar)}`;
  return (
    <a href={bar.href === null ? undefined : base + bar.href} draggable={false}>
      <g class={`bar ${bar.tone}${bar.to === null ? " open" : ""}${bar.isBand ? " band-bar" : ""}`}>
        <title>{`${bar.label}, ${durationText(bar)}${bar.isBand ? `, ${bar.parts.length} exports` : ""}`}</title>
        <rect
          {...extent(bar)}
          y={y}
          height={height}
          rx={2.5}
          class={bar.isBand || parts.length > 0 ? "hull" : ""}
        />
        {stripes.map((each, index) => (
          <rect key={each.id} {...extent(each)} y={partY(index)} height={part} class={`part ${each.tone}`} />
        ))}
        {parts.flatMap((each, index) =>
          each.notches.map((at) => (
            <rect
              key={`${each.id} ${at}`}
              class="notch"
              x={xOf(scale, at) - 1}
              y={y + Math.min(index * part, height - part) - 1}
              width={2}
              height={part + 2}
            />
          )),
        )}
        {room >= MIN_NAME_PX && (
          <text x={textX} y={y + height - 2}>
            {cut(text, room / CHARACTER_PX)}
          </text>
        )}
      </g>
    </a>
  );
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1))}…`;
}

/** Bars of a band that do not overlap: those at the same pixels are drawn once, with the worst tone. */
function apart(bars: readonly Bar[], scale: Scale): readonly Bar[] {
  const visibleBars: Bar[] = [];
  let right = Number.NEGATIVE_INFINITY;
  for (const bar of bars) {
    const x = xOf(scale, bar.from);
    const last = visibleBars.at(-1);
    if (last && x < right) {
      if (bar.tone === "bad") last.tone = "bad";
      last.to = last.to === null || bar.to === null ? null : Math.max(last.to, bar.to);
    } else visibleBars.push({ ...bar });
    right = Math.max(right, x + MIN_WIDTH, xOf(scale, bar.to ?? bar.from));
  }
  return visibleBars;
}

const MARK_WIDTH = 2.5;
const COUNT_WIDTH = 20;

interface Cluster {
  readonly first: Mark;
  readonly last: Mark;
  readonly x: number;
  readonly right: number;
  readonly tone: string;
  readonly count: number;
}

/** Marks that would overlap become one with a count, and with the worst tone. Looks at few of the marks of a cluster. */
export function clustersOf(marks: readonly Mark[], scale: Scale): readonly Cluster[] {
  const clusters: Cluster[] = [];
  const xAt = xIn(scale);
  const xOfMark = ({ at }: Mark) => xAt(at);
  const end = indexAt(marks, scale.to + 1, ({ at }) => at);
  let index = indexAt(marks, scale.from, ({ at }) => at);
  while (index < end) {
    const first = marks[index] as Mark;
    const x = xOfMark(first);
    let [next, right] = [index + 1, x + MARK_WIDTH];
    for (;;) {
      const after = Math.min(end, indexAt(marks, right, xOfMark));
      if (after <= next) break;
      next = after;
      right = Math.max(xOfMark(marks[next - 1] as Mark) + MARK_WIDTH, x + COUNT_WIDTH);
    }
    const tone = isBadIn(marks, index, next) ? "bad" : first.tone;
    clusters.push({ first, last: marks[next - 1] as Mark, x, right, tone, count: next - index });
    index = next;
  }
  return clusters;
}

function isBadIn(marks: readonly Mark[], from: number, end: number): boolean {
  for (let index = from; index < end; index += 1) if (marks[index]?.tone === "bad") return true;
  return false;
}

/** Marks as strokes; marks that would overlap are a count, which zooms in to them when it is clicked. */
export function Marks({ marks, scale, future }: { marks: readonly Mark[]; scale: Scale; future: boolean }) {
  return (
    <>
      {clustersOf(marks, scale).map(({ first, last, x, right, tone, count }) => {
        const isOne = count === 1;
        // Marks of one instant cannot be separated: their first turn is opened.
        const turn = isOne || first.at === last.at ? first.turn : null;
        return (
          <g
            key={`${first.at} ${first.turn}`}
            class={`mark ${tone}${future ? " future" : ""}${isOne ? "" : " counted"}`}
            data-turn={turn ?? undefined}
            data-from={first.at}
            data-to={last.at}
            data-event={future ? first.label : undefined}
          >
            <title>{isOne ? first.label : `${count} marks: ${first.label} to ${last.label}`}</title>
            <rect x={x - 1} y={4} width={right - x} height={ROW_HEIGHT - 4} rx={isOne ? 1 : 3} />
            {!isOne && (
              <text x={(x + right) / 2 - 1} y={ROW_HEIGHT - 3}>
                {SHORT_NUMBER.format(count)}
              </text>
            )}
          </g>
        );
      })}
    </>
  );
}

const SHORT_NUMBER = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 0 });
