import { wordOfId } from "./sidecar.ts";

/**
 * Finds the newest version of each row. Open addressing over typed arrays takes about 40 bytes per row; a Map of a million ids
 * takes sixteen times as much. Rows are never removed.
 */
export interface IdIndex {
  readonly size: number;
  /** The entry of an id, or -1. */
  find(id: string): number;
  /** The entry of the id in a sidecar record, or -1. */
  findBytes(bytes: Buffer, at: number): number;
  set(id: string, segment: number, position: number): void;
  setBytes(bytes: Buffer, at: number, segment: number, position: number): void;
  segmentOf(entry: number): number;
  positionOf(entry: number): number;
  /** An independent copy. Parts that neither of them changes are shared in memory. */
  copy(): IdIndex;
}

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

function hash(key: Uint32Array): number {
  let mixed = 0;
  for (let word = 0; word < ID_WORDS; word += 1) {
    mixed = Math.imul(mixed ^ (key[word] ?? 0), 0x9e3779b1);
    mixed ^= mixed >>> 15;
  }
  mixed = Math.imul(mixed, 0x85ebca77);
  return mixed ^ (mixed >>> 13);
}

/** The ids and positions in order of insertion. They are stored in chunks, so that growth copies nothing. */
function createEntries(chunks: Uint32Array[] = [], first = 0) {
  /** Chunks that are shared with a copy. They are copied before a change. */
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
    setPosition(entry: number, segment: number, position: number): void {
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

/** An empty index with room for this many rows. */
export function createIdIndex(rows = 0): IdIndex {
  let slots = FIRST_SLOTS;
  while (rows > slots * MAX_LOAD_FACTOR) slots *= 2;
  return indexOver(createEntries(), new Int32Array(slots * SLOT_WORDS), false);
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

function indexOver(entries: ReturnType<typeof createEntries>, first: Int32Array, isCopy: boolean): IdIndex {
  /** The id of the current call. */
  const key = new Uint32Array(ID_WORDS);
  let keyHash = 0;
  /** Its slot, or -1 before the search. */
  let keySlot = -1;
  let slots = first;
  let isShared = isCopy;
  /** Its text, if it was given as text. */
  let keyText: string | undefined;
  const isKey = (entry: number) => entries.has(entry, key);

  function setKey(id: string | undefined): void {
    keyText = id;
    keyHash = hash(key);
    keySlot = -1;
  }

  function setKeyBytes(bytes: Buffer, at: number): void {
    for (let word = 0; word < ID_WORDS; word += 1) key[word] = bytes.readUInt32BE(at + word * 4);
    setKey(undefined);
  }

  /** Consecutive calls often use the same id: to find an entry, read its position and change it. */
  function setKeyText(id: string): void {
    if (id === keyText) return;
    for (let word = 0; word < ID_WORDS; word += 1) key[word] = wordOfId(id, word);
    setKey(id);
  }

  function entryOfKey(): number {
    if (keySlot < 0) keySlot = findSlot(slots, keyHash, isKey);
    return (slots[keySlot + 1] ?? 0) - 1;
  }

  function addKey(): number {
    if ((entries.size() + 1) * SLOT_WORDS > slots.length * MAX_LOAD_FACTOR) {
      slots = grow(slots);
      keySlot = -1;
    } else if (isShared) slots = slots.slice();
    isShared = false;
    if (keySlot < 0) keySlot = findSlot(slots, keyHash, isKey);
    const entry = entries.add(key);
    slots[keySlot] = keyHash;
    slots[keySlot + 1] = entry + 1;
    return entry;
  }

  function setKeyPosition(segment: number, position: number): void {
    const entry = entryOfKey();
    entries.setPosition(entry < 0 ? addKey() : entry, segment, position);
  }

  return {
    get size() {
      return entries.size();
    },
    find(id) {
      setKeyText(id);
      return entryOfKey();
    },
    findBytes(bytes, at) {
      setKeyBytes(bytes, at);
      return entryOfKey();
    },
    set(id, segment, position) {
      setKeyText(id);
      setKeyPosition(segment, position);
    },
    setBytes(bytes, at, segment, position) {
      setKeyBytes(bytes, at);
      setKeyPosition(segment, position);
    },
    segmentOf: (entry) => entries.word(entry, SEGMENT),
    positionOf: (entry) => entries.word(entry, POSITION),
    copy() {
      isShared = true;
      return indexOver(entries.copy(), slots, true);
    },
  };
}
