import { firstIndex } from "../../kernel/first-index.ts";
import { lazily } from "../../kernel/lazily.ts";
import type { Pool } from "../pool/pool.ts";
import { fillRecords, type Segment } from "./segment.ts";
import { RECORD_BYTES, type SidecarView, viewSidecar } from "./sidecar.ts";
import { createWordIndex, type WordIndex } from "./word-index.ts";

/**
 * The newest versions of a segment's rows in the order of start, then id, and by trace. Appended records are merged
 * when the order is next used, so the cost of a page does not depend on the number of rows.
 */
export interface SegmentOrder extends Ranks {
  /** Records that it holds in memory. */
  readonly records: number;
  readonly view: SidecarView;
  /** Merges the records that were appended to the sidecar. */
  follow(): void;
  /** The records of the rows whose trace has this word, in order. */
  ofTrace(word: number): readonly number[];
}

/** Records in the order of start, then id. */
export interface Ranks {
  /** The record of the nth row. */
  at(rank: number): number;
  /** The number of rows before a start (microseconds of the day) and an id. */
  rank(start: number, id: string): number;
}

const FIRST_RECORDS = 256;

/** An order that has read nothing yet; `follow` reads the sidecar. */
export function createSegmentOrder(pool: Pool, segment: Segment) {
  const sidecar = createSidecarRecords(pool, segment);
  const traces = createWordIndex();
  let order = new Uint32Array(0);
  let size = 0;

  const compare = (a: number, b: number): number => sidecar.view.compare(a, b);
  const rankOf = (position: number): number => search(order, size, (each) => compare(each, position) < 0);

  return {
    get records() {
      return sidecar.count;
    },
    get view() {
      return sidecar.view;
    },
    follow(): void {
      const first = sidecar.count;
      if (segment.records === first) return;
      const { added, replaced } = sidecar.readAppended();
      for (let position = first; position < sidecar.count; position += 1)
        traces.add(sidecar.view.trace(position));
      added.sort(compare);
      const removed = replaced.map(rankOf).sort((a, b) => a - b);
      if (added.length + removed.length === 0) return;
      order = splice(order, size, added, added.map(rankOf), removed);
      size += added.length - removed.length;
    },
    at: (rank: number): number => order[rank] ?? 0,
    rank: (start: number, id: string): number => rankIn(sidecar.view, order, size, start, id),
    ofTrace: (word: number): readonly number[] => traces.find(word).filter(sidecar.isNewest).sort(compare),
    /** The order of the rows after the first `count` records. It never changes. */
    asOf(count: number): SegmentOrder {
      // The bytes of a record in this view never change; growth replaces the whole buffer.
      const { view } = sidecar;
      return fixedOrder(view, orderBefore(view, order, size, sidecar.count, count), traces);
    },
  };
}

/** An order that no longer follows the sidecar. */
function fixedOrder(view: SidecarView, order: Uint32Array, traces: WordIndex): SegmentOrder {
  const size = order.length;
  const newest = lazily(() => new Set(order));
  return {
    records: size,
    view,
    follow: () => undefined,
    at: (rank) => order[rank] ?? 0,
    rank: (start, id) => rankIn(view, order, size, start, id),
    ofTrace: (word) =>
      traces
        .find(word)
        .filter((position) => newest().has(position))
        .sort(view.compare),
  };
}

/** The order of the first `count` of `records`: without new rows, and with the earlier versions of replaced and moved rows. */
function orderBefore(
  view: SidecarView,
  order: Uint32Array<ArrayBuffer>,
  size: number,
  records: number,
  count: number,
): Uint32Array<ArrayBuffer> {
  const before = (position: number): number => {
    let version = position;
    while (version >= count) version = view.previous(version);
    return version;
  };
  const earlier = new Uint32Array(size);
  const moved: number[] = [];
  let length = 0;
  for (let rank = 0; rank < size; rank += 1) {
    const position = order[rank] ?? 0;
    const was = before(position);
    if (was >= 0 && view.start(was) === view.start(position)) earlier[length++] = was;
    else if (was >= 0) moved.push(was);
  }
  for (let position = count; position < records; position += 1) {
    const was = view.length(position) === 0 ? before(position) : -1;
    if (was >= 0) moved.push(was);
  }
  if (moved.length === 0) return earlier.subarray(0, length);
  moved.sort(view.compare);
  const at = moved.map((row) => search(earlier, length, (each) => view.compare(each, row) < 0));
  return splice(earlier, length, moved, at, []).subarray(0, length + moved.length);
}

function rankIn(view: SidecarView, order: Uint32Array, size: number, start: number, id: string): number {
  const isBefore = (position: number): boolean =>
    view.start(position) < start || (view.start(position) === start && view.id(position) < id);
  return search(order, size, isBefore);
}

/** The number of ranked records before the first one for which `isBefore` is false. */
function search(order: Uint32Array, size: number, isBefore: (position: number) => boolean): number {
  return firstIndex(size, (rank) => !isBefore(order[rank] ?? 0));
}

/** The records of a segment's sidecar in memory. */
function createSidecarRecords(pool: Pool, segment: Segment) {
  let count = 0;
  let bytes = Buffer.alloc(0);
  let view = viewSidecar(bytes);
  /** 1 for each record that a later one replaces. */
  let superseded = new Uint8Array(0);

  function grow(records: number): void {
    if (records <= superseded.length) return;
    const room = Math.max(records, superseded.length * 2, FIRST_RECORDS);
    const larger = Buffer.allocUnsafeSlow(room * RECORD_BYTES);
    bytes.copy(larger, 0, 0, count * RECORD_BYTES);
    bytes = larger;
    view = viewSidecar(bytes);
    const more = new Uint8Array(room);
    more.set(superseded);
    superseded = more;
  }

  const isNewest = (position: number): boolean => superseded[position] === 0 && view.length(position) > 0;

  return {
    get count() {
      return count;
    },
    get view() {
      return view;
    },
    isNewest,
    /** Reads appended records. Returns the newest versions among them, and the earlier versions that they replace. */
    readAppended(): { readonly added: number[]; readonly replaced: readonly number[] } {
      const [first, until] = [count, segment.records];
      grow(until);
      const tail = bytes.subarray(first * RECORD_BYTES, until * RECORD_BYTES);
      fillRecords(pool, segment, tail, first);
      const replacedNumbers: number[] = [];
      for (let position = first; position < until; position += 1) {
        const previous = view.previous(position);
        if (previous >= 0 && previous < first && superseded[previous] === 0) replacedNumbers.push(previous);
        if (previous >= 0) superseded[previous] = 1;
      }
      count = until;
      const added: number[] = [];
      for (let position = first; position < until; position += 1)
        if (isNewest(position)) added.push(position);
      return { added, replaced: replacedNumbers };
    },
  };
}

/**
 * Inserts the records `added`, in order, each before the rank in `at`, and removes the ranks `removed`: in the same array if this only
 * appends and there is room, otherwise in a new one.
 */
function splice(
  before: Uint32Array<ArrayBuffer>,
  size: number,
  added: readonly number[],
  at: readonly number[],
  removed: readonly number[],
): Uint32Array<ArrayBuffer> {
  const length = size + added.length - removed.length;
  const first = Math.min(at[0] ?? size, removed[0] ?? size);
  if (first === size && length <= before.length) {
    before.set(added, size);
    return before;
  }
  const room = length <= before.length ? before.length : Math.ceil(length * 1.5);
  const order = new Uint32Array(room);
  let readRank = 0;
  let writeRank = 0;
  const copyUntil = (rank: number): void => {
    order.set(before.subarray(readRank, rank), writeRank);
    writeRank += rank - readRank;
    readRank = rank;
  };
  for (let add = 0, drop = 0; add < added.length || drop < removed.length; ) {
    const nextAdd = at[add] ?? Number.POSITIVE_INFINITY;
    const nextDrop = removed[drop] ?? Number.POSITIVE_INFINITY;
    copyUntil(Math.min(nextAdd, nextDrop));
    if (nextAdd <= nextDrop) {
      order[writeRank++] = added[add++] ?? 0;
    } else {
      readRank += 1;
      drop += 1;
    }
  }
  copyUntil(size);
  return order;
}
