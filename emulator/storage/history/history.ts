import { type AsOf, beforeHistory, type Point } from "../../kernel/as-of.ts";
import { progressFrom } from "../../kernel/commit.ts";
import type { WorldImage } from "../../kernel/image.ts";
import type { Journal } from "../../kernel/journal.ts";
import type { Records } from "../../kernel/records.ts";
import type { HistoryTurn } from "../../subjects/control-operation.ts";
import type { RateLimiter } from "../../subjects/rate-limits/limiter.ts";
import { unlessDamaged } from "../store-error.ts";
import {
  addChange,
  addTurn,
  advance,
  type Beginning,
  cut,
  type HistorySegment,
  type LimiterChange,
  MAX_SEGMENT_ENTRIES,
  newHistorySegment,
  pointOf,
  refuseFuture,
} from "./history-segment.ts";

/** How far back a history reaches: in turns, and in bytes that are retained only for it. */
export interface HistoryBounds {
  readonly turns: number;
  readonly bytes: number;
}

/** The complete state of a world at one point. */
export interface Moment {
  readonly image: WorldImage;
  /** The number of the next trace row. */
  readonly rows: number;
  readonly limiter: RateLimiter;
}

/** The history before a point of a world. */
export interface Before {
  readonly beginning: Beginning;
  /** Oldest first; at least one. */
  readonly segments: readonly HistorySegment[];
}

/** A history that is saved for the next process. */
export interface SavedHistory {
  readonly first: Moment;
  readonly segments: readonly HistorySegment[];
}

/** The history of a world before this process. It is read when it is first needed. */
export interface Older {
  readonly earliest: Point;
  /** Whether the journals have later turns than its file. */
  readonly isAhead: boolean;
  /** Throws a `StoreError` if its files are missing or damaged. */
  load(limiter: RateLimiter): Before | undefined;
}

/** How to create the history of a world. */
export interface HistoryOptions {
  readonly bounds: HistoryBounds;
  /** The state that it begins with. The history owns the limiter from here on. */
  readonly first: Moment;
  /** The history of the world that this one was forked from. */
  readonly before?: Before | undefined;
  /** The history of earlier processes. */
  readonly older?: Older | undefined;
  /** The current point of the world. */
  readonly present: () => Point;
  /** The current records, between two turns. */
  readonly records: () => Records;
  /** Called with bodies that no state of the history names any longer. */
  readonly release: (files: readonly string[]) => void;
  /** Also has the turns that changed nothing. */
  readonly journal: Pick<Journal, "lastOf" | "condense">;
}

/** Segments are dropped as a whole, so the bytes are divided into at least this many. */
const MIN_HISTORY_SEGMENTS = 8;

/**
 * The last turns of a world, in memory: their commits, and the records that each of them replaced. The state after each of them can
 * be computed from the present backwards.
 */
export class History {
  readonly #options: HistoryOptions;
  readonly #segments: HistorySegment[];
  #beginning: Beginning;
  #bytes: number;
  #last: HistorySegment;
  /** Undefined when it has been read, or is out of reach. */
  #older: Older | undefined;
  #isChanged: boolean;

  constructor(options: HistoryOptions) {
    const { first, before, older } = options;
    this.#options = options;
    this.#last = newHistorySegment(first.image);
    this.#segments = [...(before?.segments ?? []), this.#last];
    this.#beginning = before?.beginning ?? { ...first, progress: progressFrom(first.image) };
    this.#bytes = bytesOf(this.#segments);
    this.#older = older;
    this.#isChanged = older?.isAhead ?? before !== undefined;
  }

  /** Adds the turn that has just ended. */
  add(turn: HistoryTurn): void {
    this.#isChanged = true;
    this.#grow(addTurn(this.#last, turn));
    this.settle();
  }

  /** Adds a change of the rate limiter. */
  count(change: LimiterChange): void {
    this.#grow(addChange(this.#last, change));
  }

  /** Retains bodies that no record names any longer, while a state of the history does. */
  keepBodies(files: readonly string[], bytes: number): void {
    this.#last.bodies.push(...files);
    this.#grow(bytes);
  }

  /** Begins another segment when the last one is full, and drops those out of reach. Call it between two turns. */
  settle(): void {
    const { bounds, present } = this.#options;
    if (!isFull(this.#last, bounds)) return;
    this.#last = newHistorySegment(present());
    this.#segments.push(this.#last);
    const from = this.#last.after.turn - bounds.turns;
    if (this.#firstPoint().turn <= from) this.#older = undefined;
    while (this.#segments.length > 1) {
      const [oldest, next] = this.#segments as [HistorySegment, HistorySegment];
      if (next.after.turn > from && this.#bytes <= bounds.bytes) break;
      this.#drop(oldest, next);
    }
  }

  /** The first state that can be restored. */
  get earliest(): Point {
    return this.#older?.earliest ?? this.#firstPoint();
  }

  /** The turns that changed something, oldest first. */
  *turns(): Iterable<HistoryTurn> {
    for (const { turns } of this.#reachBack().segments) yield* turns;
  }

  /** Resolves a turn or an instant to a point. Refuses one that is out of reach (422). */
  pointAt(at: AsOf): Point {
    const { present, journal } = this.#options;
    refuseFuture(at, present());
    const point = pointOf(at, this.#segments, journal) ?? pointOf(at, this.#reachBack().segments, journal);
    if (!point) throw beforeHistory(at, this.#firstPoint());
    return point;
  }

  /** The state at a point in reach. */
  momentAt(point: Point): Moment {
    const then = copyOf(this.#beginning);
    const reached = this.#segments.filter(({ after }) => after.turn < point.turn);
    for (const segment of reached) advance(then, upToPoint(segment, point));
    const { progress, rows, limiter } = then;
    const records = recordsAt(this.#segments, point.turn, this.#options.records);
    return { image: { ...progress.state(), ...point, records }, rows, limiter };
  }

  /** The history of a fork after this turn, without damaged parts. */
  upTo(turn: number): Before {
    const { beginning, segments } = unlessDamaged(() => this.#reachBack()) ?? this.#inMemory();
    const reached = segments.filter(({ after }, n) => n === 0 || after.turn < turn);
    return { beginning: copyOf(beginning), segments: reached.map((segment) => cut(segment, turn)) };
  }

  /** The history that the next process needs; undefined when the existing file is up to date. */
  toSave(): SavedHistory | undefined {
    if (!this.#isChanged || !unlessDamaged(() => this.#reachBack())) return undefined;
    return { first: this.momentAt(this.#firstPoint()), segments: this.#segments };
  }

  #firstPoint(): Point {
    return (this.#segments[0] as HistorySegment).after;
  }

  #inMemory(): Before {
    return { beginning: this.#beginning, segments: this.#segments };
  }

  /** Reads the history of earlier processes. */
  #reachBack(): Before {
    const before = this.#older?.load(this.#options.first.limiter);
    this.#older = undefined;
    this.#beginning = before?.beginning ?? this.#beginning;
    this.#segments.unshift(...(before?.segments ?? []));
    this.#bytes = bytesOf(this.#segments);
    return this.#inMemory();
  }

  #grow(by: number): void {
    this.#last.bytes += by;
    this.#bytes += by;
  }

  #drop(oldest: HistorySegment, next: HistorySegment): void {
    const { release, journal } = this.#options;
    this.#segments.shift();
    this.#older = undefined;
    advance(this.#beginning, oldest);
    this.#bytes -= oldest.bytes;
    release(oldest.bodies);
    journal.condense(next.after.turn);
  }
}

function bytesOf(segments: readonly HistorySegment[]): number {
  return segments.reduce((sum, segment) => sum + segment.bytes, 0);
}

function isFull({ turns, limiterChanges, bytes }: HistorySegment, bounds: HistoryBounds): boolean {
  const entries = Math.min(MAX_SEGMENT_ENTRIES, bounds.turns);
  return turns.length + limiterChanges.length >= entries || bytes * MIN_HISTORY_SEGMENTS >= bounds.bytes;
}

function copyOf({ progress, rows, limiter }: Beginning): Beginning {
  return { progress: progressFrom(progress.state()), rows, limiter: limiter.copy() };
}

/** The part of a segment that led to a point. A request is counted before its turn. */
function upToPoint(segment: HistorySegment, { turn, now }: Point): HistorySegment {
  return {
    ...segment,
    turns: segment.turns.filter(({ commit }) => commit.turn <= turn),
    limiterChanges: segment.limiterChanges.filter((change) => change.turn < turn && change.now <= now),
  };
}

/** The records after a turn, computed backwards from the next records that are available. */
function recordsAt(segments: readonly HistorySegment[], turn: number, present: () => Records): Records {
  const base = segments.findIndex(
    ({ records }, n) => records && turn <= (segments[n + 1]?.after.turn ?? turn),
  );
  const records = segments[base]?.records?.copy() ?? present();
  for (const { turns } of (base < 0 ? segments : segments.slice(0, base + 1)).toReversed())
    for (const { commit, replaced } of turns.toReversed()) {
      if (commit.turn <= turn) return records;
      records.undo(commit, replaced);
    }
  return records;
}
