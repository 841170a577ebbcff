import { wordOfId } from "./sidecar.ts";

const FIRST_SLOTS = 1024;
/** A slot has the hash of an id, so that few ids are compared in full, and the number of its entry plus one. */
const SLOT_WORDS = 2;
const MAX_LOAD_FACTOR = 0.65;
const CHUNK_BITS = 14;
const CHUNK_ENTRIES = 1 << CHUNK_BITS;
const ID_WORDS = 4;
const SEGMENT = 4;
const POSITION = 5;
const WORDS = 6;

/**
 * Finds the newest version of each row. Open addressing over typed arrays takes about 40 bytes per row; a Map of a million ids
 * takes sixteen times as much. Rows are never removed.
 */
export class IdIndex {
  readonly #entries: Entries;
  #slots: Int32Array;
  /** Whether a copy uses the same slots. */
  #isShared: boolean;
  /** The id of the last search, its hash and its slot. */
  readonly #key = new Uint32Array(ID_WORDS);
  #keyHash = 0;
  #keySlot = 0;
  readonly #isKey = (entry: number): boolean => this.#entries.has(entry, this.#key);

  /** An empty index with room for this many rows, or a copy of an index. */
  constructor(rows = 0, original?: IdIndex) {
    this.#entries = original ? original.#entries.copy() : new Entries();
    this.#slots = original ? original.#slots : emptySlots(rows);
    this.#isShared = original !== undefined;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The entry of an id, or -1. */
  find(id: string): number {
    for (let word = 0; word < ID_WORDS; word += 1) this.#key[word] = wordOfId(id, word);
    return this.#search();
  }

  /** The entry of the id in a sidecar record, or -1. */
  findBytes(bytes: Buffer, at: number): number {
    for (let word = 0; word < ID_WORDS; word += 1) this.#key[word] = bytes.readUInt32BE(at + word * 4);
    return this.#search();
  }

  /** Sets the position of the id of the last search. */
  put(segment: number, position: number): void {
    const entry = this.#entryOfKey();
    this.#entries.setPosition(entry < 0 ? this.#addKey() : entry, segment, position);
  }

  segmentOf(entry: number): number {
    return this.#entries.word(entry, SEGMENT);
  }

  positionOf(entry: number): number {
    return this.#entries.word(entry, POSITION);
  }

  /** An independent copy. Parts that neither of them changes are shared in memory. */
  copy(): IdIndex {
    this.#isShared = true;
    return new IdIndex(0, this);
  }

  #search(): number {
    this.#keyHash = hash(this.#key);
    this.#keySlot = findSlot(this.#slots, this.#keyHash, this.#isKey);
    return this.#entryOfKey();
  }

  #entryOfKey(): number {
    return (this.#slots[this.#keySlot + 1] ?? 0) - 1;
  }

  #addKey(): number {
    if ((this.size + 1) * SLOT_WORDS > this.#slots.length * MAX_LOAD_FACTOR) {
      this.#slots = grow(this.#slots);
      this.#keySlot = findSlot(this.#slots, this.#keyHash, this.#isKey);
    } else if (this.#isShared) this.#slots = this.#slots.slice();
    this.#isShared = false;
    const entry = this.#entries.add(this.#key);
    this.#slots[this.#keySlot] = this.#keyHash;
    this.#slots[this.#keySlot + 1] = entry + 1;
    return entry;
  }
}

/** The ids and positions in order of insertion. They are stored in chunks, so that growth copies nothing. */
class Entries {
  size: number;
  readonly #chunks: Uint32Array[];
  /** Chunks that are shared with a copy. They are copied before a change. */
  readonly #shared: Set<number>;

  constructor(chunks: Uint32Array[] = [], size = 0) {
    this.size = size;
    this.#chunks = chunks;
    this.#shared = new Set(chunks.keys());
  }

  add(key: Uint32Array): number {
    const entry = this.size;
    if (this.#chunks.length * CHUNK_ENTRIES === entry)
      this.#chunks.push(new Uint32Array(CHUNK_ENTRIES * WORDS));
    this.#chunkToChange(entry).set(key, wordsAt(entry));
    this.size += 1;
    return entry;
  }

  has(entry: number, key: Uint32Array): boolean {
    const chunk = this.#chunkOf(entry);
    const at = wordsAt(entry);
    for (let word = 0; word < ID_WORDS; word += 1) if (chunk[at + word] !== key[word]) return false;
    return true;
  }

  word(entry: number, word: number): number {
    return this.#chunkOf(entry)[wordsAt(entry) + word] ?? 0;
  }

  setPosition(entry: number, segment: number, position: number): void {
    const chunk = this.#chunkToChange(entry);
    chunk[wordsAt(entry) + SEGMENT] = segment;
    chunk[wordsAt(entry) + POSITION] = position;
  }

  copy(): Entries {
    for (const at of this.#chunks.keys()) this.#shared.add(at);
    return new Entries([...this.#chunks], this.size);
  }

  #chunkOf(entry: number): Uint32Array {
    return this.#chunks[entry >>> CHUNK_BITS] as Uint32Array;
  }

  #chunkToChange(entry: number): Uint32Array {
    const at = entry >>> CHUNK_BITS;
    if (this.#shared.delete(at)) this.#chunks[at] = this.#chunkOf(entry).slice();
    return this.#chunkOf(entry);
  }
}

function wordsAt(entry: number): number {
  return (entry & (CHUNK_ENTRIES - 1)) * WORDS;
}

function hash(key: Uint32Array): number {
  let mixed = 0;
  for (let word = 0; word < ID_WORDS; word += 1) {
    mixed = Math.imul(mixed ^ (key[word] ?? 0), 0x9e3779b1);
    mixed ^= mixed >>> 15;
  }
  mixed = Math.imul(mixed, 0x85ebca77);
  return mixed ^ (mixed >>> 13);
}

function emptySlots(rows: number): Int32Array {
  let slots = FIRST_SLOTS;
  while (rows > slots * MAX_LOAD_FACTOR) slots *= 2;
  return new Int32Array(slots * SLOT_WORDS);
}

/** The slot with this hash and this id, or the free slot for it. */
function findSlot(slots: Int32Array, hashed: number, isEntry: (entry: number) => boolean): number {
  const mask = slots.length - 1;
  let at = (hashed * SLOT_WORDS) & mask;
  for (let entry = slots[at + 1]; entry; entry = slots[at + 1]) {
    if (slots[at] === hashed && isEntry(entry - 1)) break;
    at = (at + SLOT_WORDS) & mask;
  }
  return at;
}

/** Copies the entries into twice as many slots. */
function grow(slots: Int32Array): Int32Array {
  const larger = new Int32Array(2 * slots.length);
  for (let from = 0; from < slots.length; from += SLOT_WORDS) {
    const [hashed = 0, entry = 0] = [slots[from], slots[from + 1]];
    if (entry === 0) continue;
    const at = findSlot(larger, hashed, () => false);
    larger[at] = hashed;
    larger[at + 1] = entry;
  }
  return larger;
}
