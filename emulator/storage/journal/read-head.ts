import { applyCommits, type Commit, type WorldState } from "../../kernel/commit.ts";
import { type Head, type NamedSegment, NO_ROWS, ownerOf } from "../pool/names.ts";
import type { Pool } from "../pool/pool.ts";
import { sealedPiece } from "../rows/segment.ts";
import { type JournalEnd, readStretch } from "./journal.ts";
import type { JournalLine, TailLength } from "./line.ts";
import { readState, type StoredState } from "./state.ts";

/** Replays what a head leads to; `onEnd` is called for the journal that is still written to. */
export function readHead(
  pool: Pick<Pool, "path">,
  head: Head,
  initial: WorldState,
  onEnd?: JournalEnd,
): StoredState {
  const base = head.state === null ? { rows: NO_ROWS, state: initial } : readState(pool.path(head.state));
  const rows = createRowNames(base.rows);
  const state = applyCommits(base.state, commitsOf(pool, head, rows, onEnd));
  rows.sealOthers(head.owner);
  return { state, rows: rows.named() };
}

function* commitsOf(
  pool: Pick<Pool, "path">,
  { journals }: Head,
  rows: ReturnType<typeof createRowNames>,
  onEnd?: JournalEnd,
): Iterable<Commit> {
  for (const stretch of journals) {
    // What others had open is sealed where this journal goes on from them.
    rows.sealOthers(ownerOf(stretch.file));
    for (const line of readStretch(pool, stretch, onEnd)) {
      rows.take(line);
      if (line.turn !== undefined) yield line;
    }
  }
}

/** The commit of a line, without what storage adds to it. */
export function commitOf({
  rows: _rows,
  pieces: _pieces,
  tails: _tails,
  lines: _lines,
  sum: _sum,
  ...commit
}: JournalLine & Commit): Commit {
  return commit;
}

/** The pieces of rows as the lines of journals name them, one after the other. */
function createRowNames(base: StoredState["rows"]) {
  const keyOf = ({ region, tenantId, sessionId, day }: NamedSegment) =>
    [region, tenantId, sessionId, day].join(" ");
  const segments = new Map<string, NamedSegment>();
  /** The keys of segments, by the number of the tail that each ends with. */
  const tailed = new Map<number, string>();
  /** What tails have grown to since they were named: mostly the same one with each line. */
  const grown = new Map<number, TailLength>();
  let { next } = base;

  function put(segment: NamedSegment): void {
    const { tail } = segment.pieces.at(-1) ?? {};
    if (tail !== undefined) {
      tailed.set(tail, keyOf(segment));
      grown.delete(tail);
    }
    segments.set(keyOf(segment), segment);
  }

  function settle(): void {
    for (const [tail, records, bytes] of grown.values()) {
      const segment = segments.get(tailed.get(tail) ?? "");
      const last = segment?.pieces.at(-1);
      if (!segment || last?.tail !== tail)
        throw new Error(`a journal lengthens the tail ${tail}, which it has not named`);
      const pieces = [...segment.pieces.slice(0, -1), { ...last, records, bytes }];
      segments.set(keyOf(segment), { ...segment, pieces });
    }
    grown.clear();
  }

  for (const segment of base.segments) put(segment);
  return {
    take({ rows, pieces = [], tails = [] }: JournalLine): void {
      next = rows ?? next;
      pieces.forEach(put);
      for (const length of tails) grown.set(length[0], length);
    },
    /** Only this owner appends to the tails named so far. */
    sealOthers(owner: number): void {
      settle();
      for (const [key, segment] of segments) {
        const isOpen = segment.pieces.some(({ file, below }) => below === null && ownerOf(file) !== owner);
        if (isOpen)
          segments.set(key, { ...segment, pieces: segment.pieces.map((piece) => sealedPiece(piece, next)) });
      }
    },
    named() {
      settle();
      return { next, segments: [...segments.values()] };
    },
  };
}
