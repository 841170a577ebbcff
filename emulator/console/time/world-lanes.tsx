import type { ComponentChildren } from "preact";
import type { BarLane, Lanes } from "../../control/turns/lanes.ts";
import { laneOfEvent, type MarkLane } from "../../control/turns/turn-index.ts";
import { instantMs } from "../../kernel/instant.ts";
import { type Future, MARK_LANES, type Mark } from "./history.ts";
import { Bars, heightOf, laneBars, layOutBars, Marks } from "./lanes.tsx";
import type { Scale } from "./scale.ts";

export const HEADER_HEIGHT = 24;
const LANE_HEIGHT = 20;

/** What the axis shows of a world. */
export interface AxisWorld {
  /** Its clock (ms). */
  readonly at: number;
  readonly lanes: Lanes;
  readonly future: Future | undefined;
}

interface Lane {
  readonly name: string;
  readonly count: number;
  readonly height: number;
  readonly y: number;
  readonly shapes: ComponentChildren;
}

/** The lanes of a world, one below the other. */
export function lanesOf(world: AxisWorld, scale: Scale): readonly Lane[] {
  let y = HEADER_HEIGHT;
  return lanesOfWorld(world, scale).map((lane) => {
    const positionedLane = { ...lane, y };
    y += lane.height;
    return positionedLane;
  });
}

function lanesOfWorld({ lanes, future, at }: AxisWorld, scale: Scale) {
  const predicted = futureMarks(future);
  const barLane = (
    kind: "run" | "export",
    name: string,
    { total, bars }: BarLane,
    ahead: readonly Mark[],
  ) => {
    const rows = layOutBars(laneBars(bars, kind), scale, at);
    const shapes = (
      <>
        <Bars rows={rows} scale={scale} now={at} />
        <Marks marks={ahead} scale={scale} future />
      </>
    );
    return { name, count: total, height: heightOf(rows), shapes };
  };
  const markLane = (lane: MarkLane) => ({
    name: MARK_LANES[lane],
    count: lanes.marks[lane].total,
    height: LANE_HEIGHT,
    shapes: (
      <>
        <Marks marks={lanes.marks[lane].cells} scale={scale} future={false} />
        <Marks marks={predicted[lane] ?? []} scale={scale} future />
      </>
    ),
  });
  return [
    barLane("export", "Exports", lanes.exports, predicted.exports ?? []),
    barLane("run", "Agent runs", lanes.agent_runs, predicted.runs ?? []),
    ...(Object.keys(MARK_LANES) as MarkLane[]).map(markLane),
  ];
}

function futureMarks(future: Future | undefined): Partial<Record<MarkLane | "exports" | "runs", Mark[]>> {
  const lanes: Partial<Record<MarkLane | "exports" | "runs", Mark[]>> = {};
  for (const { at, kind, ref } of future?.fired ?? []) {
    const lane = laneOfEvent(kind) ?? (kind.startsWith("agent_run.") ? "runs" : "exports");
    const marks = lanes[lane] ?? [];
    marks.push({ at: instantMs(at), label: `${kind} ${ref}`, turn: null });
    lanes[lane] = marks;
  }
  return lanes;
}
