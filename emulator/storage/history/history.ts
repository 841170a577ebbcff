import { type AsOf, beforeHistory, notYet, type Point } from "../../kernel/as-of.ts";
import type { Commit } from "../../kernel/commit.ts";
import { imageAfter, type WorldImage } from "../../kernel/image.ts";
import { formatInstant, instantMs } from "../../kernel/instant.ts";
import type { Journal } from "../../kernel/journal.ts";
import type { RateLimiter } from "../../subjects/rate-limits/limiter.ts";
import { StoreError } from "../store-error.ts";
import { sizeOfCommit } from "./size.ts";

/** How far back a history reaches: in turns, and in bytes of what is kept for it alone. */
export interface HistoryBounds {
  readonly turns: number;
  readonly bytes: number;
}

/** A turn that left something behind. */
export interface PastTurn extends Point {
  /** Without changes for one that only wrote trace rows. */
  readonly commit: Commit;
  /** The number of the row after its last one. */
  readonly rows: number;
}

/** A whole state of a world. */
export interface Moment {
  readonly image: WorldImage;
  /** The number of the next trace row. */
  readonly rows: number;
  readonly limiter: RateLimiter;
}

/** What has become of the rate limiter right before a turn. */
interface LimiterChange extends Point {
  readonly repeat: (limiter: RateLimiter) => void;
}

/** Turns that follow on a whole state. */
export interface Stretch {
  readonly first: Moment;
  readonly turns: PastTurn[];
  readonly counted: LimiterChange[];
  bytes: number;
  /** Bodies that no record names since one of these turns. */
  readonly bodies: string[];
}

/** The last turns of a world: its state after each of them can be had again. */
export interface History {
  /** Adds the turn that has just ended. */
  add(turn: PastTurn): void;
  /** Adds a change of the rate limiter, after the turn that `point` names. */
  count(repeat: LimiterChange["repeat"], point: Point): void;
  /** Begins another stretch when the last one is full; between two turns. */
  settle(): void;
  /** Keeps bodies that no record names any more, as long as a state of the past does. */
  keepBodies(files: readonly string[], bytes: number): void;
  /** The first state that can be had. */
  readonly earliest: Point;
  /** The turns that left something behind, oldest first. */
  turns(): Iterable<PastTurn>;
  /** The turn and the instant that are meant; `present` is where the world stands. Refuses what is out of reach (422). */
  pointAt(at: AsOf, present: Point): Point;
  /** The state at a point in reach. */
  momentAt(point: Point): Moment;
  /** What a fork from a point has behind it. */
  upTo(turn: number): readonly Stretch[];
  /** All of it, to be kept for the next process; undefined when nothing was added to what this one has found. */
  kept(): readonly Stretch[] | undefined;
}

/** The history of a world before this process: read when it is first wanted. */
export interface Older {
  readonly earliest: Point;
  /** Whether turns follow that its file does not have. */
  readonly isAhead: boolean;
  /** Throws a `StoreError` if its files are gone or damaged. */
  load(limiter: RateLimiter): readonly Stretch[];
}

/** What a history is kept with. */
export interface HistoryOptions {
  readonly bounds: HistoryBounds;
  /** The state that it begins with. */
  readonly first: Moment;
  /** What the world that this one goes on from has behind it. */
  readonly before?: readonly Stretch[];
  /** What an earlier process has left of it. */
  readonly older?: Older | undefined;
  /** The state as it is now, between two turns. */
  readonly capture: () => Moment;
  /** No state of the past names these bodies any more. */
  readonly release: (files: readonly string[]) => void;
  /** It also has the turns that left nothing behind. */
  readonly journal: Pick<Journal, "since">;
}

/** So many turns follow on one whole state: what the first look at one of them has to apply. */
export const STRETCH_TURNS = 2_000;
/** Stretches are given up as a whole, so that none may take more than this part of the bytes. */
const STRETCHES_MIN = 8;
const ENTRY_BYTES = 100;

/** Keeps the last turns of a world in memory: their commits, and a whole state every so many turns. */
export function createHistory(options: HistoryOptions): History {
  const { bounds, capture, release } = options;
  const stretchTurns = Math.min(STRETCH_TURNS, bounds.turns);
  const stretches: Stretch[] = [...(options.before ?? []), newStretch(options.first)];
  let bytes = stretches.reduce((sum, stretch) => sum + stretch.bytes, 0);

  let { older } = options;
  let isChanged = older?.isAhead ?? false;

  /** Reads what an earlier process has left. */
  function reachBack(): void {
    const loaded = older?.load(options.first.limiter) ?? [];
    older = undefined;
    stretches.unshift(...loaded);
  }

  const last = (): Stretch => stretches.at(-1) as Stretch;

  function grow(by: number): void {
    last().bytes += by;
    bytes += by;
  }

  function settle(): void {
    const { turns, counted, bytes: own } = last();
    if (turns.length + counted.length < stretchTurns && own * STRETCHES_MIN < bounds.bytes) return;
    stretches.push(newStretch(capture()));
    const { turn } = last().first.image;
    if ((stretches[0] as Stretch).first.image.turn <= turn - bounds.turns) older = undefined;
    while (stretches.length > 1) {
      const [oldest, next] = stretches as [Stretch, Stretch];
      if (next.first.image.turn > turn - bounds.turns && bytes <= bounds.bytes) break;
      stretches.shift();
      older = undefined;
      bytes -= oldest.bytes;
      release(oldest.bodies);
    }
  }

  return {
    add(turn) {
      isChanged = true;
      last().turns.push(turn);
      grow(ENTRY_BYTES + sizeOfCommit(turn.commit));
      settle();
    },
    settle,
    count(repeat, { turn, now }) {
      last().counted.push({ repeat, turn, now });
      grow(ENTRY_BYTES);
    },
    keepBodies(files, size) {
      last().bodies.push(...files);
      grow(size);
    },
    get earliest() {
      return older?.earliest ?? earliestOf(stretches);
    },
    *turns() {
      reachBack();
      for (const { turns } of stretches) yield* turns;
    },
    pointAt(at, present) {
      const isOver = "turn" in at ? at.turn <= present.turn : at.instant <= present.now;
      if (!isOver) throw notYet(at, present);
      const known = pointOf(at, stretches, options.journal);
      if (!known) reachBack();
      const point = known ?? pointOf(at, stretches, options.journal);
      if (!point) throw beforeHistory(at, earliestOf(stretches));
      return point;
    },
    // What is damaged stays where it is, until it is repaired.
    kept: () => (isChanged && isUndamaged(reachBack) ? stretches : undefined),
    momentAt: (point) => momentIn(stretchOf(stretches, point.turn) as Stretch, point),
    upTo(turn) {
      return stretches.filter(({ first }) => first.image.turn < turn).map((stretch) => cut(stretch, turn));
    },
  };
}

function isUndamaged(act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
}

export function newStretch(first: Moment): Stretch {
  return { first, turns: [], counted: [], bytes: 0, bodies: [] };
}

function stretchOf(stretches: readonly Stretch[], turn: number): Stretch | undefined {
  return stretches.findLast(({ first }) => first.image.turn <= turn);
}

function earliestOf(stretches: readonly Stretch[]): Point {
  const { turn, now } = (stretches[0] as Stretch).first.image;
  return { turn, now };
}

/** Undefined for what is before the first state. */
function pointOf(
  at: AsOf,
  stretches: readonly Stretch[],
  journal: Pick<Journal, "since">,
): Point | undefined {
  if ("turn" in at) {
    const { turn } = at;
    const stretch = stretchOf(stretches, turn);
    const known = journal.since(turn - 1)[0];
    if (stretch && known?.turn === turn) return { turn, now: instantMs(known.now) };
    const found = stretch?.turns.findLast((each) => each.turn <= turn) ?? stretch?.first.image;
    return found && { turn, now: found.now };
  }
  const { instant } = at;
  const stretch = stretches.findLast(({ first }) => first.image.now <= instant);
  const found = stretch?.turns.findLast((each) => each.now <= instant) ?? stretch?.first.image;
  const shown = formatInstant(instant);
  const known = journal.since(0).findLast(({ now }) => now <= shown);
  return found && { turn: Math.max(found.turn, known?.turn ?? 0), now: instant };
}

/** Its bodies are those of another world, which gives them up. */
function cut(stretch: Stretch, turn: number): Stretch {
  const isWithin = (point: Point): boolean => point.turn <= turn;
  return {
    ...stretch,
    turns: stretch.turns.filter(isWithin),
    counted: stretch.counted.filter(isWithin),
    bodies: [],
  };
}

function momentIn({ first, turns, counted }: Stretch, { turn, now }: Point): Moment {
  const until = turns.filter((each) => each.turn <= turn);
  const image = imageAfter(
    first.image,
    until.map(({ commit }) => commit),
  );
  const limiter = first.limiter.copy();
  for (const { repeat, ...after } of counted) if (after.turn < turn && after.now <= now) repeat(limiter);
  return { image: { ...image, turn, now }, rows: until.at(-1)?.rows ?? first.rows, limiter };
}
