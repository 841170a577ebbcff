/** A parse error of a filter. */
export interface FilterProblem {
  /** Offset of the error in characters. */
  readonly position: number;
  readonly message: string;
  /** What to write instead. */
  readonly hint?: string;
}

/** Thrown within the parser; `parseFilter` returns it as a problem. */
export class FilterMistake extends Error {
  readonly problem: FilterProblem;

  constructor(position: number, message: string, hint?: string) {
    super(message);
    this.name = "FilterMistake";
    this.problem = { position, message, ...(hint !== undefined && { hint }) };
  }
}

/** Formats a problem without its hint; positions are 1-based like editor columns. */
export function problemText({ position, message }: FilterProblem): string {
  return `at character ${position + 1}: ${message}.`;
}

/** A quoted excerpt for a message, truncated. */
export function excerpt(text: string, longest = 40): string {
  return JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text);
}
