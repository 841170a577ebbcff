const FIRST_SLOTS = 256;
const NONE = -1;

/** Finds positions 0, 1, 2 … by the word that each was added with. It takes 8 to 16 bytes per position. */
export type WordIndex = ReturnType<typeof createWordIndex>;

/** Hash chains over typed arrays, newest position first. */
export function createWordIndex() {
  let words = new Uint32Array(FIRST_SLOTS);
  let newest = new Int32Array(FIRST_SLOTS).fill(NONE);
  let next = new Int32Array(FIRST_SLOTS);
  let size = 0;

  function link(position: number): void {
    const bucket = (words[position] ?? 0) & (newest.length - 1);
    next[position] = newest[bucket] ?? NONE;
    newest[bucket] = position;
  }

  function grow(): void {
    const slots = words.length * 2;
    const before = words;
    words = new Uint32Array(slots);
    words.set(before);
    newest = new Int32Array(slots).fill(NONE);
    next = new Int32Array(slots);
    for (let position = 0; position < size; position += 1) link(position);
  }

  return {
    /** Adds the word of the next position. */
    add(word: number): void {
      if (size === words.length) grow();
      words[size] = word;
      link(size);
      size += 1;
    },
    find(word: number): number[] {
      const positions: number[] = [];
      for (let at = newest[word & (newest.length - 1)] ?? NONE; at !== NONE; at = next[at] ?? NONE)
        if (words[at] === word) positions.push(at);
      return positions;
    },
  };
}
