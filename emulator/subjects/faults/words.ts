import { Refusal } from "../../kernel/refusal.ts";
import { nearest } from "../nearest.ts";

/** So many words are listed whole; of more, the first ones stand for the rest. */
const LISTED = 15;
/** Longer words are no slips of the finger, and comparing them would take long. */
const MAX_LENGTH = 100;

/** Refuses a word that is not known, with the one that was probably meant. */
export function unknownWord(code: string, where: string, given: unknown, words: readonly string[]): Refusal {
  const known =
    words.length <= LISTED
      ? `Known: ${words.join(", ")}.`
      : `Known are ${words.slice(0, LISTED).join(", ")} and others.`;
  if (typeof given !== "string") return new Refusal(422, code, `${where}: must be text.`, known);
  const word = given.slice(0, MAX_LENGTH);
  const meant = nearest(word, words);
  const message = `${where}: ${JSON.stringify(word)} is not known here.`;
  return new Refusal(422, code, message, meant === undefined ? known : `Did you mean ${meant}? ${known}`);
}
