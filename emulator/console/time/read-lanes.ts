import type { Lanes } from "../../control/turns/lanes.ts";
import type { MarkLane } from "../../control/turns/turn-index.ts";
import { status } from "../model/clock.ts";
import { requestLanes } from "../model/turns.ts";
import { lanesRange } from "./state.ts";

/** Before the first reply. */
export const NO_LANES: Lanes = {
  ...{ turn: 0, turns: 0, first: null, last: null, gaps: [], step_ms: 1 },
  overview: { step_ms: 1, cells: [] },
  marks: {
    schedules: { total: 0, cells: [] },
    webhooks: { total: 0, cells: [] },
    limits: { total: 0, cells: [] },
    faults: { total: 0, cells: [] },
    requests: { total: 0, cells: [] },
  },
  agent_runs: { total: 0, bars: [] },
  exports: { total: 0, bars: [] },
};

const COLUMNS = 200;
/** The range around the visible one is up to twice as long. */
const COLUMNS_AROUND = 2 * COLUMNS;

let last: { readonly key: string; readonly lanes: Lanes } | undefined;

/** The lanes of the range of the axis. After the first reply only what has changed is read. */
export async function readLanes(): Promise<Lanes> {
  const range = lanesRange.peek();
  const key = `${status.peek()?.generation} ${range?.from} ${range?.to}`;
  const before = last?.key === key ? last.lanes : undefined;
  const reply = await requestLanes({
    ...(range && { from: range.from, to: range.to }),
    columns: range ? COLUMNS_AROUND : COLUMNS,
    ...(before && { since: before.turn, stepMs: before.step_ms }),
  });
  const lanes = before && reply.since !== undefined ? withDelta(before, reply, reply.since) : reply;
  last = { key, lanes };
  return lanes;
}

/** A delta has the first cell, which may have lost turns, and those from `since` on. */
function withDelta(before: Lanes, delta: Lanes, since: number): Lanes {
  const firstCell = Math.floor((delta.first ?? 0) / delta.step_ms);
  const marks = Object.fromEntries(
    Object.entries(delta.marks).map(([lane, { total, cells }]) => {
      const same = before.marks[lane as MarkLane].cells.filter(
        ({ at }) => at < since && Math.floor(at / delta.step_ms) > firstCell,
      );
      const isFirst = ({ at }: { readonly at: number }) => at < since;
      return [
        lane,
        { total, cells: [...cells.filter(isFirst), ...same, ...cells.filter((cell) => !isFirst(cell))] },
      ];
    }),
  );
  return {
    ...delta,
    marks: marks as unknown as Lanes["marks"],
    agent_runs: { ...before.agent_runs, ...delta.agent_runs },
    exports: { ...before.exports, ...delta.exports },
  };
}
