import type { PlayedWorld } from "../conditions.ts";
import type { Trial } from "../trials.ts";
import { stopping } from "./clock-stops.ts";
import type { Baseline, Disturbance } from "./disturbance.ts";
import { type ExportFacts, type ExportOrder, exportDifferences, settledExports } from "./export-facts.ts";
import { edgesOf, isMidnight, iso, millis } from "./times.ts";

/** Milliseconds from an edge at which it is tried. */
const OFFSETS = [-1, 0, 1] as const;

/** Trials run in this order where not all of them are run: rows at midnight first, clock stops last. */
const RANKS = { midnight: 0, edge: 1, near: 2, clock: 3 } as const;

/** A row at each edge of an exported window: one millisecond before, at, and after. */
export function windowTrials({ exports }: Baseline): readonly Trial[] {
  return exports.flatMap(({ order, problems }) => {
    if (problems === undefined) return [];
    return edgesOf(order).flatMap((edge) => OFFSETS.map((offset) => rowTrial(order, edge, offset, exports)));
  });
}

function rowTrial(order: ExportOrder, edge: number, offset: number, exports: readonly ExportFacts[]): Trial {
  const { start_time, end_time } = order;
  const at = edge + offset;
  const isInside = at >= millis(start_time) && at < millis(String(end_time));
  return {
    name: `window ${short(start_time)}/${short(String(end_time))}: a row ${offsetText(offset)} ${iso(edge)}`,
    section: "2.5",
    rank: offset !== 0 ? RANKS.near : isMidnight(edge) ? RANKS.midnight : RANKS.edge,
    differs: `a row begins ${offsetText(offset)} ${iso(edge)}, ${isInside ? "inside" : "outside"} the window`,
    means: "a window holds its begin and not its end, and neighbours share no row (§2.5, §3.3)",
    conditions: {
      async end(world) {
        const differenceLines = exportDifferences(exports, await settledExports(world));
        return differenceLines.length > 0
          ? differenceLines
          : rowDifferences(world, order, at, isInside ? 1 : 0);
      },
    },
  };
}

/** The clock stops on its way; what happens at that instant must neither be early nor be lost. */
export function clockStops({ due }: Baseline): readonly Disturbance[] {
  const points = due.flatMap((edge) => OFFSETS.map((offset) => ({ edge, offset })));
  return points.map(({ edge, offset }) => ({
    name: `clock stops ${offsetText(offset)} ${iso(edge)}`,
    section: "3.3",
    rank: RANKS.clock,
    tolerance: "none" as const,
    differs: `the clock is moved to ${iso(edge + offset)} first, and then on`,
    means: "what is due happens at its instant, however the clock gets there (§3.3)",
    conditions: { wrap: (environment) => stopping(environment, edge + offset) },
  }));
}

/** Orders the same window before and after a row is added there, and compares the files. */
async function rowDifferences(
  world: PlayedWorld,
  order: ExportOrder,
  at: number,
  expected: number,
): Promise<readonly string[]> {
  const before = await exportedAgain(world, order);
  if (typeof before === "string") return [before];
  const { answer } = await addRow(world, order, at);
  if (answer.status >= 400) return [`a row at ${iso(at)} is refused: ${answer.text}`];
  const after = await exportedAgain(world, order);
  if (typeof after === "string") return [after];
  const more = after.rows - before.rows;
  const counted = more === expected ? [] : [`rows more: expected ${expected}, found ${more}`];
  return [...counted, ...after.problems];
}

async function exportedAgain(
  { send, control }: PlayedWorld,
  { bulk_export_destination_id, session_id, start_time, end_time }: ExportOrder,
): Promise<{ readonly rows: number; readonly problems: readonly string[] } | string> {
  const body = { bulk_export_destination_id, session_id, start_time, end_time };
  const { answer, body: exportBody } = await send("POST /api/v1/bulk-exports", { body });
  if (answer.status >= 400) return `the window cannot be exported again: ${answer.text}`;
  const { id } = exportBody as { readonly id: string };
  await control.clock.advance("PT1H");
  const { rows, problems } = await control.exports.verify(id);
  return { rows, problems: problems.map(({ kind, key, detail }) => `${kind} ${key}: ${detail}`) };
}

/** Ingests a row that starts at this instant. */
export function addRow({ send }: PlayedWorld, { session_id }: ExportOrder, at: number) {
  const row = { ...rowKey("00000000-0000-4000-8000-0000000000ed", at), ...rowStart(session_id, at) };
  return send("POST /runs/batch", {
    body: { post: [{ ...row, name: "edge", end_time: iso(at + 1), inputs: {} }] },
  });
}

/** What identifies a row that is the root of its trace. */
function rowKey(id: string, start: number) {
  return { id, trace_id: id, dotted_order: `${iso(start).replace(/[-:.]/g, "").replace("Z", "000Z")}${id}` };
}

/** What a row has from its start on, next to its key and its own data. */
function rowStart(session_id: string, start: number) {
  return { run_type: "chain", session_id, start_time: iso(start) };
}

function short(time: string): string {
  return time.replace(/(:00)?(\.0+)?(Z|\+00:00)$/, "Z");
}

function offsetText(offset: number): string {
  return offset === 0 ? "at" : `1 ms ${offset < 0 ? "before" : "after"}`;
}
