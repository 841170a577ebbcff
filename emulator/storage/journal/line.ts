import type { Commit } from "../../kernel/commit.ts";
import type { NamedSegment } from "../pool/names.ts";

/** What storage adds to a commit. */
interface RowsOfLine {
  /** The sequence number that the next row gets: in each tail, the records below it count from here on. */
  readonly rows?: number;
  /** Segments whose list of pieces has changed. */
  readonly pieces?: readonly NamedSegment[];
}

/** One line of a journal: a turn, or rows that were written without a record. */
export type JournalLine = RowsOfLine & (Commit | { readonly turn?: undefined });

/** The text of a line, without its line feed. */
export function textOf(commit: Commit | undefined, rows: number | undefined): string {
  return JSON.stringify({ ...commit, ...(rows !== undefined && { rows }) });
}

/** The same text with the pieces that a reader of it has to know. */
export function withPieces(text: string, pieces: readonly NamedSegment[]): string {
  if (pieces.length === 0) return text;
  return `${text.slice(0, -1)},"pieces":${JSON.stringify(pieces)}}`;
}
