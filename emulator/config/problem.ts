import { hintFor } from "../kernel/nearest.ts";

/** A problem of a configuration; never contains the value of a secret. */
export interface Problem {
  readonly where: string;
  readonly what: string;
  readonly fix: string;
}

const MAX_QUOTED_LENGTH = 60;

export function problemLine(problem: Problem): string {
  return `${problem.where}: ${problem.what}; ${problem.fix}`;
}

/** A problem of an unknown word: suggests the nearest known word, or where they are listed. */
export function unknownName(
  where: string,
  word: string,
  knownNames: Iterable<string>,
  listedBy: string,
): Problem {
  return {
    where,
    what: `unknown ${listedBy}`,
    fix: hintFor(word, knownNames, "see `emulator start --help`"),
  };
}

/** A value for a message: shortened, on one line. */
export function quoted(value: unknown): string {
  const spelled = JSON.stringify(value) ?? String(value);
  return spelled.length > MAX_QUOTED_LENGTH ? `${spelled.slice(0, MAX_QUOTED_LENGTH)}…` : spelled;
}
