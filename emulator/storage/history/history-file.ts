import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Point } from "../../kernel/as-of.ts";
import { type Commit, progressFrom, type WorldState } from "../../kernel/commit.ts";
import { imageOf } from "../../kernel/image.ts";
import type { Collection } from "../../kernel/table.ts";
import type { HistoryTurn } from "../../subjects/control-operation.ts";
import type { RateLimiter } from "../../subjects/rate-limits/limiter.ts";
import { parseSummed, sealedLines } from "../checksum.ts";
import { readJournalSegment } from "../journal/journal.ts";
import { commitOf } from "../journal/read-manifest.ts";
import type { Sealing } from "../journal/sealing.ts";
import { readState, stateOf } from "../journal/state.ts";
import { type Manifest, ownerOf } from "../pool/names.ts";
import { writeAll } from "../pool/open-files.ts";
import type { Pool, PoolNames } from "../pool/pool.ts";
import { damaged, readStored, unlessDamaged } from "../store-error.ts";
import type { Before, Older, SavedHistory } from "./history.ts";
import { addTurn, type HistorySegment, MAX_SEGMENT_ENTRIES, newHistorySegment } from "./history-segment.ts";

const LINE_FEED = 0x0a;
const LINES_AT_A_TIME = 500;

/** A history in a file: the bodies that only it needs, its first state, and the turns after that. */
export interface StoredHistory {
  readonly bodies: readonly string[];
  readonly base: { readonly rows: number; readonly state: WorldState };
  readonly turns: readonly { readonly rows: number; readonly commit: Commit }[];
}

/** Writes a history: one line with a checksum for the bodies, the first state and each turn. */
export function writeHistory(pool: PoolNames, name: string, history: SavedHistory, sealing: Sealing): void {
  const path = pool.path(name);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(path, "w", 0o600);
  try {
    let offset = 0;
    let lines: object[] = [];
    const write = (): void => {
      const bytes = sealedLines(lines, pool.sealOf(name), offset);
      writeAll(file, bytes);
      offset += bytes.length;
      lines = [];
    };
    for (const part of partsOf(history, sealing)) {
      lines.push(part);
      if (lines.length === LINES_AT_A_TIME) write();
    }
    write();
  } finally {
    closeSync(file);
  }
}

function* partsOf({ first, segments }: SavedHistory, sealing: Sealing): Iterable<object> {
  yield { bodies: bodiesIn(segments) };
  yield { rows: first.rows, state: sealing.state(stateOf(first)) };
  for (const { turns } of segments)
    for (const { rows, commit } of turns) yield { rows, commit: sealing.commit(commit) };
}

/** The bodies that only these segments need. */
export function bodiesIn(segments: readonly HistorySegment[]): readonly string[] {
  return segments.flatMap(({ bodies }) => bodies);
}

/** Reads a history, with its secrets still encrypted. Throws a `StoreError` when it is damaged. */
export function readHistory(pool: PoolNames, file: string): StoredHistory {
  const [manifest, base, ...turns] = linesIn(pool, file) as Iterable<object>;
  if (!manifest || !base) throw damaged(pool.path(file));
  return { ...(manifest as Pick<StoredHistory, "bodies">), base, turns } as StoredHistory;
}

function* linesIn(pool: PoolNames, file: string): Iterable<object> {
  const path = pool.path(file);
  const seal = pool.sealOf(file);
  const bytes = readStored(path, () => readFileSync(path));
  for (let start = 0; start < bytes.length; ) {
    const stop = bytes.indexOf(LINE_FEED, start);
    const line = stop < 0 ? undefined : parseSummed(bytes, seal, start, stop);
    if (!line) throw damaged(path);
    yield line;
    start = stop + 1;
  }
}

/** The bodies that the history in a file needs; none when the file cannot be read. */
export function bodiesOfHistory(pool: PoolNames, file: string): readonly string[] {
  const read = (): readonly string[] | undefined => {
    const [first] = linesIn(pool, file) as Iterable<Partial<StoredHistory>>;
    return first?.bodies;
  };
  return unlessDamaged(read) ?? [];
}

/** An unchanged history stays in its file. `saved` is called only when the history is written, because it is slow. */
export function historyWriter(
  pool: Pool,
  sealing: Sealing,
  saved: () => SavedHistory | undefined = () => undefined,
) {
  return ({ history, others }: Manifest, file: string) => {
    const changed = saved();
    if (!changed) return { history, owners: others };
    writeHistory(pool, file, changed, sealing);
    const { turn, now } = changed.first.image;
    return { history: { file, turn, now }, owners: bodiesIn(changed.segments).map(ownerOf) };
  };
}

/** The files that the history of a world is read from. */
export interface OlderParts {
  readonly pool: Pool;
  /** The manifest at the start of the process. */
  readonly manifest: Manifest;
  readonly sealing: Sealing;
  readonly collections: readonly Collection<never>[];
  /** The point at the start of the process. */
  readonly until: Point;
}

/** Undefined when no history is saved. */
export function olderOf(parts: OlderParts): Older | undefined {
  const { pool, manifest, until } = parts;
  // The last state contains all journals.
  const isFolded = manifest.journals.length === 1 && !manifest.journals[0]?.isBegun;
  const earliest =
    manifest.history ??
    (isFolded || manifest.state === null ? undefined : readState(pool, manifest.state).state);
  if (!earliest || earliest.turn >= until.turn) return undefined;
  return {
    earliest: { turn: earliest.turn, now: earliest.now },
    isAhead: !isFolded,
    load: (limiter) => beforeOf(parts, limiter),
  };
}

function beforeOf(parts: OlderParts, limiter: RateLimiter): Before | undefined {
  const { pool, manifest, sealing, collections } = parts;
  const history = manifest.history && readHistory(pool, manifest.history.file);
  const state = history ? undefined : readState(pool, manifest.state ?? "");
  const base = history?.base ?? { rows: state?.rows.next ?? 0, state: state?.state };
  if (!base.state) return undefined;
  const { records, ...rest } = imageOf(sealing.openState(base.state), collections);
  const segments = [newHistorySegment(rest)];
  segments[0]?.bodies.push(...(history?.bodies ?? []));
  for (const { commit, rows } of turnsOf(parts, history?.turns ?? [])) {
    let last = segments.at(-1) as HistorySegment;
    if (last.turns.length === MAX_SEGMENT_ENTRIES) {
      last = newHistorySegment(last.turns.at(-1)?.commit ?? rest);
      segments.push(last);
    }
    last.bytes += addTurn(last, { commit, rows, replaced: records.apply(commit) });
  }
  (segments.at(-1) as HistorySegment).records = records;
  return { beginning: { progress: progressFrom(rest), rows: base.rows, limiter: limiter.copy() }, segments };
}

/** The turns of the history file, and those of the journals after them, up to the start of the process. */
function* turnsOf(
  { pool, manifest, sealing, until }: OlderParts,
  turnsInFile: readonly { readonly rows: number; readonly commit: Commit }[],
): Iterable<Omit<HistoryTurn, "replaced">> {
  let last = -1;
  let rows = 0;
  const turnOf = (sealed: Commit): Omit<HistoryTurn, "replaced"> => {
    const commit = sealing.openCommit(sealed);
    last = commit.turn;
    return { commit, rows };
  };
  for (const each of turnsInFile) {
    rows = each.rows;
    yield turnOf(each.commit);
  }
  for (const segment of manifest.journals)
    for (const line of readJournalSegment(pool, segment)) {
      rows = line.rows ?? rows;
      if (line.turn !== undefined && line.turn > last && line.turn <= until.turn)
        yield turnOf(commitOf(line));
    }
}
