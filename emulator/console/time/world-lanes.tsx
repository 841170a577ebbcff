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
  readonly name: string;
  /** The address of its console; empty for the world of this one. */
  readonly base: string;
  /** Its clock (ms). */
  readonly at: number;
  readonly lanes: Lanes;
  readonly future: Future | undefined;
}

interface Lane {
  readonly key: string;
  readonly name: string;
  /** Null for the title of a world. */
  readonly count: number | null;
  readonly height: number;
  readonly y: number;
  readonly world: AxisWorld;
  readonly shapes: ComponentChildren;
}

/** The lanes of worlds, one world below the other, each with a title if there are two. */
export function lanesOf(worlds: readonly AxisWorld[], scale: Scale): readonly Lane[] {
  let y = HEADER_HEIGHT;
  return worlds.flatMap((world) => {
    const title = { name: world.name, count: null, height: LANE_HEIGHT, shapes: null };
    const lanes = worlds.length > 1 ? [title, ...lanesOfWorld(world, scale)] : lanesOfWorld(world, scale);
    return lanes.map((lane) => {
      const key = worlds.length > 1 && lane !== title ? `${world.name} ${lane.name}` : lane.name;
      const positionedLane = { ...lane, key, y, world };
      y += lane.height;
      return positionedLane;
    });
  });
}

function lanesOfWorld({ lanes, future, at, base }: AxisWorld, scale: Scale) {
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
        <Bars rows={rows} scale={scale} now={at} base={base} />
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
