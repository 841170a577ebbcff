import type { Pool } from "../pool/pool.ts";
import { fillRecords, type Segment } from "./segment.ts";
import { RECORD_BYTES, type SidecarView, viewSidecar } from "./sidecar.ts";
import { createWordIndex } from "./word-index.ts";

/**
 * The newest versions of a segment's rows in the order of start, then id, and by trace. It follows the
 * sidecar: what was appended is merged in when the order is next asked for, so that a page costs the same
 * however many rows there are.
 */
export interface SegmentOrder {
  /** Records that it holds in memory. */
  readonly records: number;
  readonly view: SidecarView;
  /** Takes in what was appended to the sidecar. */
  follow(): void;
  /** The record of the nth row. */
  at(rank: number): number;
  /** How many rows come before a start (microseconds of the day) and an id. */
  rank(start: number, id: string): number;
  /** The records of the rows whose trace has this word, in order. */
  ofTrace(word: number): readonly number[];
}

const FIRST_RECORDS = 256;

/** An order that has read nothing yet; `follow` reads the sidecar. */
export function createSegmentOrder(pool: Pool, segment: Segment): SegmentOrder {
  const held = createHeldRecords(pool, segment);
  const traces = createWordIndex();
  let order = new Uint32Array(0);
  let size = 0;

  const compare = (left: number, right: number): number =>
    held.view.start(left) - held.view.start(right) || held.view.compareIds(left, right);

  /** The first rank of which `isBefore` does not hold. */
  function search(isBefore: (position: number) => boolean): number {
    let low = 0;
    let high = size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(order[middle] ?? 0)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  const rankOf = (position: number): number => search((other) => compare(other, position) < 0);

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
    rank: (start, id) =>
      search(
        (other) =>
          held.view.start(other) < start || (held.view.start(other) === start && held.view.id(other) < id),
      ),
    ofTrace: (word) => traces.of(word).filter(held.isNewest).sort(compare),
  };
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
