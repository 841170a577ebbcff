import { nearest } from "../../kernel/nearest.ts";
import { Refusal } from "../../kernel/refusal.ts";

/** So many words are listed whole; of more, those that begin most like the one given stand for the rest. */
const LISTED = 15;
/** Longer words are no slips of the finger, and comparing them would take long. */
const MAX_LENGTH = 100;

/** Refuses a word that is not known, with the one that was probably meant. */
export function unknownWord(code: string, where: string, input: unknown, words: readonly string[]): Refusal {
  const word = String(input).slice(0, MAX_LENGTH);
  const known =
    words.length <= LISTED
      ? `Known: ${words.join(", ")}.`
      : `Known are ${likeliest(word, words).slice(0, LISTED).join(", ")} and others.`;
  if (typeof input !== "string") return new Refusal(422, code, `${where}: must be text.`, known);
  const suggestion = nearest(word, words);
  const message = `${where}: ${JSON.stringify(word)} is not known here.`;
  return new Refusal(
    422,
    code,
    message,
    suggestion === undefined ? known : `Did you mean ${suggestion}? ${known}`,
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
