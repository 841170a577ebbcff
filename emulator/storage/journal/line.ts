import type { Commit } from "../../kernel/commit.ts";
import { createLineWriter } from "../line-writer.ts";
import type { NamedSegment } from "../pool/names.ts";
import type { Sealing } from "./sealing.ts";

/** How long an own tail is by now. */
export type TailLength = readonly [tail: number, records: number, bytes: number];

/** The rows that one write to the tails has added. */
export interface WrittenRows {
  /** Segments whose list of files has changed. */
  readonly segments: readonly NamedSegment[];
  /** Tails that were there before and have grown. */
  readonly tails: readonly TailLength[];
}

/** What storage adds to a commit. */
interface RowsOfLine extends Partial<WrittenRows> {
  /** The sequence number that the next row gets. */
  readonly rows?: number;
  readonly sum?: string;
  /** How many lines were written in one go, this one the first of them: all of them count, or none. */
  readonly lines?: number;
}

/** One line of a journal: a turn, or rows that were written without a record. */
export type JournalLine = RowsOfLine & (Commit | { readonly turn?: undefined });

/** The text of a line that says something, without its line feed. */
export function textOf(commit: Commit | undefined, rows: number | undefined): string {
  return JSON.stringify(rows === undefined ? commit : { ...commit, rows });
}

const writer = createLineWriter();

/** The lines of one write, each with its checksum; the first one has what a reader has to know of the rows. */
export function batchOf(texts: readonly string[], { segments, tails }: WrittenRows): Buffer {
  const about = JSON.stringify({
    ...(texts.length > 1 && { lines: texts.length }),
    ...(segments.length > 0 && { segments }),
    ...(tails.length > 0 && { tails }),
  });
  for (const [at, text] of texts.entries()) {
    writer.begin();
    writer.write(text.slice(0, -1));
    if (at === 0 && about !== "{}") writer.write(`,${about.slice(1, -1)}`);
    writer.end();
  }
  const batch = Buffer.from(writer.bytes);
  writer.clear();
  return batch;
}

/** Lines of a journal that wait for the next write. */
export interface PendingLines {
  /** Adds the line of a commit, with the rows written up to now. */
  add(commit: Commit): void;
  /** What waits, with a line for rows without a commit; undefined when nothing does. */
  take(written: WrittenRows): Buffer | undefined;
}

/** `mark` is the number of the next row. */
export function createPendingLines({ commit: sealed }: Sealing, mark: () => number): PendingLines {
  let lines: string[] = [];
  let marked = mark();

  function add(commit: Commit | undefined): void {
    const rows = mark();
    lines.push(textOf(commit && sealed(commit), !commit || rows > marked ? rows : undefined));
    marked = rows;
  }

  return {
    add,
    take(written) {
      const isNamed = written.segments.length + written.tails.length > 0;
      if (mark() > marked || (isNamed && lines.length === 0)) add(undefined);
      const batch = lines;
      lines = [];
      return batch.length === 0 ? undefined : batchOf(batch, written);
    },
  };
}
