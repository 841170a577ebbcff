import { nearest } from "../kernel/nearest.ts";

/** Something wrong with a configuration, told in one line; never with the value of a secret. */
export interface Problem {
  readonly where: string;
  readonly what: string;
  readonly fix: string;
}

const MAX_QUOTED_LENGTH = 60;

/** A problem with what to do about it, in one line. */
export function problemLine(problem: Problem): string {
  return `${problem.where}: ${problem.what}; ${problem.fix}`;
}

/** Names the nearest known word, or where the known words are listed. */
export function unknownName(where: string, word: string, known: Iterable<string>, listedBy: string): Problem {
  const meant = nearest(word, known);
  return {
    where,
    what: `unknown ${listedBy}`,
    fix: meant === undefined ? "see `emulator start --help`" : `did you mean ${meant}?`,
  };
}

/** A value as a message may quote it: short and on one line. */
export function quoted(value: unknown): string {
  const spelled = JSON.stringify(value) ?? String(value);
  return spelled.length > MAX_QUOTED_LENGTH ? `${spelled.slice(0, MAX_QUOTED_LENGTH)}…` : spelled;
}
