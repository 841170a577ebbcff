import { applyCommits, type Commit, emptyState, type WorldState } from "../../kernel/commit.ts";
import { type Manifest, type NamedSegment, NO_ROWS, ownerOf } from "../pool/names.ts";
import type { Pool } from "../pool/pool.ts";
import { sealedRowFile } from "../rows/segment.ts";
import { type JournalEnd, readJournalSegment } from "./journal.ts";
import type { JournalLine, TailLength } from "./line.ts";
import { readState, type StoredState } from "./state.ts";

const NO_STATE = emptyState(0, 0, { mode: "frozen", rate: 1 });

/** Replays what a manifest leads to; `onEnd` is called for the journal that is still written to. */
export function readManifest(
  pool: Pick<Pool, "path">,
  manifest: Manifest,
  initial: WorldState = NO_STATE,
  onEnd?: JournalEnd,
): StoredState {
  const base =
    manifest.state === null ? { rows: NO_ROWS, state: initial } : readState(pool.path(manifest.state));
  const rows = createRowNames(base.rows);
  const state = applyCommits(base.state, commitsOf(pool, manifest, rows, onEnd));
  rows.sealOthers(manifest.owner);
  return { state, rows: rows.named() };
}

function* commitsOf(
  pool: Pick<Pool, "path">,
  { journals }: Manifest,
  rows: ReturnType<typeof createRowNames>,
  onEnd?: JournalEnd,
): Iterable<Commit> {
  for (const journalSegment of journals) {
    // What others had open is sealed where this journal goes on from them.
    rows.sealOthers(ownerOf(journalSegment.file));
    for (const line of readJournalSegment(pool, journalSegment, onEnd)) {
      rows.take(line);
      if (line.turn !== undefined) yield line;
    }
  }
}

/** The commit of a line, without what storage adds to it. */
export function commitOf({
  rows: _rows,
  segments: _segments,
  tails: _tails,
  lines: _lines,
  sum: _sum,
  ...commit
}: JournalLine & Commit): Commit {
  return commit;
}

/** The files of rows as the lines of journals name them, one after the other. */
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
    const { tail } = segment.rowFiles.at(-1) ?? {};
    if (tail !== undefined) {
      tailed.set(tail, keyOf(segment));
      grown.delete(tail);
    }
    segments.set(keyOf(segment), segment);
  }

  function settle(): void {
    for (const [tail, records, bytes] of grown.values()) {
      const segment = segments.get(tailed.get(tail) ?? "");
      const last = segment?.rowFiles.at(-1);
      if (!segment || last?.tail !== tail)
        throw new Error(`a journal lengthens the tail ${tail}, which it has not named`);
      const rowFiles = [...segment.rowFiles.slice(0, -1), { ...last, records, bytes }];
      segments.set(keyOf(segment), { ...segment, rowFiles });
    }
    grown.clear();
  }

  for (const segment of base.segments) put(segment);
  return {
    take({ rows, segments: changed = [], tails = [] }: JournalLine): void {
      next = rows ?? next;
      changed.forEach(put);
      for (const length of tails) grown.set(length[0], length);
    },
    /** Only this owner appends to the tails named so far. */
    sealOthers(owner: number): void {
      settle();
      for (const [key, segment] of segments) {
        const isOpen = segment.rowFiles.some(({ file, below }) => below === null && ownerOf(file) !== owner);
        if (isOpen)
          segments.set(key, {
            ...segment,
            rowFiles: segment.rowFiles.map((rowFile) => sealedRowFile(rowFile, next)),
          });
      }
    },
    named() {
      settle();
      return { next, segments: [...segments.values()] };
    },
  };
}
