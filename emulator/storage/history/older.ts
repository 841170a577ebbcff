import type { Point } from "../../kernel/as-of.ts";
import { type Commit, progressFrom } from "../../kernel/commit.ts";
import { imageOf } from "../../kernel/image.ts";
import type { Collection } from "../../kernel/table.ts";
import type { RateLimiter } from "../../subjects/rate-limits/limiter.ts";
import { readJournalSegment } from "../journal/journal.ts";
import { commitOf } from "../journal/read-manifest.ts";
import type { Sealing } from "../journal/sealing.ts";
import { readState } from "../journal/state.ts";
import type { Manifest } from "../pool/names.ts";
import type { Pool } from "../pool/pool.ts";
import type { Before, Older } from "./history.ts";
import { readHistory } from "./history-file.ts";
import {
  addTurn,
  type HistorySegment,
  type HistoryTurn,
  MAX_SEGMENT_ENTRIES,
  newHistorySegment,
} from "./history-segment.ts";

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

/** Undefined when no history is saved. `isFolded` is true if the last state contains all journals. */
export function olderOf(parts: OlderParts, isFolded: boolean): Older | undefined {
  const { pool, manifest, until } = parts;
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
