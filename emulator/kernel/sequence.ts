/** An id with its place in the order of first puts. */
export interface OrderedId {
  readonly order: number;
  readonly id: string;
}

/**
 * Ids in the order of their numbers, with direct access to any part;
 * copies share its pieces until one of them writes to a piece.
 */
export interface Sequence {
  readonly size: number;
  add(entry: OrderedId): void;
  remove(order: number): void;
  /** Those from one rank to another, as an array has them. */
  slice(from: number, to: number): readonly string[];
  /** The first few with a number above this one. */
  after(order: number): readonly OrderedId[];
  copy(): Sequence;
}

/** Ascending; copied before a change by anyone but its owner. */
interface Chunk {
  readonly owner: object;
  readonly items: OrderedId[];
}

const CHUNK_ITEMS = 256;

/** An empty sequence. */
export function createSequence(): Sequence {
  return sequenceOn([], 0);
}

function sequenceOn(chunks: Chunk[], initialSize: number): Sequence {
  let size = initialSize;
  let owner = {};

  function ownChunk(place: number): Chunk {
    const found = chunks[place];
    if (found?.owner === owner) return found;
    const own = { owner, items: found ? [...found.items] : [] };
    chunks[place] = own;
    return own;
  }

  /** The last chunk that begins at or below a number; the first one when none does. */
  function chunkFor(order: number): number {
    let [low, high] = [0, chunks.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (firstOf(chunks[middle] as Chunk) <= order) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }

  function split(place: number, { items }: Chunk): void {
    chunks.splice(place + 1, 0, { owner, items: items.splice(items.length >>> 1) });
  }

  return {
    get size() {
      return size;
    },
    add(entry) {
      const place = chunkFor(entry.order);
      const chunk = ownChunk(place);
      const { items } = chunk;
      const rank = rankIn(items, entry.order);
      size += 1;
      // Most ids come at the end: a full chunk is left full, and a new one begun.
      if (rank === items.length && rank >= CHUNK_ITEMS && place === chunks.length - 1)
        return void chunks.push({ owner, items: [entry] });
      items.splice(rank, 0, entry);
      if (items.length > CHUNK_ITEMS) split(place, chunk);
    },
    remove(order) {
      const place = chunkFor(order);
      const rank = rankIn(chunks[place]?.items ?? [], order);
      if (chunks[place]?.items[rank]?.order !== order) return;
      const { items } = ownChunk(place);
      items.splice(rank, 1);
      size -= 1;
      if (items.length === 0) chunks.splice(place, 1);
    },
    slice(from, to) {
      const found: string[] = [];
      let start = 0;
      for (const { items } of chunks) {
        if (start >= to) break;
        const end = start + items.length;
        if (end > from)
          for (let rank = Math.max(from, start); rank < Math.min(to, end); rank += 1)
            found.push((items[rank - start] as OrderedId).id);
        start = end;
      }
      return found;
    },
    after(order) {
      for (let place = chunkFor(order); place < chunks.length; place += 1) {
        const { items } = chunks[place] as Chunk;
        const rank = rankIn(items, order + 1);
        if (rank < items.length) return items.slice(rank);
      }
      return [];
    },
    copy() {
      // From here on neither side owns what both of them hold.
      owner = {};
      return sequenceOn(chunks.slice(), size);
    },
  };
}

function firstOf({ items }: Chunk): number {
  return (items[0] as OrderedId).order;
}

/** Where a number stands among these, or would stand. */
function rankIn(items: readonly OrderedId[], order: number): number {
  let [low, high] = [0, items.length];
  if (high > 0 && (items[high - 1] as OrderedId).order < order) return high;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items[middle] as OrderedId).order < order) low = middle + 1;
    else high = middle;
  }
  return low;
}
