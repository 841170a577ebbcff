import type { Pool } from "../pool/pool.ts";
import { fillRecords, type Segment } from "./segment.ts";
import { RECORD_BYTES, type SidecarView, viewSidecar } from "./sidecar.ts";
import { createWordIndex, type WordIndex } from "./word-index.ts";

/**
 * The newest versions of a segment's rows in the order of start, then id, and by trace. It follows the
 * sidecar: what was appended is merged in when the order is next asked for, so that a page costs the same
 * however many rows there are.
 */
export interface SegmentOrder extends Ranks {
  /** Records that it holds in memory. */
  readonly records: number;
  readonly view: SidecarView;
  /** Takes in what was appended to the sidecar. */
  follow(): void;
  /** The records of the rows whose trace has this word, in order. */
  ofTrace(word: number): readonly number[];
}

/** The order of what is appended to. */
export interface GrowingOrder extends SegmentOrder {
  /** The order of the rows as they were after so many records; it stays so. */
  asOf(count: number): SegmentOrder;
}

/** Records in the order of start, then id. */
interface Ranks {
  /** The record of the nth row. */
  at(rank: number): number;
  /** How many rows come before a start (microseconds of the day) and an id. */
  rank(start: number, id: string): number;
}

const FIRST_RECORDS = 256;

/** An order that has read nothing yet; `follow` reads the sidecar. */
export function createSegmentOrder(pool: Pool, segment: Segment): GrowingOrder {
  const held = createHeldRecords(pool, segment);
  const traces = createWordIndex();
  let order = new Uint32Array(0);
  let size = 0;

  const compare = (left: number, right: number): number => compareIn(held.view, left, right);
  const rankOf = (position: number): number => search(order, size, (other) => compare(other, position) < 0);

  return {
    get records() {
      return held.count;
    },
    get view() {
      return held.view;
    },
    follow() {
      const known = held.count;
      if (segment.records === known) return;
      const { added, replaced } = held.takeAppended();
      for (let position = known; position < held.count; position += 1) traces.add(held.view.trace(position));
      added.sort(compare);
      const removed = replaced.map(rankOf).sort((left, right) => left - right);
      if (added.length + removed.length === 0) return;
      order = spliced(order, size, { added, at: added.map(rankOf), removed });
      size += added.length - removed.length;
    },
    at: (rank) => order[rank] ?? 0,
    rank: (start, id) => rankIn(held.view, order, size, { start, id }),
    ofTrace: (word) => traces.of(word).filter(held.isNewest).sort(compare),
    asOf(count) {
      // The bytes of a record that is held never change, whatever takes their place when there are more.
      const { view } = held;
      return fixedOrder(view, orderBefore(view, { order, size, records: held.count, count }), traces);
    },
  };
}

/** An order that follows nothing any more. */
function fixedOrder(view: SidecarView, order: Uint32Array, traces: WordIndex): SegmentOrder {
  const size = order.length;
  let newest: Set<number> | undefined;
  return {
    records: size,
    view,
    follow: () => undefined,
    at: (rank) => order[rank] ?? 0,
    rank: (start, id) => rankIn(view, order, size, { start, id }),
    ofTrace(word) {
      newest ??= new Set(order);
      const isNewest = (position: number): boolean => newest?.has(position) === true;
      return traces
        .of(word)
        .filter(isNewest)
        .sort((left, right) => compareIn(view, left, right));
    },
  };
}

interface Held {
  readonly order: Uint32Array<ArrayBuffer>;
  readonly size: number;
  readonly records: number;
  /** How many of the records there were. */
  readonly count: number;
}

/** The order before what was appended since: rows that are new are not in it, and those that were replaced or have left are again. */
function orderBefore(view: SidecarView, { order, size, records, count }: Held): Uint32Array<ArrayBuffer> {
  const before = (position: number): number => {
    let found = position;
    while (found >= count) found = view.previous(found);
    return found;
  };
  const kept = new Uint32Array(size);
  const moved: number[] = [];
  let length = 0;
  for (let rank = 0; rank < size; rank += 1) {
    const position = order[rank] ?? 0;
    const was = before(position);
    if (was >= 0 && view.start(was) === view.start(position)) kept[length++] = was;
    else if (was >= 0) moved.push(was);
  }
  for (let position = count; position < records; position += 1) {
    const was = view.length(position) === 0 ? before(position) : -1;
    if (was >= 0) moved.push(was);
  }
  if (moved.length === 0) return kept.subarray(0, length);
  moved.sort((left, right) => compareIn(view, left, right));
  const at = moved.map((each) => search(kept, length, (other) => compareIn(view, other, each) < 0));
  return spliced(kept, length, { added: moved, at, removed: [] }).subarray(0, length + moved.length);
}

function compareIn(view: SidecarView, left: number, right: number): number {
  return view.start(left) - view.start(right) || view.compareIds(left, right);
}

function rankIn(
  view: SidecarView,
  order: Uint32Array,
  size: number,
  { start, id }: { readonly start: number; readonly id: string },
): number {
  const isBefore = (other: number): boolean =>
    view.start(other) < start || (view.start(other) === start && view.id(other) < id);
  return search(order, size, isBefore);
}

/** The first rank of which `isBefore` does not hold. */
function search(order: Uint32Array, size: number, isBefore: (position: number) => boolean): number {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(order[middle] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The records of a segment's sidecar, in memory. */
function createHeldRecords(pool: Pool, segment: Segment) {
  let count = 0;
  let bytes = Buffer.alloc(0);
  let view = viewSidecar(bytes);
  /** Says of a record whether a later one took its place. */
  let gone = new Uint8Array(0);

  function grow(wanted: number): void {
    if (wanted <= gone.length) return;
    const room = Math.max(wanted, gone.length * 2, FIRST_RECORDS);
    const larger = Buffer.allocUnsafeSlow(room * RECORD_BYTES);
    bytes.copy(larger, 0, 0, count * RECORD_BYTES);
    bytes = larger;
    view = viewSidecar(bytes);
    const more = new Uint8Array(room);
    more.set(gone);
    gone = more;
  }

  const isNewest = (position: number): boolean => gone[position] === 0 && view.length(position) > 0;

  return {
    get count() {
      return count;
    },
    get view() {
      return view;
    },
    isNewest,
    /** Reads on: appended versions that are the newest, and those held before that they replace. */
    takeAppended(): { readonly added: number[]; readonly replaced: readonly number[] } {
      const [first, until] = [count, segment.records];
      grow(until);
      const tail = bytes.subarray(first * RECORD_BYTES, until * RECORD_BYTES);
      fillRecords(pool, segment, tail, first);
      const replaced: number[] = [];
      for (let position = first; position < until; position += 1) {
        const previous = view.previous(position);
        if (previous >= 0 && previous < first && gone[previous] === 0) replaced.push(previous);
        if (previous >= 0) gone[previous] = 1;
      }
      count = until;
      const added: number[] = [];
      for (let position = first; position < until; position += 1)
        if (isNewest(position)) added.push(position);
      return { added, replaced };
    },
  };
}

interface Edits {
  /** In order, each with the rank before which it goes. */
  readonly added: readonly number[];
  readonly at: readonly number[];
  /** Ranks, in order. */
  readonly removed: readonly number[];
}

/** The order after the edits: in the same array when they only append and there is room, else in a new one. */
function spliced(
  before: Uint32Array<ArrayBuffer>,
  size: number,
  { added, at, removed }: Edits,
): Uint32Array<ArrayBuffer> {
  const length = size + added.length - removed.length;
  const first = Math.min(at[0] ?? size, removed[0] ?? size);
  if (first === size && length <= before.length) {
    before.set(added, size);
    return before;
  }
  const room = length <= before.length ? before.length : Math.ceil(length * 1.5);
  const order = new Uint32Array(room);
  let read = 0;
  let write = 0;
  const copyUntil = (rank: number): void => {
    order.set(before.subarray(read, rank), write);
    write += rank - read;
    read = rank;
  };
  for (let add = 0, drop = 0; add < added.length || drop < removed.length; ) {
    const nextAdd = at[add] ?? Number.POSITIVE_INFINITY;
    const nextDrop = removed[drop] ?? Number.POSITIVE_INFINITY;
    copyUntil(Math.min(nextAdd, nextDrop));
    if (nextAdd <= nextDrop) {
      order[write++] = added[add++] ?? 0;
    } else {
      read += 1;
      drop += 1;
    }
  }
  copyUntil(size);
  return order;
}
