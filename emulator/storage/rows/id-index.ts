import { wordOfId } from "./sidecar.ts";

/**
 * Where the newest version of each row is: open addressing over typed arrays, about 40 bytes a row
 * (a Map of a million ids takes sixteen times that). Rows are never taken out.
 */
export interface IdIndex {
  readonly size: number;
  /** The entry of an id, or -1. */
  find(id: string): number;
  /** The entry of the id that stands in a sidecar record, or -1. */
  findBytes(bytes: Buffer, at: number): number;
  put(id: string, segment: number, position: number): void;
  putBytes(bytes: Buffer, at: number, segment: number, position: number): void;
  segmentOf(entry: number): number;
  positionOf(entry: number): number;
  /** An index that goes its own way from here; what neither of them changes stays in memory once. */
  copy(): IdIndex;
}

const FIRST_SLOTS = 1024;
/** A slot has the hash of an id, so that few others are compared with it, and the number of its entry plus one. */
const SLOT_WORDS = 2;
const MAX_LOAD_FACTOR = 0.65;
const CHUNK_BITS = 14;
const CHUNK_ENTRIES = 1 << CHUNK_BITS;
const ID_WORDS = 4;
const SEGMENT = 4;
const POSITION = 5;
const WORDS = 6;

function hash(key: Uint32Array): number {
  let mixed = 0;
  for (let word = 0; word < ID_WORDS; word += 1) {
    mixed = Math.imul(mixed ^ (key[word] ?? 0), 0x9e3779b1);
    mixed ^= mixed >>> 15;
  }
  mixed = Math.imul(mixed, 0x85ebca77);
  return mixed ^ (mixed >>> 13);
}

/** The ids and places in order of insertion, in chunks, so that growing copies nothing. */
function createEntries(chunks: Uint32Array[] = [], first = 0) {
  /** Chunks that a copy has as well: they are copied before they are changed. */
  const shared = new Set(chunks.keys());
  let size = first;

  function chunkOf(entry: number): Uint32Array {
    return chunks[entry >>> CHUNK_BITS] as Uint32Array;
  }

  function chunkToChange(entry: number): Uint32Array {
    const at = entry >>> CHUNK_BITS;
    if (shared.delete(at)) chunks[at] = chunkOf(entry).slice();
    return chunkOf(entry);
  }

  function wordsAt(entry: number): number {
    return (entry & (CHUNK_ENTRIES - 1)) * WORDS;
  }

  return {
    size: () => size,
    add(key: Uint32Array): number {
      if (chunks.length * CHUNK_ENTRIES === size) chunks.push(new Uint32Array(CHUNK_ENTRIES * WORDS));
      chunkToChange(size).set(key, wordsAt(size));
      size += 1;
      return size - 1;
    },
    has(entry: number, key: Uint32Array): boolean {
      const chunk = chunkOf(entry);
      const at = wordsAt(entry);
      for (let word = 0; word < ID_WORDS; word += 1) if (chunk[at + word] !== key[word]) return false;
      return true;
    },
    word: (entry: number, word: number) => chunkOf(entry)[wordsAt(entry) + word] ?? 0,
    place(entry: number, segment: number, position: number): void {
      const chunk = chunkToChange(entry);
      chunk[wordsAt(entry) + SEGMENT] = segment;
      chunk[wordsAt(entry) + POSITION] = position;
    },
    copy() {
      for (const at of chunks.keys()) shared.add(at);
      return createEntries([...chunks], size);
    },
  };
}

/** An empty index, with room for so many rows. */
export function createIdIndex(rows = 0): IdIndex {
  let slots = FIRST_SLOTS;
  while (rows > slots * MAX_LOAD_FACTOR) slots *= 2;
  return indexOver(createEntries(), new Int32Array(slots * SLOT_WORDS), false);
}

/** Where the slot begins that has an entry of this hash and this id, or else the free one in which it belongs. */
function findSlot(slots: Int32Array, hashed: number, isEntry: (entry: number) => boolean): number {
  const mask = slots.length - 1;
  let at = (hashed * SLOT_WORDS) & mask;
  for (let entry = slots[at + 1]; entry; entry = slots[at + 1]) {
    if (slots[at] === hashed && isEntry(entry - 1)) break;
    at = (at + SLOT_WORDS) & mask;
  }
  return at;
}

/** The same in twice as many slots. */
function grown(slots: Int32Array): Int32Array {
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

function indexOver(entries: ReturnType<typeof createEntries>, first: Int32Array, isCopy: boolean): IdIndex {
  const wanted = new Uint32Array(ID_WORDS);
  let hashOfWanted = 0;
  /** Where its slot begins, once it was looked for. */
  let slotOfWanted = -1;
  let slots = first;
  let isShared = isCopy;
  /** The id whose bytes are wanted. */
  let taken: string | undefined;
  const isWanted = (entry: number) => entries.has(entry, wanted);

  function take(id: string | undefined): void {
    taken = id;
    hashOfWanted = hash(wanted);
    slotOfWanted = -1;
  }

  function takeBytes(bytes: Buffer, at: number): void {
    for (let word = 0; word < ID_WORDS; word += 1) wanted[word] = bytes.readUInt32BE(at + word * 4);
    take(undefined);
  }

  /** The same id is asked for again and again: whether it is there, where, and to change that. */
  function takeText(id: string): void {
    if (id === taken) return;
    for (let word = 0; word < ID_WORDS; word += 1) wanted[word] = wordOfId(id, word);
    take(id);
  }

  function entryOfWanted(): number {
    if (slotOfWanted < 0) slotOfWanted = findSlot(slots, hashOfWanted, isWanted);
    return (slots[slotOfWanted + 1] ?? 0) - 1;
  }

  function addWanted(): number {
    if ((entries.size() + 1) * SLOT_WORDS > slots.length * MAX_LOAD_FACTOR) {
      slots = grown(slots);
      slotOfWanted = -1;
    } else if (isShared) slots = slots.slice();
    isShared = false;
    if (slotOfWanted < 0) slotOfWanted = findSlot(slots, hashOfWanted, isWanted);
    const entry = entries.add(wanted);
    slots[slotOfWanted] = hashOfWanted;
    slots[slotOfWanted + 1] = entry + 1;
    return entry;
  }

  function putWanted(segment: number, position: number): void {
    const known = entryOfWanted();
    entries.place(known < 0 ? addWanted() : known, segment, position);
  }

  return {
    get size() {
      return entries.size();
    },
    find(id) {
      takeText(id);
      return entryOfWanted();
    },
    findBytes(bytes, at) {
      takeBytes(bytes, at);
      return entryOfWanted();
    },
    put(id, segment, position) {
      takeText(id);
      putWanted(segment, position);
    },
    putBytes(bytes, at, segment, position) {
      takeBytes(bytes, at);
      putWanted(segment, position);
    },
    segmentOf: (entry) => entries.word(entry, SEGMENT),
    positionOf: (entry) => entries.word(entry, POSITION),
    copy() {
      isShared = true;
      return indexOver(entries.copy(), slots, true);
    },
  };
}
