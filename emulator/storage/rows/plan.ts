import { closeSync } from "node:fs";
import { firstIndex } from "../../kernel/first-index.ts";
import { lazily } from "../../kernel/lazily.ts";
import type { PartitionWindow } from "../../subjects/traces/port.ts";
import type { Seal } from "../checksum.ts";
import { freeMemory } from "../free-memory.ts";
import { openStored, readExactly } from "../pool/open-files.ts";
import { poolNames } from "../pool/pool.ts";
import { microsecondsOfDay, withinDay } from "./instants.ts";
import { DATA, type Extent, INDEX } from "./segment.ts";
import { checkRecords, ID_BYTES, RECORD_BYTES, type SidecarView, viewSidecar } from "./sidecar.ts";

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
const RECORDS_AT_A_TIME = 16_384;

/** Calls back with blocks of the records of a segment, and the position of the first of each. Throws a `StoreError` when they are damaged. */
function forEachBlock(source: PartitionSource, use: (view: SidecarView, first: number) => void): void {
  const block = Buffer.allocUnsafe(Math.min(RECORDS_AT_A_TIME, countRecords(source)) * RECORD_BYTES);
  const pool = poolNames(source.root, source.id);
  let firstOfFile = 0;
  for (const { file, records } of source.rowFiles) {
    const path = pool.path(file + INDEX);
    const seal = pool.sealOf(file + INDEX);
    const index = openStored(path);
    try {
      for (let at = 0; at < records; at += RECORDS_AT_A_TIME) {
        const bytes = block.subarray(0, (records - at) * RECORD_BYTES);
        checkRecords(readExactly(index, bytes, at * RECORD_BYTES, path), path, seal, at);
        use(viewSidecar(bytes), firstOfFile + at);
      }
    } finally {
      closeSync(index);
    }
    firstOfFile += records;
  }
}

function countRecords({ rowFiles }: PartitionSource): number {
  return rowFiles.reduce((sum, { records }) => sum + records, 0);
}

/** Enough for any segment: the index of so many rows would have 7 GB. */
const POSITION_BITS = 27;
/** Larger than the high word of any start. */
const NOT_SELECTED = 0xffffffff;

type SelectedRecords = ReturnType<typeof selectRecords>;

/**
 * Selects the rows of a window as of its mark: the lines of all records by position, and the selected records in the order of start. The starts are sorted as numbers, each with its position in the low bits: a sort that
 * calls a function for each comparison takes several times as long, and needs a copy of all. The index of a million rows has 56 MB,
 * so it is not kept in memory.
 */
function selectRecords(source: PartitionSource, window: PartitionWindow) {
  const { from, until } = withinDay(window.day, window.start, window.end);
  const records = countRecords(source);
  const offsets = new Float64Array(records);
  const lengths = new Uint32Array(records);
  const keys = new BigUint64Array(records);
  const words = new Uint32Array(keys.buffer).fill(NOT_SELECTED);
  forEachBlock(source, (view, first) => {
    for (let at = 0; at < view.count && view.sequence(at) < window.asOf; at += 1) {
      const position = first + at;
      const start = view.start(at);
      offsets[position] = view.offset(at);
      lengths[position] = view.length(at);
      if (view.previous(at) >= 0) words[2 * view.previous(at) + 1] = NOT_SELECTED;
      if (view.length(at) === 0 || start < from || start >= until) continue;
      words[2 * position] = (start << POSITION_BITS) | position;
      words[2 * position + 1] = start / 2 ** (32 - POSITION_BITS);
    }
  });
  keys.sort();
  return {
    offsets,
    lengths,
    count: firstIndex(records, (n) => words[2 * n + 1] === NOT_SELECTED),
    /** The position and the start of the nth selected record. */
    positionAt: (n: number): number => (words[2 * n] ?? 0) % 2 ** POSITION_BITS,
    startAt: (n: number): number =>
      (words[2 * n + 1] ?? 0) * 2 ** (32 - POSITION_BITS) + ((words[2 * n] ?? 0) >>> POSITION_BITS),
    free: (): void => [offsets, lengths, words].forEach(freeMemory),
  };
}

/** The ids of the records of a segment, by position. */
function readIds(source: PartitionSource): Buffer {
  const ids = Buffer.allocUnsafeSlow(countRecords(source) * ID_BYTES);
  forEachBlock(source, ({ bytes, count }, first) => {
    for (let at = 0; at < count; at += 1) {
      const begin = at * RECORD_BYTES;
      bytes.copy(ids, (first + at) * ID_BYTES, begin, begin + ID_BYTES);
    }
  });
  return ids;
}

/** The positions of the selected records in the order of start, then id. */
function sortByStart(
  { count, positionAt, startAt }: SelectedRecords,
  compareIds: (position: number, other: number) => number,
): Uint32Array {
  const rows = new Uint32Array(count);
  let begin = 0;
  for (let n = 0; n < count; n += 1) {
    rows[n] = positionAt(n);
    if (startAt(n) === startAt(begin)) continue;
    if (n - begin > 1) rows.subarray(begin, n).sort(compareIds);
    begin = n;
  }
  rows.subarray(begin).sort(compareIds);
  return rows;
}

/** The number of ordered rows up to a cursor (`<start_time> <id>`). */
function positionAfter(
  { startAt }: SelectedRecords,
  rows: Uint32Array,
  ids: () => Buffer,
  { cursor, day }: { readonly cursor: string; readonly day: string },
): number {
  const [start = "", id = ""] = cursor.split(" ");
  if (!start.startsWith(day) || id === "") throw new Error(`${cursor} is not a cursor of ${day}.`);
  const micros = microsecondsOfDay(start);
  const idBytes = Buffer.from(id.replaceAll("-", ""), "hex");
  return firstIndex(rows.length, (n) => {
    const at = (rows[n] ?? 0) * ID_BYTES;
    if (startAt(n) !== micros) return startAt(n) > micros;
    return ids().compare(idBytes, 0, ID_BYTES, at, at + ID_BYTES) > 0;
  });
}

/** Reads the sidecars, and plans which lines to read in which order. */
export function makePlan(source: PartitionSource, window: PartitionWindow, cursor: string | null): Plan {
  const pool = poolNames(source.root, source.id);
  const positions = new Map<string, number>();
  const files: PlannedFile[] = [];
  try {
    const selected = selectRecords(source, window);
    for (const { file, firstByte } of source.rowFiles) {
      const path = pool.path(file + DATA);
      files.push({ file: openStored(path), path, seal: pool.sealOf(file + DATA), firstByte });
    }
    // Most starts have one row.
    const ids = lazily(() => readIds(source));
    const rows = sortByStart(selected, (a, b) => {
      const [at, other] = [a * ID_BYTES, b * ID_BYTES];
      return ids().compare(ids(), other, other + ID_BYTES, at, at + ID_BYTES);
    });
    if (cursor !== null)
      positions.set(cursor, positionAfter(selected, rows, ids, { cursor, day: window.day }));
    // `from` would first make a list of the rows.
    const offsets = new Float64Array(rows.length);
    const lengths = new Uint32Array(rows.length);
    rows.forEach((row, n) => {
      offsets[n] = selected.offsets[row] ?? 0;
      lengths[n] = selected.lengths[row] ?? 0;
    });
    selected.free();
    return { offsets, lengths, files, positions };
  } catch (error) {
    closePlan({ files });
    throw error;
  }
}

/** Lets the next file begin at this cursor without a search. */
export function rememberPosition(plan: Plan, cursor: string, position: number): void {
  if (plan.positions.size >= MAX_CURSORS) plan.positions.clear();
  plan.positions.set(cursor, position);
}

/** Closes the files of a plan, which must no longer be read. */
export function closePlan({ files }: Pick<Plan, "files">): void {
  for (const { file } of files) closeSync(file);
}
