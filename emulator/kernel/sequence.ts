/** An id with its position in the order of first puts. */
export interface OrderedId {
  readonly order: number;
  readonly id: string;
}

/** Ascending; copied before a change by anyone but its owner. */
interface Chunk {
  readonly owner: object;
  readonly items: OrderedId[];
}

const MAX_CHUNK_ITEMS = 256;

/**
 * Ids in the order of their numbers, with direct access to any part;
 * copies share its chunks until one of them writes to a chunk. A class, since a world may have one for each record.
 */
export class Sequence {
  #chunks: Chunk[];
  #size: number;
  #owner: object = this;

  constructor(chunks: Chunk[] = [], size = 0) {
    this.#chunks = chunks;
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  add(entry: OrderedId): void {
    if (this.#size === 0) return this.#begin(entry);
    const chunkIndex = this.#chunkFor(entry.order);
    const chunk = this.#ownChunk(chunkIndex);
    const { items } = chunk;
    const rank = rankIn(items, entry.order);
    this.#size += 1;
    // Most ids are added at the end: a full chunk stays full, and a new one is started.
    if (rank === items.length && rank >= MAX_CHUNK_ITEMS && chunkIndex === this.#chunks.length - 1)
      return void this.#chunks.push({ owner: this.#owner, items: [entry] });
    if (rank === items.length) items.push(entry);
    else items.splice(rank, 0, entry);
    if (items.length > MAX_CHUNK_ITEMS)
      this.#chunks.splice(chunkIndex + 1, 0, { owner: this.#owner, items: items.splice(items.length >>> 1) });
  }

  /** Most groups have one id: arrays that are pushed to would have room for many. */
  #begin(entry: OrderedId): void {
    this.#chunks = [{ owner: this.#owner, items: [entry] }];
    this.#size = 1;
  }

  remove(order: number): void {
    const chunkIndex = this.#chunkFor(order);
    const rank = rankIn(this.#chunks[chunkIndex]?.items ?? [], order);
    if (this.#chunks[chunkIndex]?.items[rank]?.order !== order) return;
    const { items } = this.#ownChunk(chunkIndex);
    items.splice(rank, 1);
    this.#size -= 1;
    if (items.length === 0) this.#chunks.splice(chunkIndex, 1);
  }

  /** The ids from one rank to another, as with `slice` of an array. */
  slice(from: number, to: number): readonly string[] {
    const ids: string[] = [];
    let start = 0;
    for (const { items } of this.#chunks) {
      if (start >= to) break;
      const end = start + items.length;
      if (end > from)
        for (let rank = Math.max(from, start); rank < Math.min(to, end); rank += 1)
          ids.push((items[rank - start] as OrderedId).id);
      start = end;
    }
    return ids;
  }

  /** The first few with a number above this one. */
  after(order: number): readonly OrderedId[] {
    for (let chunkIndex = this.#chunkFor(order); chunkIndex < this.#chunks.length; chunkIndex += 1) {
      const { items } = this.#chunks[chunkIndex] as Chunk;
      const rank = rankIn(items, order + 1);
      if (rank < items.length) return items.slice(rank);
    }
    return [];
  }

  copy(): Sequence {
    // From now on neither copy owns the shared chunks.
    this.#owner = {};
    return new Sequence(this.#chunks.slice(), this.#size);
  }

  #ownChunk(chunkIndex: number): Chunk {
    const chunk = this.#chunks[chunkIndex];
    if (chunk?.owner === this.#owner) return chunk;
    const own = { owner: this.#owner, items: chunk ? [...chunk.items] : [] };
    this.#chunks[chunkIndex] = own;
    return own;
  }

  /** The last chunk that begins at or below a number; the first one when none does. */
  #chunkFor(order: number): number {
    let [low, high] = [0, this.#chunks.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (firstOf(this.#chunks[middle] as Chunk) <= order) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }
}

function firstOf({ items }: Chunk): number {
  return (items[0] as OrderedId).order;
}

/** The index of a number in these items, or where to insert it. */
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
