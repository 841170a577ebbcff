import { useEffect, useMemo, useState } from "preact/hooks";
import { spanOf } from "../parts/time.tsx";
import { type DrawnAxis, onAxisKey, useAxisInput } from "./axis-input.ts";
import { Overview } from "./overview.tsx";
import { Playhead } from "./playhead.tsx";
import { RangeButton, RangeHandle } from "./range.tsx";
import { blocksAround, type Scale, ticksOf, xOf } from "./scale.ts";
import { isFolding, lanesRange, visibleRange, wholeAxis, zoom } from "./state.ts";
import { type AxisWorld, HEADER_HEIGHT, lanesOf } from "./world-lanes.tsx";

/** The axis of virtual time: history is solid, predicted events are hatched, and the playhead is between them. */
export function Axis({ world }: { readonly world: AxisWorld }) {
  const [width, setWidth] = useState(800);
  const { range: whole, folds } = useMemo(
    () => wholeAxis(world),
    [world.lanes, world.future, world.at, isFolding.value],
  );
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
  const blocks = visibleRange.value && blocksAround(scale);
  useEffect(() => {
    lanesRange.value = blocks;
  }, [blocks?.from, blocks?.to]);
  const lanes = lanesOf(world, scale);
  const height = HEADER_HEIGHT + lanes.reduce((sum, lane) => sum + lane.height, 0);
  return (
    <section class="axis" aria-label="Time axis" onKeyDown={(event) => onAxisKey(event, axis)}>
      <AxisBar axis={axis} />
      <div class="axis-grid">
        <span class="lane-names muted" aria-hidden="true">
          Whole time
        </span>
        <Overview axis={axis} cells={world.lanes.overview.cells} />
        <div class="lane-names" aria-hidden="true" style={{ paddingTop: `${HEADER_HEIGHT}px` }}>
          {lanes.map(({ name, height: laneHeight, count }) => (
            <div key={name} style={{ height: `${laneHeight}px` }}>
              {name} <span class="count">{count.toLocaleString("en")}</span>
            </div>
          ))}
        </div>
        <div class="axis-box" ref={box}>
          <svg width={width} height={height} role="group" aria-label="Lanes">
            <Ticks scale={scale} height={height} />
            <Folds scale={scale} height={height} />
            {lanes.map(({ name, y, height: laneHeight, shapes }) => (
              <g key={name} transform={`translate(0 ${y})`} role="group" aria-label={name}>
                <Ahead scale={scale} height={laneHeight} at={world.at} />
                <line x1={0} x2={width} y1={0} y2={0} class="lane-line" />
                {shapes}
              </g>
            ))}
          </svg>
          <RangeHandle axis={axis} height={height} />
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
      <RangeButton />
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

/** The hatched part of a lane: predicted events. */
function Ahead({ scale, height, at }: { scale: Scale; height: number; at: number }) {
  const x = Math.max(0, Math.min(scale.width, xOf(scale, at)));
  return <rect x={x} y={0} width={scale.width - x} height={height} fill="url(#hatch)" />;
}

function Ticks({ scale, height }: { scale: Scale; height: number }) {
  return (
    <>
      <defs>
        <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <line x1="0" y1="0" x2="0" y2="6" class="hatch" />
        </pattern>
      </defs>
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
