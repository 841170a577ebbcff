import { Refusal } from "../../kernel/refusal.ts";

const LISTED = 12;

/** Refuses a word that is not known, with the one that was probably meant. */
export function unknownWord(code: string, where: string, given: unknown, words: readonly string[]): Refusal {
  const said = typeof given === "string" ? JSON.stringify(given.slice(0, 100)) : typeof given;
  const meant = typeof given === "string" ? likest(given, words) : undefined;
  const all = words.length <= LISTED ? `: ${words.join(", ")}` : "";
  const hint = meant === undefined ? `Known${all || ` are, for example, ${words.slice(0, LISTED).join(", ")}`}.` : `Did you mean ${meant}?`;
  return new Refusal(422, code, `${where}: ${said} is not known here${meant === undefined ? "" : all}.`, hint);
}

/** The word that shares the most pairs of neighbouring letters; undefined when none shares many. */
function likest(given: string, words: readonly string[]): string | undefined {
  const wanted = pairsOf(given);
  let best: { readonly word: string; readonly likeness: number } | undefined;
  for (const word of words) {
    const pairs = pairsOf(word);
    const shared = [...wanted].filter((pair) => pairs.has(pair)).length;
    const likeness = (2 * shared) / (wanted.size + pairs.size);
    if (likeness > (best?.likeness ?? 0)) best = { word, likeness };
  }
  return best !== undefined && best.likeness >= 0.4 ? best.word : undefined;
}

/** With the edges of the word as letters, so that short words have pairs as well. */
function pairsOf(word: string): ReadonlySet<string> {
  const text = `^${word.slice(0, 200).toLowerCase()}$`;
  return new Set(Array.from({ length: text.length - 1 }, (_, at) => text.slice(at, at + 2)));
}
