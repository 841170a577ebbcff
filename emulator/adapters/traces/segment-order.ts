import { type OpenFiles, readExactly } from "./open-files.ts";
import type { Segment } from "./segment.ts";
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
  readonly size: number;
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

export function createSegmentOrder(files: OpenFiles, segment: Segment): SegmentOrder {
  let capacity = 0;
  let bytes = Buffer.alloc(0);
  let view = viewSidecar(bytes);
  let records = 0;
  let gone = new Uint8Array(0);
  let order = new Uint32Array(0);
  let size = 0;
  const traces = createWordIndex();

  const compare = (left: number, right: number): number =>
    view.start(left) - view.start(right) || view.compareIds(left, right);

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

  function grow(wanted: number): void {
    if (wanted <= capacity) return;
    capacity = Math.max(wanted, capacity * 2, FIRST_RECORDS);
    const larger = Buffer.allocUnsafeSlow(capacity * RECORD_BYTES);
    bytes.copy(larger, 0, 0, records * RECORD_BYTES);
    bytes = larger;
    view = viewSidecar(bytes);
    const more = new Uint8Array(capacity);
    more.set(gone);
    gone = more;
  }

  /** Appended versions that are still the newest, and the ranks of those that they replace. */
  function takeAppended(until: number): { added: number[]; removed: number[] } {
    const added: number[] = [];
    const removed: number[] = [];
    for (let position = records; position < until; position += 1) {
      const previous = view.previous(position);
      if (previous >= 0 && gone[previous] === 0) {
        gone[previous] = 1;
        if (previous < records) removed.push(rankOf(previous));
      }
      traces.add(view.trace(position));
      if (view.length(position) > 0) added.push(position);
    }
    return { added: added.filter((position) => gone[position] === 0), removed };
  }

  function splice(added: number[], removed: number[]): void {
    added.sort(compare);
    removed.sort((left, right) => left - right);
    const ranks = added.map(rankOf);
    const before = order;
    const length = size + added.length - removed.length;
    const first = Math.min(ranks[0] ?? size, removed[0] ?? size);
    if (first < size || length > order.length) {
      order = new Uint32Array(Math.max(length, Math.ceil(order.length * 1.5)));
      order.set(before.subarray(0, first));
    }
    let read = first;
    let write = first;
    const copyUntil = (rank: number): void => {
      if (before !== order) order.set(before.subarray(read, rank), write);
      write += rank - read;
      read = rank;
    };
    for (let add = 0, drop = 0; add < added.length || drop < removed.length; ) {
      const nextAdd = ranks[add] ?? Number.POSITIVE_INFINITY;
      const nextDrop = removed[drop] ?? Number.POSITIVE_INFINITY;
      copyUntil(Math.min(nextAdd, nextDrop));
      if (nextAdd <= nextDrop) {
        order[write] = added[add] ?? 0;
        write += 1;
        add += 1;
      } else {
        read += 1;
        drop += 1;
      }
    }
    copyUntil(size);
    size = length;
  }

  return {
    get records() {
      return records;
    },
    get size() {
      return size;
    },
    get view() {
      return view;
    },
    follow() {
      const until = segment.records;
      if (until === records) return;
      grow(until);
      const tail = bytes.subarray(records * RECORD_BYTES, until * RECORD_BYTES);
      readExactly(files.of(segment.path).index, tail, records * RECORD_BYTES);
      const { added, removed } = takeAppended(until);
      records = until;
      if (added.length + removed.length > 0) splice(added, removed);
    },
    at: (rank) => order[rank] ?? 0,
    rank: (start, id) =>
      search((other) => view.start(other) < start || (view.start(other) === start && view.id(other) < id)),
    ofTrace: (word) =>
      traces
        .of(word)
        .filter((position) => gone[position] === 0 && view.length(position) > 0)
        .sort(compare),
  };
}
