import type { Point } from "../../kernel/as-of.ts";
import { type Commit, progressFrom } from "../../kernel/commit.ts";
import { imageOf } from "../../kernel/image.ts";
import type { Collection } from "../../kernel/table.ts";
import type { RateLimiter } from "../../subjects/rate-limits/limiter.ts";
import { readStretch } from "../journal/journal.ts";
import { commitOf } from "../journal/read-head.ts";
import type { Sealing } from "../journal/sealing.ts";
import { readState } from "../journal/state.ts";
import type { Head } from "../pool/names.ts";
import type { Pool } from "../pool/pool.ts";
import type { Before, Older } from "./history.ts";
import { readPast } from "./past-file.ts";
import { addTurn, newStretch, type PastTurn, STRETCH_ENTRIES, type Stretch } from "./stretch.ts";

/** What the history of a world is read from. */
export interface OlderParts {
  readonly pool: Pool;
  /** As the process found it. */
  readonly head: Head;
  readonly sealing: Sealing;
  readonly collections: readonly Collection<never>[];
  /** Where the process began. */
  readonly until: Point;
}

/** Undefined when nothing is kept of what was before. */
export function olderOf(parts: OlderParts, isClean: boolean): Older | undefined {
  const { pool, head, until } = parts;
  const earliest =
    head.past ?? (isClean || head.state === null ? undefined : readState(pool.path(head.state)).state);
  if (!earliest || earliest.turn >= until.turn) return undefined;
  return {
    earliest: { turn: earliest.turn, now: earliest.now },
    isAhead: !isClean,
    load: (limiter) => beforeOf(parts, limiter),
  };
}

function beforeOf(parts: OlderParts, limiter: RateLimiter): Before | undefined {
  const { pool, head, sealing, collections } = parts;
  const past = head.past && readPast(pool.path(head.past.file));
  const state = past ? undefined : readState(pool.path(head.state ?? ""));
  const base = past?.base ?? { rows: state?.rows.next ?? 0, state: state?.state };
  if (!base.state) return undefined;
  const { records, ...rest } = imageOf(sealing.opened(base.state), collections);
  const stretches = [newStretch(rest)];
  stretches[0]?.bodies.push(...(past?.bodies ?? []));
  for (const { commit, rows } of turnsOf(parts, past?.turns ?? [])) {
    let last = stretches.at(-1) as Stretch;
    if (last.turns.length === STRETCH_ENTRIES) {
      last = newStretch(last.turns.at(-1)?.commit ?? rest);
      stretches.push(last);
    }
    last.bytes += addTurn(last, { commit, rows, replaced: records.apply(commit) });
  }
  (stretches.at(-1) as Stretch).records = records;
  return { beginning: { progress: progressFrom(rest), rows: base.rows, limiter: limiter.copy() }, stretches };
}

/** Those of the file, and those of the journals behind them, up to where the process began. */
function* turnsOf(
  { pool, head, sealing, until }: OlderParts,
  kept: readonly { readonly rows: number; readonly commit: Commit }[],
): Iterable<Omit<PastTurn, "replaced">> {
  let last = -1;
  let rows = 0;
  const turnOf = (sealed: Commit): Omit<PastTurn, "replaced"> => {
    const commit = sealing.openedCommit(sealed);
    last = commit.turn;
    return { commit, rows };
  };
  for (const each of kept) {
    rows = each.rows;
    yield turnOf(each.commit);
  }
  for (const stretch of head.journals)
    for (const line of readStretch(pool, stretch)) {
      rows = line.rows ?? rows;
      if (line.turn !== undefined && line.turn > last && line.turn <= until.turn)
        yield turnOf(commitOf(line));
    }
}
