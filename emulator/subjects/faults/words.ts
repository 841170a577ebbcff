import { nearest } from "../../kernel/nearest.ts";
import { Refusal } from "../../kernel/refusal.ts";

/** Longer lists of words are cut to those that share the longest beginning with the unknown word. */
const MAX_LISTED = 15;
/** Longer words are not typing errors, and comparing them would take long. */
const MAX_LENGTH = 100;

/** The refusal of an unknown word, with the known word that was probably meant. */
export function unknownWord(code: string, where: string, input: unknown, words: readonly string[]): Refusal {
  const word = String(input).slice(0, MAX_LENGTH);
  const knownWords =
    words.length <= MAX_LISTED
      ? `Known: ${words.join(", ")}.`
      : `Known: ${likeliest(word, words).slice(0, MAX_LISTED).join(", ")} and others.`;
  if (input === undefined) return new Refusal(422, code, `${where}: is required.`, knownWords);
  if (typeof input !== "string") return new Refusal(422, code, `${where}: must be text.`, knownWords);
  const suggestion = nearest(word, words);
  const message = `${where}: ${JSON.stringify(word)} is unknown.`;
  return new Refusal(
    422,
    code,
    message,
    suggestion === undefined ? knownWords : `Did you mean ${suggestion}? ${knownWords}`,
  );
}

function likeliest(word: string, words: readonly string[]): readonly string[] {
  return words.toSorted((one, other) => sharedBeginning(word, other) - sharedBeginning(word, one));
}

function sharedBeginning(one: string, other: string): number {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
