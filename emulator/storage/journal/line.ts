import type { Commit } from "../../kernel/commit.ts";
import { unsealedLines } from "../checksum.ts";
import type { NamedSegment } from "../pool/names.ts";
import type { Sealing } from "./sealing.ts";

/** The current length of an own tail. */
export type TailLength = readonly [tail: number, records: number, bytes: number];

/** The rows that one write added to the tails. */
export interface WrittenRows {
  /** Segments whose list of files has changed. */
  readonly segments: readonly NamedSegment[];
  /** Existing tails that have grown. */
  readonly tails: readonly TailLength[];
}

/** The members that storage adds to a commit. */
interface RowsOfLine extends Partial<WrittenRows> {
  /** The sequence number that the next row gets. */
  readonly rows?: number;
  readonly sum?: string;
  /** The number of lines in one write, of which this is the first. Either all of them count or none. */
  readonly lines?: number;
}

/** One line of a journal: a turn, or rows that were written without a commit. */
export type JournalLine = RowsOfLine & (Commit | { readonly turn?: undefined });

/** The text of a line without its line feed; a commit or a number of rows is required. */
export function textOf(commit: Commit | undefined, rows: number | undefined): string {
  return JSON.stringify(rows === undefined ? commit : { ...commit, rows });
}

/** The lines of one write, not yet sealed. The first line also names the files of the new rows. */
export function batchOf(
  [first = "", ...others]: readonly string[],
  { segments, tails }: WrittenRows,
): Buffer {
  const rowFiles = JSON.stringify({
    ...(others.length > 0 && { lines: others.length + 1 }),
    ...(segments.length > 0 && { segments }),
    ...(tails.length > 0 && { tails }),
  });
  const firstLine = rowFiles === "{}" ? first : `${first.slice(0, -1)},${rowFiles.slice(1)}`;
  return unsealedLines([firstLine, ...others]);
}

/** Lines of a journal that are pending until the next write. `mark` is the number of the next row. */
export function createPendingLines({ commit: sealed }: Sealing, mark: () => number) {
  let lines: string[] = [];
  let lastMark = mark();

  function add(commit: Commit | undefined): void {
    const rows = mark();
    lines.push(textOf(commit && sealed(commit), !commit || rows > lastMark ? rows : undefined));
    lastMark = rows;
  }

  return {
    /** Adds the line of a commit, with the rows written up to now. */
    add,
    /** Takes the pending lines, and adds a line for rows without a commit; undefined when nothing is pending. */
    take(writtenRows: WrittenRows): Buffer | undefined {
      const hasFiles = writtenRows.segments.length + writtenRows.tails.length > 0;
      if (mark() > lastMark || (hasFiles && lines.length === 0)) add(undefined);
      const batch = lines;
      lines = [];
      return batch.length === 0 ? undefined : batchOf(batch, writtenRows);
    },
  };
}
