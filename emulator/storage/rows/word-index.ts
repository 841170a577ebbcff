/** Finds positions 0, 1, 2 … by a word that each was added with; eight to sixteen bytes a position. */
export interface WordIndex {
  /** Gives the next position its word. */
  add(word: number): void;
  of(word: number): number[];
}

const FIRST_SLOTS = 256;
const NONE = -1;

/** Buckets of chains over typed arrays, newest position first. */
export function createWordIndex(): WordIndex {
  let words = new Uint32Array(FIRST_SLOTS);
  let heads = new Int32Array(FIRST_SLOTS).fill(NONE);
  let next = new Int32Array(FIRST_SLOTS);
  let size = 0;

  function link(position: number): void {
    const bucket = (words[position] ?? 0) & (heads.length - 1);
    next[position] = heads[bucket] ?? NONE;
    heads[bucket] = position;
  }

  function grow(): void {
    const slots = words.length * 2;
    const before = words;
    words = new Uint32Array(slots);
    words.set(before);
    heads = new Int32Array(slots).fill(NONE);
    next = new Int32Array(slots);
    for (let position = 0; position < size; position += 1) link(position);
  }

  return {
    add(word) {
      if (size === words.length) grow();
      words[size] = word;
      link(size);
      size += 1;
    },
    of(word) {
      const found: number[] = [];
      for (let at = heads[word & (heads.length - 1)] ?? NONE; at !== NONE; at = next[at] ?? NONE)
        if (words[at] === word) found.push(at);
      return found;
    },
  };
}
