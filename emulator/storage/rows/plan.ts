import { closeSync } from "node:fs";
import type { PartitionWindow } from "../../subjects/traces/port.ts";
import type { Seal } from "../checksum.ts";
import { freeMemory } from "../free-memory.ts";
import { openStored, readExactly } from "../pool/open-files.ts";
import { type PoolNames, poolNames } from "../pool/pool.ts";
import { firstRank } from "./first-rank.ts";
import { microsecondsOfDay, withinDay } from "./instants.ts";
import { DATA, type Extent, INDEX } from "./segment.ts";
import { checkRecords, RECORD_BYTES, type SidecarView, supersededOf, viewSidecar } from "./sidecar.ts";

/** The files with the rows of one partition, for a reader without access to their world. The parts that count never change. */
export interface PartitionSource {
  /** Identifies the world. */
  readonly world: string;
  /** The data folder, and its id. */
  readonly root: string;
  readonly id: string;
  readonly rowFiles: readonly Extent[];
}

/** An open data file. */
export interface PlannedFile {
  readonly file: number;
  readonly path: string;
  readonly seal: Seal;
  /** Its offset in the segment. */
  readonly firstByte: number;
}

/** The lines of the rows of a window in the data of the segment, in the order of export. */
export interface Plan {
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
  /** In the order of their data. */
  readonly files: readonly PlannedFile[];
  /** The number of rows up to a cursor. */
  readonly positions: Map<string, number>;
}

const MAX_CURSORS = 1024;

/** Reads the records of a file. Throws a `StoreError` when they are damaged. */
function readSidecar(pool: PoolNames, { file, records }: Extent): Buffer {
  const path = pool.path(file + INDEX);
  const index = openStored(path);
  try {
    const bytes = readExactly(index, Buffer.allocUnsafeSlow(records * RECORD_BYTES), 0, path);
    checkRecords(bytes, path, pool.sealOf(file + INDEX), 0);
    return bytes;
  } finally {
    closeSync(index);
  }
}

/** Reads the sidecars of a segment's files as one. */
function readSidecars(pool: PoolNames, rowFiles: readonly Extent[]): SidecarView {
  const sidecars = rowFiles.map((rowFile) => readSidecar(pool, rowFile));
  const [only, another] = sidecars;
  if (only !== undefined && another === undefined) return viewSidecar(only);
  const joined = Buffer.concat(sidecars);
  for (const sidecar of sidecars) freeMemory(sidecar);
  return viewSidecar(joined);
}

/** The positions of the window's rows as of a mark, in the order of start, then id. */
function selectRows(view: SidecarView, window: PartitionWindow, mark: number): Uint32Array {
  const { from, until } = withinDay(window.day, window.start, window.end);
  // Records are in the order of their sequence numbers.
  const count = firstRank(0, view.count, (at) => view.sequence(at) < mark);
  const superseded = supersededOf(view, count);
  const selected = new Uint32Array(count);
  let size = 0;
  let isOrdered = true;
  for (let position = 0; position < count; position += 1) {
    if (superseded[position] === 1 || view.length(position) === 0) continue;
    const start = view.start(position);
    if (start < from || start >= until) continue;
    if (isOrdered && size > 0) isOrdered = view.compare(selected[size - 1] ?? 0, position) < 0;
    selected[size] = position;
    size += 1;
  }
  const rows = selected.subarray(0, size);
  return isOrdered ? rows : sortByStart(view, rows);
}

/** Enough for any segment: records of so many positions would need 7 GB of memory. */
const POSITION_BITS = 27;

/**
 * Sorts positions by start, then id. The starts are sorted as numbers, each with its position in the low bits: a sort that calls
 * a function for each comparison takes several times as long, and needs a copy of all.
 */
function sortByStart(view: SidecarView, rows: Uint32Array): Uint32Array {
  const keys = new BigUint64Array(rows.length);
  const words = new Uint32Array(keys.buffer);
  rows.forEach((row, n) => {
    const start = view.start(row);
    words[2 * n] = (start << POSITION_BITS) | row;
    words[2 * n + 1] = start / 2 ** (32 - POSITION_BITS);
  });
  keys.sort();
  let begin = 0;
  rows.forEach((_, n) => {
    rows[n] = (words[2 * n] ?? 0) % 2 ** POSITION_BITS;
    if (view.start(rows[n] ?? 0) === view.start(rows[begin] ?? 0)) return;
    if (n - begin > 1) rows.subarray(begin, n).sort(view.compare);
    begin = n;
  });
  rows.subarray(begin).sort(view.compare);
  freeMemory(words);
  return rows;
}

/** The number of ordered rows up to a cursor (`<start_time> <id>`). */
function positionAfter(view: SidecarView, rows: Uint32Array, cursor: string, day: string): number {
  const [start = "", id = ""] = cursor.split(" ");
  if (!start.startsWith(day) || id === "") throw new Error(`${cursor} is not a cursor of ${day}.`);
  const micros = microsecondsOfDay(start);
  return firstRank(0, rows.length, (at) => {
    const row = rows[at] ?? 0;
    return view.start(row) < micros || (view.start(row) === micros && view.id(row) <= id);
  });
}

/** Reads the sidecars, and plans which lines to read in which order. */
export function makePlan(
  { root, id, rowFiles }: PartitionSource,
  window: PartitionWindow,
  cursor: string | null,
): Plan {
  const pool = poolNames(root, id);
  const positions = new Map<string, number>();
  const files: PlannedFile[] = [];
  try {
    const view = readSidecars(pool, rowFiles);
    for (const { file, firstByte } of rowFiles) {
      const path = pool.path(file + DATA);
      files.push({ file: openStored(path), path, seal: pool.sealOf(file + DATA), firstByte });
    }
    const rows = selectRows(view, window, window.asOf);
    if (cursor !== null) positions.set(cursor, positionAfter(view, rows, cursor, window.day));
    // `from` would first make a list of the rows.
    const offsets = new Float64Array(rows.length);
    const lengths = new Uint32Array(rows.length);
    rows.forEach((row, n) => {
      offsets[n] = view.offset(row);
      lengths[n] = view.length(row);
    });
    // 56 MB for a million rows
    freeMemory(view.bytes);
    return { offsets, lengths, files, positions };
  } catch (error) {
    closeFiles(files);
    throw error;
  }
}

/** Lets the next file begin at this cursor without a search. */
export function rememberPosition(plan: Plan, cursor: string, position: number): void {
  if (plan.positions.size >= MAX_CURSORS) plan.positions.clear();
  plan.positions.set(cursor, position);
}

/** Closes the files of a plan, which must no longer be read. */
export function closePlan(plan: Plan): void {
  closeFiles(plan.files);
}

function closeFiles(files: readonly PlannedFile[]): void {
  for (const { file } of files) closeSync(file);
}
