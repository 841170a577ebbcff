import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Commit, WorldState } from "../../kernel/commit.ts";
import { parseSummed, sealedLines } from "../checksum.ts";
import type { Sealing } from "../journal/sealing.ts";
import { stateOf } from "../journal/state.ts";
import { writeAll } from "../pool/open-files.ts";
import type { PoolNames } from "../pool/pool.ts";
import { damaged, readStored, StoreError } from "../store-error.ts";
import type { SavedHistory } from "./history.ts";
import type { HistorySegment } from "./history-segment.ts";

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
  try {
    for (const line of linesIn(pool, file)) return (line as Pick<StoredHistory, "bodies">).bodies;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
  return [];
}
