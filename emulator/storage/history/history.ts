import { type AsOf, beforeHistory, type Point } from "../../kernel/as-of.ts";
import { progressFrom } from "../../kernel/commit.ts";
import type { WorldImage } from "../../kernel/image.ts";
import type { Journal } from "../../kernel/journal.ts";
import type { Records } from "../../kernel/records.ts";
import type { RateLimiter } from "../../subjects/rate-limits/limiter.ts";
import { StoreError } from "../store-error.ts";
import {
  addChange,
  addTurn,
  type Beginning,
  cut,
  type HistorySegment,
  type HistoryTurn,
  type LimiterChange,
  MAX_SEGMENT_ENTRIES,
  newHistorySegment,
  pass,
} from "./history-segment.ts";
import { pointOf, refuseFuture } from "./point.ts";

/** How far back a history reaches: in turns, and in bytes of what is kept for it alone. */
export interface HistoryBounds {
  readonly turns: number;
  readonly bytes: number;
}

/** A whole state of a world. */
export interface Moment {
  readonly image: WorldImage;
  /** The number of the next trace row. */
  readonly rows: number;
  readonly limiter: RateLimiter;
}

/** What a world has behind it. */
export interface Before {
  readonly beginning: Beginning;
  /** The oldest first; at least one. */
  readonly segments: readonly HistorySegment[];
}

/** What is kept of a history for the next process. */
export interface SavedHistory {
  readonly first: Moment;
  readonly segments: readonly HistorySegment[];
}

/** The last turns of a world: its state after each of them can be had again. */
export interface History {
  /** Adds the turn that has just ended. */
  add(turn: HistoryTurn): void;
  /** Adds a change of the rate limiter. */
  count(change: LimiterChange): void;
  /** Begins another segment when the last one is full; between two turns. */
  settle(): void;
  /** Keeps bodies that no record names any more, as long as a state of the past does. */
  keepBodies(files: readonly string[], bytes: number): void;
  /** The first state that can be had. */
  readonly earliest: Point;
  /** The turns that left something behind, oldest first. */
  turns(): Iterable<HistoryTurn>;
  /** The turn and the instant that are meant. Refuses what is out of reach (422). */
  pointAt(at: AsOf): Point;
  /** The state at a point in reach. */
  momentAt(point: Point): Moment;
  /** What a fork from a point has behind it; without what is damaged. */
  upTo(turn: number): Before;
  /** All of it, to be kept for the next process; undefined when that is in the file which this one has found. */
  kept(): SavedHistory | undefined;
}

/** The history of a world before this process: read when it is first wanted. */
export interface Older {
  readonly earliest: Point;
  /** Whether turns follow that its file does not have. */
  readonly isAhead: boolean;
  /** Throws a `StoreError` if its files are gone or damaged. */
  load(limiter: RateLimiter): Before | undefined;
}

/** What a history is kept with. */
export interface HistoryOptions {
  readonly bounds: HistoryBounds;
  /** The state that it begins with; the limiter is its own from here on. */
  readonly first: Moment;
  /** What the world that this one goes on from has behind it. */
  readonly before?: Before | undefined;
  /** What an earlier process has left of it. */
  readonly older?: Older | undefined;
  /** Where the world stands now. */
  readonly present: () => Point;
  /** The records as they are now, between two turns. */
  readonly records: () => Records;
  /** No state of the past names these bodies any more. */
  readonly release: (files: readonly string[]) => void;
  /** It also has the turns that left nothing behind. */
  readonly journal: Pick<Journal, "lastOf" | "condense">;
}

/** Segments are given up as a whole, so that none may take more than this part of the bytes. */
const MIN_HISTORY_SEGMENTS = 8;

/**
 * Keeps the last turns of a world in memory: their commits, and what each of them replaced. States are made when they
 * are asked for, from the present backwards.
 */
export function createHistory(options: HistoryOptions): History {
  const { bounds, first, before, present, release } = options;
  const segments: HistorySegment[] = [...(before?.segments ?? []), newHistorySegment(first.image)];
  let beginning = before?.beginning ?? { ...first, progress: progressFrom(first.image) };
  let bytes = bytesOf(segments);
  let last = segments.at(-1) as HistorySegment;
  let { older } = options;
  let isChanged = older?.isAhead ?? before !== undefined;

  /** Reads what an earlier process has left. */
  function reachBack(): Before {
    const { beginning: begun = beginning, segments: loaded = [] } = older?.load(first.limiter) ?? {};
    older = undefined;
    beginning = begun;
    segments.unshift(...loaded);
    bytes += bytesOf(loaded);
    return { beginning, segments };
  }

  function grow(by: number): void {
    last.bytes += by;
    bytes += by;
  }

  function settle(): void {
    if (!isFull(last, bounds)) return;
    last = newHistorySegment(present());
    segments.push(last);
    const from = last.after.turn - bounds.turns;
    if ((segments[0] as HistorySegment).after.turn <= from) older = undefined;
    while (segments.length > 1) {
      const [oldest, next] = segments as [HistorySegment, HistorySegment];
      if (next.after.turn > from && bytes <= bounds.bytes) break;
      segments.shift();
      older = undefined;
      pass(beginning, oldest);
      bytes -= oldest.bytes;
      release(oldest.bodies);
      options.journal.condense(next.after.turn);
    }
  }

  const earliest = (): Point => (segments[0] as HistorySegment).after;
  const momentAt = (point: Point): Moment => momentIn({ beginning, segments }, point, options.records);

  return {
    add(turn) {
      isChanged = true;
      grow(addTurn(last, turn));
      settle();
    },
    settle,
    count: (change) => grow(addChange(last, change)),
    keepBodies(files, size) {
      last.bodies.push(...files);
      grow(size);
    },
    get earliest() {
      return older?.earliest ?? earliest();
    },
    *turns() {
      reachBack();
      for (const { turns } of segments) yield* turns;
    },
    pointAt(at) {
      refuseFuture(at, present());
      const known = pointOf(at, segments, options.journal);
      if (!known) reachBack();
      const point = known ?? pointOf(at, segments, options.journal);
      if (!point) throw beforeHistory(at, earliest());
      return point;
    },
    momentAt,
    upTo: (turn) => cutAfter(unlessDamaged(reachBack) ?? { beginning, segments }, turn),
    kept: () =>
      isChanged && unlessDamaged(reachBack) ? { first: momentAt(earliest()), segments } : undefined,
  };
}

function bytesOf(segments: readonly HistorySegment[]): number {
  return segments.reduce((sum, segment) => sum + segment.bytes, 0);
}

function isFull({ turns, counted, bytes }: HistorySegment, bounds: HistoryBounds): boolean {
  const entries = Math.min(MAX_SEGMENT_ENTRIES, bounds.turns);
  return turns.length + counted.length >= entries || bytes * MIN_HISTORY_SEGMENTS >= bounds.bytes;
}

function unlessDamaged<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}

function copyOf({ progress, rows, limiter }: Beginning): Beginning {
  return { progress: progressFrom(progress.state()), rows, limiter: limiter.copy() };
}

function cutAfter({ beginning, segments }: Before, turn: number): Before {
  const reached = segments.filter(({ after }, n) => n === 0 || after.turn < turn);
  return { beginning: copyOf(beginning), segments: reached.map((segment) => cut(segment, turn)) };
}

function momentIn({ beginning, segments }: Before, point: Point, present: () => Records): Moment {
  const then = copyOf(beginning);
  for (const segment of segments) pass(then, upToPoint(segment, point));
  const { progress, rows, limiter } = then;
  const records = recordsAt(segments, point.turn, present);
  return { image: { ...progress.state(), ...point, records }, rows, limiter };
}

/** What of a segment led to a point: a request is counted before its turn. */
function upToPoint(segment: HistorySegment, { turn, now }: Point): HistorySegment {
  return {
    ...segment,
    turns: segment.turns.filter(({ commit }) => commit.turn <= turn),
    counted: segment.counted.filter((change) => change.turn < turn && change.now <= now),
  };
}

/** The records after a turn, from the next known ones backwards. */
function recordsAt(segments: readonly HistorySegment[], turn: number, present: () => Records): Records {
  const known = segments.findIndex(
    ({ records }, n) => records && turn <= (segments[n + 1]?.after.turn ?? turn),
  );
  const records = segments[known]?.records?.copy() ?? present();
  for (const { turns } of (known < 0 ? segments : segments.slice(0, known + 1)).toReversed())
    for (const { commit, replaced } of turns.toReversed()) {
      if (commit.turn <= turn) return records;
      records.undo(commit, replaced);
    }
  return records;
}
