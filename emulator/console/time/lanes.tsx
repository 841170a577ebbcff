import { instantMs } from "../../kernel/instant.ts";
import type { ExportOverview } from "../../subjects/bulk-exports/overview.ts";
import { addressOf } from "../model/router.ts";
import { toneOf } from "../parts/status.tsx";
import type { Bar, Mark } from "./history.ts";
import { type Scale, xOf } from "./scale.ts";

const ROW_HEIGHT = 16;
const MAX_ROWS = 8;
const MIN_WIDTH = 3;

/** A bar with its parts. */
export interface LaneBar extends Bar {
  readonly parts: readonly Bar[];
  readonly href: string | null;
}

/** Exports as bars, with a bar for each of their runs. */
export function exportBars(
  exports: readonly ExportOverview[],
  failures: ReadonlyMap<string, readonly number[]>,
): readonly LaneBar[] {
  return exports.map((each) => ({
    id: each.id,
    from: instantMs(each.created_at),
    to: each.interval_hours === null ? endInstant(each.finished_at) : instantMs(each.created_at),
    tone: toneOf(each.status),
    label: `export ${each.id}, ${each.project ?? "project gone"}: ${each.status}`,
    href: addressOf("exports", each.id),
    notches: [],
    parts: each.runs.map((run) => ({
      id: run.id,
      from: instantMs(run.created_at),
      to: endInstant(run.finished_at),
      tone: toneOf(run.status),
      label: `run of ${run.start_time.slice(0, 10)}: ${run.status}`,
      notches: [...(failures.get(run.id) ?? [])],
    })),
  }));
}

/** Agent runs as bars. */
export function runBars(runs: readonly Bar[]): readonly LaneBar[] {
  return runs.map((run) => ({
    ...run,
    tone: toneOf(run.tone),
    parts: [],
    href: addressOf("runs", run.id),
  }));
}

function endInstant(at: string | null): number | null {
  return at === null ? null : instantMs(at);
}

interface PlacedBar {
  readonly bar: LaneBar;
  readonly row: number;
}

/** Puts bars that overlap into separate rows; bars beyond `MAX_ROWS` share the last row. */
export function layOutBars(bars: readonly LaneBar[], scale: Scale, now: number): readonly PlacedBar[] {
  const free: number[] = [];
  return bars.flatMap((bar) => {
    const end = xOf(scale, bar.to ?? Math.max(now, bar.from));
    const begin = xOf(scale, bar.from);
    if (end < -MIN_WIDTH || begin > scale.width) return [];
    const freeRow = free.findIndex((x) => x <= begin);
    const row = freeRow !== -1 ? freeRow : Math.min(free.length, MAX_ROWS - 1);
    free[row] = Math.max(end, begin + MIN_WIDTH) + 2;
    return [{ bar, row }];
  });
}

export function heightOf(rows: readonly PlacedBar[]): number {
  return (Math.max(0, ...rows.map(({ row }) => row)) + 1) * ROW_HEIGHT + 6;
}

export function Bars({ rows, scale, now }: { rows: readonly PlacedBar[]; scale: Scale; now: number }) {
  return (
    <>
      {rows.map(({ bar, row }) => (
        <BarShape key={bar.id} bar={bar} y={row * ROW_HEIGHT + 4} scale={scale} now={now} />
      ))}
    </>
  );
}

function BarShape({ bar, y, scale, now }: { bar: LaneBar; y: number; scale: Scale; now: number }) {
  const extent = (part: Bar) => {
    const x = Math.max(-2, xOf(scale, part.from));
    const end = Math.min(scale.width + 2, xOf(scale, part.to ?? now));
    return { x, width: Math.max(MIN_WIDTH, end - x) };
  };
  const height = ROW_HEIGHT - 5;
  const part = Math.max(1, Math.min(4, height / Math.max(1, bar.parts.length)));
  const shapes = (
    <g class={`bar ${bar.tone}${bar.to === null ? " open" : ""}`}>
      <title>{bar.label}</title>
      <rect {...extent(bar)} y={y} height={height} rx={2.5} class={bar.parts.length > 0 ? "hull" : ""} />
      {bar.parts.slice(0, Math.floor(height / part)).map((each, index) => (
        <rect
          key={each.id}
          {...extent(each)}
          y={y + index * part}
          height={part}
          class={`part ${each.tone}`}
        />
      ))}
      {bar.parts.flatMap((each, index) =>
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
    </g>
  );
  return bar.href === null ? shapes : <a href={bar.href}>{shapes}</a>;
}

/** Marks as strokes. Marks at the same pixel are drawn once, with the worst tone. */
export function Marks({ marks, scale, future }: { marks: readonly Mark[]; scale: Scale; future: boolean }) {
  const columns = new Map<number, { tone: string; count: number; label: string }>();
  for (const { at, tone, label } of marks) {
    const x = Math.round(xOf(scale, at));
    if (x < 0 || x > scale.width) continue;
    const column = columns.get(x);
    if (!column) columns.set(x, { tone, count: 1, label });
    else {
      column.count += 1;
      if (tone === "bad") column.tone = "bad";
    }
  }
  return (
    <>
      {[...columns].map(([x, { tone, count, label }]) => (
        <rect
          key={x}
          class={`mark ${tone}${future ? " future" : ""}`}
          x={x - 1}
          y={4}
          width={2.5}
          height={ROW_HEIGHT - 4}
          rx={1}
        >
          <title>{count === 1 ? label : `${label} and ${count - 1} more`}</title>
        </rect>
      ))}
    </>
  );
}
