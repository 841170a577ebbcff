/** Finds the first occurrence at or after a place, -1 without one; the places of successive calls must not decrease. */
export type Seek = (from: number) => number;

/** The search of the engine is linear for texts up to this length. For longer ones it may take the product of both lengths. */
const MAX_NATIVE_LENGTH = 250;

/** Prepares the search for a text: its time is linear in the text that is searched (Knuth, Morris and Pratt). */
export function searchFor(needle: string): (text: string) => Seek {
  if (needle.length <= MAX_NATIVE_LENGTH) return (text) => (from) => text.indexOf(needle, from);
  const borders = bordersOf(needle);
  return (text) => {
    let at = 0;
    // So many characters before `at` are the beginning of the needle.
    let matched = 0;
    return (from) => {
      while (matched > 0 && at - matched < from) matched = borders[matched] as number;
      if (matched === 0) at = Math.max(at, from);
      for (; matched < needle.length; at++) {
        if (at >= text.length) return -1;
        matched = extended(needle, borders, matched, text.charCodeAt(at));
      }
      return at - matched;
    };
  };
}

/** Prepares a test of whether texts contain this one. */
export function containing(needle: string): (text: string) => boolean {
  const search = searchFor(needle);
  return (text) => search(text)(0) >= 0;
}

/** For each length of a beginning of the text, the length of the longest shorter beginning that it ends with. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length + 1);
  for (let at = 1; at < text.length; at++)
    borders[at + 1] = extended(text, borders, borders[at] as number, text.charCodeAt(at));
  return borders;
}

function extended(needle: string, borders: Int32Array, matched: number, unit: number): number {
  let length = matched;
  while (length > 0 && needle.charCodeAt(length) !== unit) length = borders[length] as number;
  return needle.charCodeAt(length) === unit ? length + 1 : 0;
}
