/** Random values of a case: the same for the same seed and case, so that failures are reproducible. */
export interface RandomSource {
  uuid(): string;
  /** An integer from 0 to `below` - 1. */
  integer(below: number): number;
  /** Lower-case letters. */
  word(length?: number): string;
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const UUID_BYTES = 16;

/** The seeds are combined: changing one of them changes every value. */
export function createRandom(...seeds: readonly (string | number)[]): RandomSource {
  let state = hash(seeds.join(" "));

  function next(): number {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }

  const integer = (below: number) => next() % below;

  return {
    integer,
    uuid() {
      const bytes = Array.from({ length: UUID_BYTES }, () => integer(256));
      bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
      bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
      const digits = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
      return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
    },
    word: (length = 8) => Array.from({ length }, () => LETTERS[integer(LETTERS.length)]).join(""),
  };
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return value >>> 0;
}
