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

/** What the history of a world is read from. */
export interface OlderParts {
  readonly pool: Pool;
  /** As the process found it. */
  readonly manifest: Manifest;
  readonly sealing: Sealing;
  readonly collections: readonly Collection<never>[];
  /** Where the process began. */
  readonly until: Point;
}

/** Undefined when nothing is kept of what was before. */
export function olderOf(parts: OlderParts, isClean: boolean): Older | undefined {
  const { pool, manifest, until } = parts;
  const earliest =
    manifest.history ??
    (isClean || manifest.state === null ? undefined : readState(pool.path(manifest.state)).state);
  if (!earliest || earliest.turn >= until.turn) return undefined;
  return {
    earliest: { turn: earliest.turn, now: earliest.now },
    isAhead: !isClean,
    load: (limiter) => beforeOf(parts, limiter),
  };
}

function beforeOf(parts: OlderParts, limiter: RateLimiter): Before | undefined {
  const { pool, manifest, sealing, collections } = parts;
  const past = manifest.history && readHistory(pool.path(manifest.history.file));
  const state = past ? undefined : readState(pool.path(manifest.state ?? ""));
  const base = past?.base ?? { rows: state?.rows.next ?? 0, state: state?.state };
  if (!base.state) return undefined;
  const { records, ...rest } = imageOf(sealing.opened(base.state), collections);
  const segments = [newHistorySegment(rest)];
  segments[0]?.bodies.push(...(past?.bodies ?? []));
  for (const { commit, rows } of turnsOf(parts, past?.turns ?? [])) {
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

/** Those of the file, and those of the journals behind them, up to where the process began. */
function* turnsOf(
  { pool, manifest, sealing, until }: OlderParts,
  kept: readonly { readonly rows: number; readonly commit: Commit }[],
): Iterable<Omit<HistoryTurn, "replaced">> {
  let last = -1;
  let rows = 0;
  const turnOf = (sealed: Commit): Omit<HistoryTurn, "replaced"> => {
    const commit = sealing.openedCommit(sealed);
    last = commit.turn;
    return { commit, rows };
  };
  for (const each of kept) {
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
