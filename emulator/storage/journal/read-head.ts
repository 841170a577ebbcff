import { applyCommits, type Commit, type WorldState } from "../../kernel/commit.ts";
import { type Head, type NamedSegment, NO_ROWS, ownerOf } from "../pool/names.ts";
import type { Pool } from "../pool/pool.ts";
import { sealedPiece } from "../rows/segment.ts";
import { readStretch } from "./journal.ts";
import type { JournalLine } from "./line.ts";
import { readState, type StoredState } from "./state.ts";

/** Replays what a head leads to. A torn line at the end of its own journal is cut off when `mayCut` is set. */
export function readHead(
  pool: Pick<Pool, "path">,
  head: Head,
  initial: WorldState,
  mayCut = false,
): StoredState {
  const base = head.state === null ? { rows: NO_ROWS, state: initial } : readState(pool.path(head.state));
  const rows = createRowNames(base.rows);
  const state = applyCommits(base.state, commitsOf(pool, head, rows, mayCut));
  rows.sealOthers(head.owner);
  return { state, rows: rows.named() };
}

function* commitsOf(
  pool: Pick<Pool, "path">,
  { journals, owner }: Head,
  rows: ReturnType<typeof createRowNames>,
  mayCut: boolean,
): Iterable<Commit> {
  for (const stretch of journals) {
    // What others had open is sealed where this journal goes on from them.
    rows.sealOthers(ownerOf(stretch.file));
    for (const line of readStretch(pool, stretch, mayCut && ownerOf(stretch.file) === owner)) {
      rows.take(line);
      if (line.turn !== undefined) yield commitOf(line);
    }
  }
}

function commitOf({ rows: _rows, pieces: _pieces, ...commit }: JournalLine & Commit): Commit {
  return commit;
}

/** The pieces of rows as the lines of journals name them, one after the other. */
function createRowNames(base: StoredState["rows"]) {
  const keyOf = ({ region, tenantId, sessionId, day }: NamedSegment) =>
    [region, tenantId, sessionId, day].join(" ");
  const segments = new Map(base.segments.map((segment) => [keyOf(segment), segment]));
  let { next } = base;
  return {
    take({ rows, pieces = [] }: JournalLine): void {
      next = rows ?? next;
      for (const segment of pieces) segments.set(keyOf(segment), segment);
    },
    /** Only this owner appends to the tails named so far. */
    sealOthers(owner: number): void {
      for (const [key, segment] of segments) {
        const isOpen = segment.pieces.some(({ file, below }) => below === null && ownerOf(file) !== owner);
        if (isOpen)
          segments.set(key, { ...segment, pieces: segment.pieces.map((piece) => sealedPiece(piece, next)) });
      }
    },
    named: () => ({ next, segments: [...segments.values()] }),
  };
}
