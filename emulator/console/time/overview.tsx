import { useMemo } from "preact/hooks";
import type { Lanes } from "../../control/turns/lanes.ts";
import { useDrag } from "../parts/drag.ts";
import type { DrawnAxis } from "./axis-input.ts";
import { instantAt, panned, type Range, type Scale, xIn, xOf } from "./scale.ts";
import { centre, visibleRange } from "./state.ts";

const HEIGHT = 20;
const COLUMN_PX = 3;
const MIN_WINDOW_PX = 6;

interface OverviewProps {
  readonly axis: DrawnAxis;
  /** The begins of groups of turns, with their numbers. */
  readonly cells: Lanes["overview"]["cells"];
}

/** The whole time: a column for each group of turns, and a window that shows and moves the visible range. */
export function Overview({ axis: { scale, whole }, cells }: OverviewProps) {
  const strip: Scale = { ...scale, ...whole };
  const { width } = strip;
  const [left, right] = [xOf(strip, scale.from), xOf(strip, scale.to)];
  const length = Math.max(MIN_WINDOW_PX, right - left);
  const drag = useDrag<{ readonly x: number; readonly range: Range | null; readonly scale: Scale }>({
    begin(event) {
      const before = { x: event.clientX, range: visibleRange.value, scale };
      const x = event.clientX - (event.currentTarget as Element).getBoundingClientRect().left;
      if (x < left || x > left + length) centre(scale, whole, instantAt(strip, x));
      return { ...before, scale: { ...scale, ...(visibleRange.value ?? whole) } };
    },
    move(event, before) {
      const zoomFactor = width / (xOf(strip, before.scale.to) - xOf(strip, before.scale.from));
      visibleRange.value = panned(before.scale, whole, (before.x - event.clientX) * zoomFactor);
    },
    cancel(before) {
      visibleRange.value = before.range;
    },
  });
  const columns = useMemo(() => columnsOf(strip, cells), [cells, whole.from, whole.to, width, scale.folds]);
  const most = Math.max(1, ...columns.values());
  return (
    <svg class="overview" width={width} height={HEIGHT} aria-hidden="true" {...drag}>
      {[...columns].map(([column, count]) => {
        const height = 2 + (HEIGHT - 4) * (Math.log1p(count) / Math.log1p(most));
        return (
          <rect
            key={column}
            x={column * COLUMN_PX}
            y={HEIGHT - height}
            width={COLUMN_PX - 1}
            height={height}
          />
        );
      })}
      <rect class="overview-window" x={left} y={0.5} width={length} height={HEIGHT - 1} rx={2} />
    </svg>
  );
}

function columnsOf(strip: Scale, cells: OverviewProps["cells"]): ReadonlyMap<number, number> {
  const columns = new Map<number, number>();
  const xAt = xIn(strip);
  for (const [at, count] of cells) {
    const column = Math.floor(xAt(at) / COLUMN_PX);
    columns.set(column, (columns.get(column) ?? 0) + count);
  }
  return columns;
}
