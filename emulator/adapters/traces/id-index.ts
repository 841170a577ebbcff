import { ID_BYTES } from "./sidecar.ts";

/**
 * Where the newest version of each row is: open addressing over typed arrays, about 32 bytes a row
 * (a Map of a million ids takes twenty times that). Rows are never taken out.
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
}

const FIRST_SLOTS = 1024;
const FULLEST = 0.65;
const CHUNK_BITS = 14;
const CHUNK_ENTRIES = 1 << CHUNK_BITS;
const WORDS = 6; // Four of the id, then segment and position.

function hash(key: Uint32Array): number {
  let mixed = 0;
  for (let word = 0; word < 4; word += 1) {
    mixed = Math.imul(mixed ^ (key[word] ?? 0), 0x9e3779b1);
    mixed ^= mixed >>> 15;
  }
  mixed = Math.imul(mixed, 0x85ebca77);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

export function createIdIndex(): IdIndex {
  const scratch = Buffer.alloc(ID_BYTES);
  const key = new Uint32Array(4);
  const chunks: Uint32Array[] = [];
  let slots = new Uint32Array(FIRST_SLOTS);
  let size = 0;

  function chunkOf(entry: number): Uint32Array {
    return chunks[entry >>> CHUNK_BITS] as Uint32Array;
  }

  function wordsAt(entry: number): number {
    return (entry & (CHUNK_ENTRIES - 1)) * WORDS;
  }

  function isAt(entry: number): boolean {
    const chunk = chunkOf(entry);
    const at = wordsAt(entry);
    return (
      chunk[at] === key[0] && chunk[at + 1] === key[1] && chunk[at + 2] === key[2] && chunk[at + 3] === key[3]
    );
  }

  function takeBytes(bytes: Buffer, at: number): void {
    for (let word = 0; word < 4; word += 1) key[word] = bytes.readUInt32BE(at + word * 4);
  }

  function takeText(id: string): void {
    scratch.write(id.replaceAll("-", ""), "hex");
    takeBytes(scratch, 0);
  }

  /** The slot in which the key is, or the free one in which it belongs. */
  function slotOfKey(): number {
    const mask = slots.length - 1;
    let slot = hash(key) & mask;
    for (let taken = slots[slot]; taken; taken = slots[slot]) {
      if (isAt(taken - 1)) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  function grow(): void {
    slots = new Uint32Array(slots.length * 2);
    for (let entry = 0; entry < size; entry += 1) {
      const at = wordsAt(entry);
      key.set(chunkOf(entry).subarray(at, at + 4));
      slots[slotOfKey()] = entry + 1;
    }
  }

  function putKey(segment: number, position: number): void {
    let slot = slotOfKey();
    let entry = (slots[slot] ?? 0) - 1;
    if (entry < 0) {
      if (size + 1 > slots.length * FULLEST) {
        const kept = key.slice();
        grow();
        key.set(kept);
        slot = slotOfKey();
      }
      entry = size;
      size += 1;
      if (chunks.length * CHUNK_ENTRIES < size) chunks.push(new Uint32Array(CHUNK_ENTRIES * WORDS));
      chunkOf(entry).set(key, wordsAt(entry));
      slots[slot] = entry + 1;
    }
    chunkOf(entry)[wordsAt(entry) + 4] = segment;
    chunkOf(entry)[wordsAt(entry) + 5] = position;
  }

  return {
    get size() {
      return size;
    },
    find(id) {
      takeText(id);
      return (slots[slotOfKey()] ?? 0) - 1;
    },
    findBytes(bytes, at) {
      takeBytes(bytes, at);
      return (slots[slotOfKey()] ?? 0) - 1;
    },
    put(id, segment, position) {
      takeText(id);
      putKey(segment, position);
    },
    putBytes(bytes, at, segment, position) {
      takeBytes(bytes, at);
      putKey(segment, position);
    },
    segmentOf: (entry) => chunkOf(entry)[wordsAt(entry) + 4] ?? 0,
    positionOf: (entry) => chunkOf(entry)[wordsAt(entry) + 5] ?? 0,
  };
}
