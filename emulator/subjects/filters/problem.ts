/** Why a text is no filter. */
export interface FilterProblem {
  /** Where the trouble begins: characters of the text before it. */
  readonly position: number;
  readonly message: string;
  /** What to write instead. */
  readonly hint?: string;
}

/** Ends the reading of a text; `parseFilter` turns it into a value. */
export class FilterMistake extends Error {
  readonly problem: FilterProblem;

  constructor(position: number, message: string, hint?: string) {
    super(message);
    this.name = "FilterMistake";
    this.problem = { position, message, ...(hint !== undefined && { hint }) };
  }
}

/** The problem without its hint; the first character is character 1, as editors count columns. */
export function problemText({ position, message }: FilterProblem): string {
  return `at character ${position + 1}: ${message}`;
}

/** A piece of the text for a message, cut short. */
export function shown(text: string, longest = 40): string {
  return JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text);
}
