import { firstIndex } from "../../kernel/first-index.ts";
import { type Seek, searchFor } from "../../kernel/text-search.ts";

/** The part of a pattern between two `%`: plain texts, and where they begin in it. Other places are those of a `_`. */
interface PatternPart {
  readonly length: number;
  readonly runs: readonly Run[];
}

interface Run {
  readonly text: string;
  readonly begin: number;
  readonly search: (text: string) => Seek;
}

/** The characters of a text, some of which are two UTF-16 units. */
interface Characters {
  readonly text: string;
  readonly length: number;
  /** Where in the text a character begins. */
  indexOf(character: number): number;
  characterAt(index: number): number;
}

/**
 * Compiles a case-sensitive SQL LIKE pattern: `%` is any text, `_` any one character, a backslash escapes the
 * next character. Each part is searched once, after the previous match, so that matching needs no
 * backtracking.
 */
export function likeTest(pattern: string): (text: string) => boolean {
  const hasAny = pattern.replace(/\\./gs, "").includes("_");
  const parts = patternParts(pattern, (text) => (hasAny ? [...text].length : text.length));
  const [first, ...between] = parts as [PatternPart, ...PatternPart[]];
  const last = between.pop();
  return (text) => {
    const characters = (hasAny && charactersOf(text)) || unitsOf(text);
    if (!last) return characters.length === first.length && isAt(first, characters, 0);
    const end = characters.length - last.length;
    if (end < first.length || !isAt(first, characters, 0) || !isAt(last, characters, end)) return false;
    let at = first.length;
    for (const part of between) {
      at = endAfter(part, characters, at, end);
      if (at < 0) return false;
    }
    return true;
  };
}

function patternParts(pattern: string, length: (text: string) => number): readonly PatternPart[] {
  const parts: PatternPart[] = [];
  let runs: Run[] = [];
  let [begin, plain] = [0, ""];
  const closeRun = () => {
    if (plain !== "") runs.push({ text: plain, begin, search: searchFor(plain) });
    begin += length(plain);
    plain = "";
  };
  const closePart = () => {
    closeRun();
    parts.push({ runs, length: begin });
    [runs, begin] = [[], 0];
  };
  for (const [text] of pattern.matchAll(/\\.|./gsu)) {
    if (text === "%") closePart();
    else if (text === "_") {
      closeRun();
      begin += 1;
    } else plain += text.length > 1 && text[0] === "\\" ? text.slice(1) : text;
  }
  closePart();
  return parts;
}

function isAt({ runs }: PatternPart, { text, indexOf }: Characters, start: number): boolean {
  return runs.every((run) => text.startsWith(run.text, indexOf(start + run.begin)));
}

/**
 * The end of the first match of the part in a range; -1 without a match. A run that does not occur where it has to moves all of
 * them on, so that each is searched for once in the text.
 */
function endAfter({ runs, length }: PatternPart, characters: Characters, from: number, end: number): number {
  const { text, indexOf, characterAt } = characters;
  const seeks = runs.map(({ search }) => search(text));
  let start = from;
  let at = runs.length;
  for (let matches = 0; matches < runs.length && start + length <= end; matches++) {
    // From the last to the first: what did not fit one of them is next to be met by the one before it.
    at = (at || runs.length) - 1;
    const begin = runs[at]?.begin ?? 0;
    const index = indexOf(start + begin);
    const occurrence = seeks[at]?.(index) ?? -1;
    if (occurrence < 0) return -1;
    if (occurrence === index) continue;
    start = characterAt(occurrence) - begin;
    matches = 0;
  }
  return start + length <= end ? start + length : -1;
}

function unitsOf(text: string): Characters {
  return { text, length: text.length, indexOf: (character) => character, characterAt: (index) => index };
}

/** Undefined where every character is one unit. */
function charactersOf(text: string): Characters | undefined {
  // Most texts have none, which this finds out in a small part of the time of the loop.
  if (!/[\ud800-\udbff]/.test(text)) return undefined;
  const pairs: number[] = [];
  for (let at = 0; at < text.length; at++) if ((text.codePointAt(at) as number) > 0xffff) pairs.push(at++);
  if (pairs.length === 0) return undefined;
  return {
    text,
    length: text.length - pairs.length,
    indexOf: (character) =>
      character + firstIndex(pairs.length, (nth) => (pairs[nth] as number) - nth >= character),
    characterAt: (index) => index - firstIndex(pairs.length, (nth) => (pairs[nth] as number) >= index),
  };
}
