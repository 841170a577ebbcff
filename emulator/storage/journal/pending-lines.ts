import type { Commit } from "../../kernel/commit.ts";
import { batchOf, textOf, type WrittenRows } from "./line.ts";
import type { Sealing } from "./sealing.ts";

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
