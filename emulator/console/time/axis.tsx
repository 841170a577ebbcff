import { useEffect, useState } from "preact/hooks";
import { instantMs } from "../../kernel/instant.ts";
import { now } from "../model/clock.ts";
import { isFilm } from "../model/live.ts";
import { spanOf } from "../parts/time.tsx";
import { type DrawnAxis, onAxisKey, useAxisInput } from "./axis-input.ts";
import { type History, laneOfEvent, MARK_LANES, type Mark, type MarkLane } from "./history.ts";
import { Bars, heightOf, type LaneBar, layOutBars, Marks, runBars } from "./lanes.tsx";
import { Overview } from "./overview.tsx";
import { Playhead } from "./playhead.tsx";
import { RangeButton, RangeHandle } from "./range.tsx";
import { type Scale, ticksOf, xOf } from "./scale.ts";
import { type Future, isFolding, visibleRange, wholeAxis, zoom } from "./state.ts";

const HEADER_HEIGHT = 24;
const LANE_HEIGHT = 20;

interface AxisProps {
  readonly history: History;
  readonly exports: readonly LaneBar[];
  readonly future: Future | undefined;
  /** The numbers of all items, by the name of the lane, where the lane has not all of them. */
  readonly totals: Readonly<Record<string, number>>;
}

/** The axis of virtual time: history is solid, predicted events are hatched, and the playhead is between them. */
export function Axis({ history, exports, future, totals }: AxisProps) {
  const [width, setWidth] = useState(800);
  const { range: whole, folds } = wholeAxis(future);
  const range = visibleRange.value ?? whole;
  const scale: Scale = { ...range, width, folds };
  const axis = { scale, whole };
  const box = useAxisInput(axis);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(Math.max(120, element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const at = now.value;
  const lanes = lanesOf(history, exports, future, scale, at);
  const height = HEADER_HEIGHT + lanes.reduce((sum, lane) => sum + lane.height, 0);
  return (
    <section class="axis" aria-label="Time axis" onKeyDown={(event) => onAxisKey(event, axis)}>
      <AxisBar axis={axis} />
      <div class="axis-grid">
        <span class="lane-names muted" aria-hidden="true">
          Whole time
        </span>
        <Overview axis={axis} instants={history.instants} />
        <div class="lane-names" aria-hidden="true" style={{ paddingTop: `${HEADER_HEIGHT}px` }}>
          {lanes.map(({ name, height: laneHeight, count }) => (
            <div key={name} style={{ height: `${laneHeight}px` }}>
              {name} <span class="count">{(totals[name] ?? count).toLocaleString("en")}</span>
            </div>
          ))}
        </div>
        <div class="axis-box" ref={box}>
          <svg width={width} height={height} role="group" aria-label="Lanes">
            <Background scale={scale} height={height} at={at} />
            <Folds scale={scale} height={height} />
            {lanes.map(({ name, y, shapes }) => (
              <g key={name} transform={`translate(0 ${y})`} role="group" aria-label={name}>
                <line x1={0} x2={width} y1={0} y2={0} class="lane-line" />
                {shapes}
              </g>
            ))}
          </svg>
          {!isFilm.value && <RangeHandle axis={axis} height={height} />}
          <Playhead axis={axis} height={height} />
        </div>
      </div>
    </section>
  );
}

function AxisBar({ axis: { scale, whole } }: { readonly axis: DrawnAxis }) {
  const { length } = scale.folds;
  return (
    <div class="axis-bar">
      <span
        class="muted"
        title="Wheel or + and - zoom, dragging or Page Up and Page Down pan, 0 or a double click fits"
      >
        Showing {spanOf(scale.to - scale.from)}
      </span>
      <span class="spacer" />
      {!isFilm.value && <RangeButton />}
      {(length > 0 || !isFolding.value) && (
        <button
          type="button"
          class="button"
          aria-pressed={isFolding.value}
          onClick={() => {
            isFolding.value = !isFolding.value;
            visibleRange.value = null;
          }}
        >
          Fold idle time
        </button>
      )}
      <button type="button" class="button" onClick={() => zoom(scale, whole, -1)} aria-label="Zoom in">
        +
      </button>
      <button type="button" class="button" onClick={() => zoom(scale, whole, 1)} aria-label="Zoom out">
        −
      </button>
      <button
        type="button"
        class="button"
        onClick={() => {
          visibleRange.value = null;
        }}
      >
        Fit
      </button>
    </div>
  );
}

/** Idle time that is drawn shorter, with its length. */
function Folds({ scale, height }: { scale: Scale; height: number }) {
  return (
    <>
      {scale.folds.map(({ from, to, length }) => {
        const [x, right] = [xOf(scale, from), xOf(scale, to)];
        if (right < 0 || x > scale.width) return null;
        const middle = (x + right) / 2;
        // The fold leaves some of the idle time on both sides.
        const idle = spanOf(to - from + 2 * length);
        return (
          <g key={from} class="fold">
            <title>{`${idle} without turns`}</title>
            <rect x={x} y={HEADER_HEIGHT} width={right - x} height={height - HEADER_HEIGHT} />
            <text x={middle} y={HEADER_HEIGHT + 10} transform={`rotate(90 ${middle} ${HEADER_HEIGHT + 10})`}>
              {idle}
            </text>
          </g>
        );
      })}
    </>
  );
}

function Background({ scale, height, at }: { scale: Scale; height: number; at: number }) {
  const x = Math.max(0, Math.min(scale.width, xOf(scale, at)));
  return (
    <>
      <defs>
        <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <line x1="0" y1="0" x2="0" y2="6" class="hatch" />
        </pattern>
      </defs>
      <rect
        x={x}
        y={HEADER_HEIGHT}
        width={scale.width - x}
        height={height - HEADER_HEIGHT}
        fill="url(#hatch)"
      />
      {ticksOf(scale).map((tick) => (
        <g key={tick.x} class="tick">
          <line x1={tick.x} x2={tick.x} y1={HEADER_HEIGHT - 5} y2={height} />
          <text x={tick.x + 4} y={HEADER_HEIGHT - 9}>
            {tick.text}
          </text>
        </g>
      ))}
    </>
  );
}

interface Lane {
  readonly name: string;
  readonly count: number;
  readonly height: number;
  readonly y: number;
  readonly shapes: preact.ComponentChildren;
}

function lanesOf(
  history: History,
  exports: readonly LaneBar[],
  future: Future | undefined,
  scale: Scale,
  at: number,
): readonly Lane[] {
  const predicted = futureMarks(future);
  const barLane = (name: string, bars: readonly LaneBar[], ahead: readonly Mark[]) => {
    const rows = layOutBars(bars, scale, at);
    const shapes = (
      <>
        <Bars rows={rows} scale={scale} now={at} />
        <Marks marks={ahead} scale={scale} future />
      </>
    );
    return { name, count: bars.length, height: heightOf(rows), shapes };
  };
  const markLane = (lane: MarkLane) => ({
    name: MARK_LANES[lane],
    count: history.marks[lane].length,
    height: LANE_HEIGHT,
    shapes: (
      <>
        <Marks marks={history.marks[lane]} scale={scale} future={false} />
        <Marks marks={predicted[lane] ?? []} scale={scale} future />
      </>
    ),
  });
  const lanes = [
    barLane("Exports", exports, predicted.exports ?? []),
    barLane("Agent runs", runBars(history.agentRuns, "runs"), predicted.runs ?? []),
    ...(Object.keys(MARK_LANES) as MarkLane[]).map(markLane),
  ];
  let y = HEADER_HEIGHT;
  return lanes.map((lane) => {
    const positionedLane = { ...lane, y };
    y += lane.height;
    return positionedLane;
  });
}

function futureMarks(future: Future | undefined): Partial<Record<MarkLane | "exports" | "runs", Mark[]>> {
  const lanes: Partial<Record<MarkLane | "exports" | "runs", Mark[]>> = {};
  for (const { at, kind, ref } of future?.fired ?? []) {
    const lane = laneOfEvent(kind) ?? (kind.startsWith("agent_run.") ? "runs" : "exports");
    const marks = lanes[lane] ?? [];
    marks.push({ at: instantMs(at), tone: "plain", label: `${kind} ${ref}`, turn: null });
    lanes[lane] = marks;
  }
  return lanes;
}
