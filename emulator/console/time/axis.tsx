import { useEffect, useMemo, useState } from "preact/hooks";
import { spanOf } from "../parts/time.tsx";
import { type DrawnAxis, onAxisKey, useAxisInput } from "./axis-input.ts";
import { Overview } from "./overview.tsx";
import { Playhead } from "./playhead.tsx";
import { RangeButton, RangeHandle } from "./range.tsx";
import { blocksAround, type Scale, ticksOf, xOf } from "./scale.ts";
import { isFolding, lanesRange, visibleRange, wholeAxis, zoom } from "./state.ts";
import { type AxisWorld, HEADER_HEIGHT, lanesOf } from "./world-lanes.tsx";

interface AxisProps {
  /** The world of this console; with a second one the axis compares both, and has no playheads. */
  readonly worlds: readonly [AxisWorld, AxisWorld?];
  /** The turn and the instant at which both worlds part. */
  readonly parting?: { readonly turn: number; readonly at: number } | undefined;
}

/** The axis of virtual time: history is solid, predicted events are hatched, and the playhead is between them. */
export function Axis({ worlds, parting }: AxisProps) {
  const [width, setWidth] = useState(800);
  const [own, other] = worlds;
  const both = other ? [own, other] : [own];
  const { range: whole, folds } = useMemo(
    () => wholeAxis(both),
    [...both.flatMap(({ lanes, future, at }) => [lanes, future, at]), isFolding.value],
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
  const lanes = lanesOf(both, scale);
  const height = HEADER_HEIGHT + lanes.reduce((sum, lane) => sum + lane.height, 0);
  return (
    <section class="axis" aria-label="Time axis" onKeyDown={(event) => onAxisKey(event, axis)}>
      <AxisBar axis={axis} hasRange={!other} />
      <div class="axis-grid">
        <span class="lane-names muted" aria-hidden="true">
          Whole time
        </span>
        <Overview axis={axis} cells={own.lanes.overview.cells} />
        <div class="lane-names" aria-hidden="true" style={{ paddingTop: `${HEADER_HEIGHT}px` }}>
          {lanes.map(({ key, name, height: laneHeight, count }) => (
            <div key={key} style={{ height: `${laneHeight}px` }}>
              {count === null ? <strong>{name}</strong> : name}{" "}
              <span class="count">{count?.toLocaleString("en")}</span>
            </div>
          ))}
        </div>
        <div class="axis-box" ref={box}>
          <svg width={width} height={height} role="group" aria-label="Lanes">
            <Ticks scale={scale} height={height} />
            <Folds scale={scale} height={height} />
            {lanes.map(({ key, y, height: laneHeight, world, shapes }) => (
              <g
                key={key}
                transform={`translate(0 ${y})`}
                role="group"
                aria-label={key}
                data-base={world.base}
              >
                <Ahead scale={scale} height={laneHeight} at={world.at} />
                <line x1={0} x2={width} y1={0} y2={0} class="lane-line" />
                {shapes}
              </g>
            ))}
            {parting && <Parting scale={scale} height={height} {...parting} />}
          </svg>
          {!other && <RangeHandle axis={axis} height={height} />}
          {!other && <Playhead axis={axis} height={height} />}
        </div>
      </div>
    </section>
  );
}

function AxisBar({ axis: { scale, whole }, hasRange }: { readonly axis: DrawnAxis; hasRange: boolean }) {
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
      {hasRange && <RangeButton />}
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

function Parting({ scale, height, turn, at }: { scale: Scale; height: number; turn: number; at: number }) {
  const x = xOf(scale, at);
  return (
    <g class="parting">
      <line x1={x} x2={x} y1={HEADER_HEIGHT} y2={height} />
      <text x={x + 4} y={height - 4}>
        Turn {turn}: they part
      </text>
    </g>
  );
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
