import { applyCommits, type Commit, emptyState, type WorldState } from "../../kernel/commit.ts";
import { type BodyFile, objects, s3Parts } from "../../subjects/object-storage/records.ts";
import { fileOfBody } from "../objects/body-location.ts";
import { type Manifest, type NamedSegment, NO_ROWS, ownerOf } from "../pool/names.ts";
import type { PoolNames } from "../pool/pool.ts";
import { DATA, INDEX, sealedNames } from "../rows/segment.ts";
import { type JournalEnd, readJournalSegment } from "./journal.ts";
import type { JournalLine, TailLength } from "./line.ts";
import { readState, type StoredState } from "./state.ts";

const NO_STATE = emptyState(0, 0, { mode: "frozen", rate: 1 });

/** Reads the state of a manifest and replays its journals. `onEnd` is called for the journal that is still written. */
export function readManifest(
  pool: PoolNames,
  manifest: Manifest,
  initial: WorldState = NO_STATE,
  onEnd?: JournalEnd,
): StoredState {
  const base = manifest.state === null ? { rows: NO_ROWS, state: initial } : readState(pool, manifest.state);
  const rows = createRowNames(base.rows);
  const state = applyCommits(base.state, commitsOf(pool, manifest, rows, onEnd));
  rows.sealOthers(manifest.owner);
  return { state, rows: rows.namedRows() };
}

function* commitsOf(
  pool: PoolNames,
  { journals }: Manifest,
  rows: ReturnType<typeof createRowNames>,
  onEnd?: JournalEnd,
): Iterable<Commit> {
  for (const journalSegment of journals) {
    // From here on, this journal's owner continues; the tails of other owners no longer grow.
    rows.sealOthers(ownerOf(journalSegment.file));
    for (const line of readJournalSegment(pool, journalSegment, onEnd)) {
      rows.take(line);
      if (line.turn !== undefined) yield line;
    }
  }
}

/** The commit of a line, without the members that storage adds. */
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

/** Collects the row files that the lines of journals name. */
function createRowNames(base: StoredState["rows"]) {
  const keyOf = ({ region, tenantId, sessionId, day }: NamedSegment) =>
    [region, tenantId, sessionId, day].join(" ");
  const segments = new Map<string, NamedSegment>();
  /** The keys of segments, by the number of their tail. */
  const keysByTail = new Map<number, string>();
  /** The latest lengths of tails. Consecutive lines mostly name the same tail. */
  const lengths = new Map<number, TailLength>();
  let { next } = base;

  function putSegment(segment: NamedSegment): void {
    const { tail } = segment.rowFiles.at(-1) ?? {};
    if (tail !== undefined) {
      keysByTail.set(tail, keyOf(segment));
      lengths.delete(tail);
    }
    segments.set(keyOf(segment), segment);
  }

  function settle(): void {
    for (const [tail, records, bytes] of lengths.values()) {
      const segment = segments.get(keysByTail.get(tail) ?? "");
      const last = segment?.rowFiles.at(-1);
      if (!segment || last?.tail !== tail)
        throw new Error(`A journal gives a length of the tail ${tail}, which it has not named.`);
      const rowFiles = [...segment.rowFiles.slice(0, -1), { ...last, records, bytes }];
      segments.set(keyOf(segment), { ...segment, rowFiles });
    }
    lengths.clear();
  }

  for (const segment of base.segments) putSegment(segment);
  return {
    take({ rows, segments: changed = [], tails = [] }: JournalLine): void {
      next = rows ?? next;
      changed.forEach(putSegment);
      for (const length of tails) lengths.set(length[0], length);
    },
    /** Seals the tails of all other owners. */
    sealOthers(owner: number): void {
      settle();
      for (const [key, segment] of segments) {
        const isOpen = segment.rowFiles.some(({ file, below }) => below === null && ownerOf(file) !== owner);
        if (isOpen) segments.set(key, sealedNames(segment, next));
      }
    },
    namedRows() {
      settle();
      return { next, segments: [...segments.values()] };
    },
  };
}

/** Every file of rows and every object body that a state leads to. */
export function* filesNamedBy({ state, rows }: StoredState): Iterable<string> {
  for (const { rowFiles } of rows.segments)
    for (const { file } of rowFiles) {
      yield file + DATA;
      yield file + INDEX;
    }
  for (const { name } of [objects, s3Parts])
    for (const { record } of state.records[name] ?? []) yield fileOfBody((record as BodyFile).file);
}

/** The owners of these files. */
export function ownersNamedBy(state: StoredState): number[] {
  const owners = new Set<number>();
  for (const file of filesNamedBy(state)) owners.add(ownerOf(file));
  return [...owners];
}
