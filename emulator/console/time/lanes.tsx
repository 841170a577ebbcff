import type { Bar } from "../../control/turns/bars.ts";
import type { BarPart, ExportBar } from "../../control/turns/lanes.ts";
import { addressOf } from "../model/router.ts";
import { toneOf } from "../parts/status.tsx";
import { spanOf } from "../parts/time.tsx";
import type { Mark } from "./history.ts";
import { type Scale, xIn, xOf } from "./scale.ts";

const ROW_HEIGHT = 16;
const MAX_ROWS = 8;
const MIN_WIDTH = 3;

/** A bar as it is drawn, with its parts. */
export interface LaneBar extends Bar {
  readonly label: string;
  readonly tone: string;
  readonly parts: readonly (BarPart & { readonly tone: string })[];
  readonly partsTotal: number;
  /** The text next to it where there is room; its duration follows. */
  readonly name: string;
  /** A schedule: its parts are drawn one after another, at full height. */
  readonly isBand: boolean;
  readonly href: string | null;
}

/** The bars of a lane, which lead to their view. An export has a part for each run, a schedule for each export. */
export function laneBars(
  bars: readonly (ExportBar | Bar)[] = [],
  kind: "run" | "export",
): readonly LaneBar[] {
  return bars.map((bar) => {
    const { id, status, count } = bar;
    const tone = toneOf(status);
    const common = { ...bar, tone, parts: [], partsTotal: 0, isBand: false };
    if (count !== undefined) {
      const name = `${count.toLocaleString("en")} ${kind}s`;
      return { ...common, name, label: name, href: null };
    }
    const href = addressOf(`${kind}s`, id);
    if (!("parts" in bar)) return { ...common, name: id.slice(0, 8), label: `${kind} ${id} ${status}`, href };
    const project = bar.project ?? "project gone";
    const isBand = bar.interval_hours !== null;
    return {
      ...common,
      name: `${project} ${isBand ? `every ${bar.interval_hours} h` : id.slice(0, 8)}`,
      label: `${isBand ? "schedule" : kind} ${id}, ${project}: ${status}`,
      isBand,
      href,
      parts: bar.parts.map((part) => ({ ...part, tone: toneOf(part.status) })),
      partsTotal: bar.parts_total,
    };
  });
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
}

export function Bars({ rows, scale, now }: BarsProps) {
  return (
    <>
      {rows.map((placed) => (
        <BarShape key={placed.bar.id} placed={placed} scale={scale} now={now} />
      ))}
    </>
  );
}

function durationText({ from, to }: Bar): string {
  return to === null ? "open" : spanOf(to - from);
}

function BarShape({ placed, scale, now }: Omit<BarsProps, "rows"> & { placed: PlacedBar }) {
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
    <a href={bar.href ?? undefined} draggable={false}>
      <g class={`bar ${bar.tone}${bar.to === null ? " open" : ""}${bar.isBand ? " band-bar" : ""}`}>
        <title>{`${bar.label}, ${durationText(bar)}${bar.isBand ? `, ${bar.partsTotal} exports` : ""}`}</title>
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
          (each.failed ?? []).map((at) => (
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
function apart(bars: LaneBar["parts"], scale: Scale): LaneBar["parts"] {
  const visibleBars: {
    -readonly [Name in keyof LaneBar["parts"][number]]: LaneBar["parts"][number][Name];
  }[] = [];
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
  /** The last instant. */
  to: number;
  readonly x: number;
  right: number;
  isBad: boolean;
  count: number;
}

/** Marks that would overlap become one with a count, and with the worst tone. */
function clustersOf(marks: readonly Mark[], scale: Scale): readonly Cluster[] {
  const clusters: Cluster[] = [];
  const xAt = xIn(scale);
  for (const mark of marks) {
    const { at, to = at, count = 1, bad = false } = mark;
    if (to < scale.from || at > scale.to) continue;
    // A cell of a longer range may begin outside.
    const x = Math.max(-COUNT_WIDTH, xAt(at));
    const last = clusters.at(-1);
    const cluster = last && x < last.right ? last : { first: mark, to, x, right: 0, isBad: false, count: 0 };
    if (cluster !== last) clusters.push(cluster);
    cluster.to = to;
    cluster.count += count;
    cluster.isBad ||= bad;
    const least = cluster.count === 1 ? 0 : cluster.x + COUNT_WIDTH;
    cluster.right = Math.max(Math.min(xAt(to), scale.width) + MARK_WIDTH, least);
  }
  return clusters;
}

/** Marks as strokes; marks that would overlap are a count, which zooms in to them when it is clicked. */
export function Marks({ marks, scale, future }: { marks: readonly Mark[]; scale: Scale; future: boolean }) {
  return (
    <>
      {clustersOf(marks, scale).map((cluster) => (
        <MarkShape key={`${cluster.first.at} ${cluster.first.turn}`} cluster={cluster} future={future} />
      ))}
    </>
  );
}

function MarkShape({ cluster, future }: { readonly cluster: Cluster; readonly future: boolean }) {
  const { first, to, x, right, isBad, count } = cluster;
  const isOne = count === 1;
  // Marks of one instant cannot be separated: their first turn is opened.
  const turn = isOne || first.at === to ? first.turn : null;
  return (
    <g
      class={`mark ${isBad ? "bad" : "plain"}${future ? " future" : ""}${isOne ? "" : " counted"}`}
      data-turn={turn ?? undefined}
      data-from={first.at}
      data-to={to}
    >
      <title>{isOne ? first.label : `${count} marks from ${first.label} on`}</title>
      <rect x={x - 1} y={4} width={right - x} height={ROW_HEIGHT - 4} rx={isOne ? 1 : 3} />
      {!isOne && (
        <text x={(x + right) / 2 - 1} y={ROW_HEIGHT - 3}>
          {SHORT_NUMBER.format(count)}
        </text>
      )}
    </g>
  );
}

const SHORT_NUMBER = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 0 });
