import { closeSync, openSync } from "node:fs";
import type { PartitionWindow } from "../../subjects/traces/port.ts";
import { readExactly } from "../pool/open-files.ts";
import { microsecondsOfDay, withinDay } from "./instants.ts";
import { DATA, INDEX } from "./segment.ts";
import { checkRecords, RECORD_BYTES, type SidecarView, supersededOf, viewSidecar } from "./sidecar.ts";

/** A file of a partition as a reader finds it, without its world: what counts of it never changes. */
export interface LocatedFile {
  /** Without the ending of either file. */
  readonly path: string;
  /** Where in the segment its data begins. */
  readonly firstByte: number;
  /** How many records of its sidecar count, and how many bytes of its data. */
  readonly records: number;
  readonly bytes: number;
}

/** A data file that is held open. */
export interface PlannedFile {
  readonly file: number;
  readonly path: string;
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

/** The records of a file; throws a `StoreError` when they are not as they were written. */
export function readSidecar({ path, records }: LocatedFile): Buffer {
  const index = openSync(path + INDEX, "r");
  try {
    const bytes = readExactly(index, Buffer.allocUnsafeSlow(records * RECORD_BYTES), 0);
    checkRecords(bytes, path + INDEX, 0);
    return bytes;
  } finally {
    closeSync(index);
  }
}

/** Reads the sidecars of a segment's files as one. */
function readSidecars(rowFiles: readonly LocatedFile[]): SidecarView {
  const sidecars = rowFiles.map(readSidecar);
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
export function makePlan(
  rowFiles: readonly LocatedFile[],
  window: PartitionWindow,
  cursor: string | null,
): Plan {
  const positions = new Map<string, number>();
  const files: PlannedFile[] = [];
  try {
    const view = readSidecars(rowFiles);
    for (const { path, firstByte } of rowFiles)
      files.push({ file: openSync(path + DATA, "r"), path: path + DATA, firstByte });
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
