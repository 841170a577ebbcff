import type { Commit } from "../../kernel/commit.ts";
import type { NamedSegment } from "../pool/names.ts";
import { textOf, withPieces } from "./line.ts";
import type { Sealing } from "./sealing.ts";

/** Lines of a journal that wait for the next write. */
export interface PendingLines {
  /** Adds the line of a commit, with the rows written up to now. */
  add(commit: Commit): void;
  /** What waits as one text, with a line for rows without a commit and these pieces; empty when nothing does. */
  take(pieces: readonly NamedSegment[]): string;
}

/** `mark` is the number of the next row. */
export function createPendingLines({ commit: sealed }: Sealing, mark: () => number): PendingLines {
  let lines: string[] = [];
  let marked = mark();

  function add(commit: Commit | undefined): void {
    const rows = mark();
    lines.push(textOf(commit && sealed(commit), rows > marked ? rows : undefined));
    marked = rows;
  }

  return {
    add,
    take(pieces) {
      if (mark() > marked || (pieces.length > 0 && lines.length === 0)) add(undefined);
      const [first, ...rest] = lines;
      lines = [];
      if (first === undefined) return "";
      return [withPieces(first, pieces), ...rest].map((line) => `${line}\n`).join("");
    },
  };
}
