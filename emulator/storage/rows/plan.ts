import { closeSync, fstatSync, openSync, statSync } from "node:fs";
import type { PartitionWindow } from "../../subjects/traces/port.ts";
import { microsecondsOfDay, withinDay } from "./instants.ts";
import { type LocatedPiece, locate, type TraceLocation } from "./layers.ts";
import { readExactly, sizeOf } from "./open-files.ts";
import { recordsBefore } from "./segment.ts";
import { RECORD_BYTES, type SidecarView, supersededOf, viewSidecar } from "./sidecar.ts";

/** A data file, held open: its identity tells whether the segment is still the one that was planned. */
export interface PlannedFile {
  readonly file: number;
  /** Where in the segment it begins. */
  readonly firstByte: number;
}

/** The rows of a window in the order of export: where each line is in the data of the segment. */
export interface Plan {
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
  /** In the order of their data. */
  readonly files: readonly PlannedFile[];
  /** How many rows the reader of the plan has looked at when it stood at a cursor. */
  readonly positions: Map<string, number>;
}

const CURSORS_REMEMBERED = 1024;

function find(location: TraceLocation, window: PartitionWindow): readonly LocatedPiece[] {
  return locate(location, window, window.sessionId, window.day);
}

/** What counts of a piece: its records, and where in the segment its data ends. */
function readPiece({ path, mark }: LocatedPiece, { file, firstByte }: PlannedFile) {
  const index = openSync(`${path}.index`, "r");
  try {
    const { count, end } = recordsBefore(index, sizeOf(file), firstByte, mark);
    return { records: readExactly(index, Buffer.allocUnsafeSlow(count * RECORD_BYTES), 0), end };
  } finally {
    closeSync(index);
  }
}

/** Reads the sidecars of a segment's pieces as one, and opens their data files. */
function readPieces(pieces: readonly LocatedPiece[], files: PlannedFile[]): SidecarView {
  const sidecars: Buffer[] = [];
  let firstByte = 0;
  for (const piece of pieces) {
    // The data file is opened first: were both replaced in between, the plan would soon be found stale.
    const planned = { file: openSync(`${piece.path}.ndjson`, "r"), firstByte };
    files.push(planned);
    const { records, end } = readPiece(piece, planned);
    sidecars.push(records);
    firstByte = end;
  }
  const [only, another] = sidecars;
  return viewSidecar(only !== undefined && another === undefined ? only : Buffer.concat(sidecars));
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

/** Reads the sidecars and lays down in which order which lines are to be read. */
export function makePlan(location: TraceLocation, window: PartitionWindow, cursor: string | null): Plan {
  const positions = new Map<string, number>();
  const files: PlannedFile[] = [];
  try {
    const view = readPieces(find(location, window), files);
    const rows = selectRows(view, window, window.asOf);
    if (cursor !== null) positions.set(cursor, positionAfter(view, rows, cursor, window.day));
    return {
      offsets: Float64Array.from(rows, (row) => view.offset(row)),
      lengths: Uint32Array.from(rows, (row) => view.length(row)),
      files,
      positions,
    };
  } catch (error) {
    closeFiles(files);
    throw error;
  }
}

/** False when files of the plan were removed or written anew, and when others have come to it. */
export function isCurrent(location: TraceLocation, window: PartitionWindow, { files }: Plan): boolean {
  const pieces = find(location, window);
  if (files.length === 0 || pieces.length !== files.length) return false;
  return files.every(({ file }, at) => {
    const there = statSync(`${pieces[at]?.path}.ndjson`, { throwIfNoEntry: false });
    const held = fstatSync(file);
    return there?.ino === held.ino && there.dev === held.dev;
  });
}

/** Lets the next file begin where this one ended, without a search. */
export function rememberPosition(plan: Plan, cursor: string, position: number): void {
  if (plan.positions.size >= CURSORS_REMEMBERED) plan.positions.clear();
  plan.positions.set(cursor, position);
}

/** The plan may not be read any more. */
export function closePlan(plan: Plan): void {
  closeFiles(plan.files);
}

function closeFiles(files: readonly PlannedFile[]): void {
  for (const { file } of files) closeSync(file);
}
