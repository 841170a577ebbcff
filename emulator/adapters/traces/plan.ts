import { closeSync, fstatSync, openSync, statSync } from "node:fs";
import type { PartitionWindow } from "../../domain/traces/port.ts";
import { microsecondsOfDay, withinDay } from "./instants.ts";
import { type LocatedSegment, locate, type TracePlace } from "./layers.ts";
import { readExactly, sizeOf } from "./open-files.ts";
import { wholeRecords } from "./segment.ts";
import { RECORD_BYTES, type SidecarView, supersededOf, viewSidecar } from "./sidecar.ts";

/** The rows of a window in the order of export: where each line is in the data file. */
export interface Plan {
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
  /** The data file, held open: its identity tells whether the segment is still the one that was planned. */
  readonly file: number | undefined;
  /** How many rows the reader of the plan has looked at when it stood at a cursor. */
  readonly positions: Map<string, number>;
}

const CURSORS_REMEMBERED = 1024;

function find(place: TracePlace, window: PartitionWindow): LocatedSegment | undefined {
  return locate(place, window, window.sessionId, window.day);
}

function readSidecar(path: string, data: number): SidecarView {
  const file = openSync(`${path}.index`, "r");
  try {
    const { count } = wholeRecords(file, sizeOf(data));
    return viewSidecar(readExactly(file, Buffer.allocUnsafeSlow(count * RECORD_BYTES), 0));
  } finally {
    closeSync(file);
  }
}

/** How many records were written before the mark; they stand in the order of their sequence numbers. */
function countBefore(view: SidecarView, mark: number): number {
  let low = 0;
  let high = view.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (view.sequence(middle) < mark) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The positions of the window's rows as of a mark, ordered by start, then id. */
function selectRows(view: SidecarView, window: PartitionWindow, mark: number): Uint32Array {
  const { from, until } = withinDay(window.day, window.start, window.end);
  const count = countBefore(view, mark);
  const superseded = supersededOf(view, count);
  const selected = new Uint32Array(count);
  let size = 0;
  let isOrdered = true;
  const compare = (left: number, right: number): number =>
    view.start(left) - view.start(right) || view.compareIds(left, right);
  for (let position = 0; position < count; position += 1) {
    if (superseded[position] === 1 || view.length(position) === 0) continue;
    const start = view.start(position);
    if (start < from || start >= until) continue;
    if (isOrdered && size > 0) isOrdered = compare(selected[size - 1] ?? 0, position) < 0;
    selected[size] = position;
    size += 1;
  }
  const rows = selected.subarray(0, size);
  return isOrdered ? rows : rows.sort(compare);
}

/** How many of the ordered rows a cursor (`<start_time> <id>`) has behind it. */
function positionAfter(view: SidecarView, rows: Uint32Array, cursor: string, day: string): number {
  const [start = "", id = ""] = cursor.split(" ");
  if (!start.startsWith(day) || id === "") throw new Error(`not a cursor of ${day}: ${cursor}`);
  const micros = microsecondsOfDay(start);
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const row = rows[middle] ?? 0;
    const isBehind = view.start(row) < micros || (view.start(row) === micros && view.id(row) <= id);
    if (isBehind) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Reads the sidecar and lays down in which order which lines are to be read. */
export function makePlan(place: TracePlace, window: PartitionWindow, cursor: string | null): Plan {
  const located = find(place, window);
  const positions = new Map<string, number>();
  if (located === undefined) {
    return { offsets: new Float64Array(0), lengths: new Uint32Array(0), file: undefined, positions };
  }
  // The data file is opened first: were both replaced in between, the plan would soon be found stale.
  const file = openSync(`${located.path}.ndjson`, "r");
  try {
    const view = readSidecar(located.path, file);
    const rows = selectRows(view, window, Math.min(window.asOf, located.mark));
    if (cursor !== null) positions.set(cursor, positionAfter(view, rows, cursor, window.day));
    return {
      offsets: Float64Array.from(rows, (row) => view.offset(row)),
      lengths: Uint32Array.from(rows, (row) => view.length(row)),
      file,
      positions,
    };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** False when the files of the plan were removed, written anew, or copied into the folder of a fork. */
export function isCurrent(place: TracePlace, window: PartitionWindow, plan: Plan): boolean {
  const located = find(place, window);
  if (plan.file === undefined || located === undefined) return false;
  const there = statSync(`${located.path}.ndjson`, { throwIfNoEntry: false });
  if (there === undefined) return false;
  const held = fstatSync(plan.file);
  return there.ino === held.ino && there.dev === held.dev;
}

export function rememberPosition(plan: Plan, cursor: string, position: number): void {
  if (plan.positions.size >= CURSORS_REMEMBERED) plan.positions.clear();
  plan.positions.set(cursor, position);
}

export function closePlan(plan: Plan): void {
  if (plan.file !== undefined) closeSync(plan.file);
}
