import { type AsOf, historyIsReadOnly, type Point } from "../../../kernel/as-of.ts";
import type { JournalTurn } from "../../../kernel/journal.ts";
import { readOnlyParts } from "../../../kernel/timeline.ts";
import { createWorld } from "../../../kernel/world.ts";
import type { ObjectStore } from "../../../s3/object-store.ts";
import type { Moment } from "../../../storage/history/history.ts";
import { createDelays } from "../../../subjects/object-storage/delays.ts";
import type { RateLimiter } from "../../../subjects/rate-limits/limiter.ts";
import type { World } from "../../../subjects/turn.ts";
import type { Clock } from "../clock.ts";
import type { WorldRuntime } from "../runtime.ts";
import { oracleOf, partsOf, type WorldAdapters } from "../world-adapters.ts";

/** The number of points in the history of a world that stay open for further reads. */
const MAX_OPEN_POINTS = 8;

const refuse = (): never => {
  throw historyIsReadOnly();
};

/** The clock of a state of the history, in which time does not move. */
const STOPPED_CLOCK: Clock = {
  sync: () => undefined,
  behindMs: () => 0,
  freeze: refuse,
  flow: refuse,
  advance: async () => refuse(),
  currentAdvance: () => undefined,
  stopAdvance: refuse,
  stepTowards: () => false,
  yieldWhenDue: () => undefined,
  hold: () => undefined,
  release: () => undefined,
  close: () => undefined,
  dryRunPace: () => ({}),
};

/**
 * Adds the history to the runtime of a live world. Each point is opened once; the least recently used one is closed for
 * another. All of them end with the live world, for the same reason.
 */
export function withHistory(runtime: Omit<WorldRuntime, "asOf">, adapters: WorldAdapters): WorldRuntime {
  // In the order of use, the least recently used first.
  const openPoints = new Map<string, WorldRuntime>();
  const live: WorldRuntime = {
    ...runtime,
    asOf,
    end: (reason) => endAll(runtime.end(reason)),
    close: (stopBy) => endAll(runtime.close(stopBy)),
  };
  return live;

  /** The live world has ended, and its files are released. */
  function endAll(liveEnd: Promise<void>): Promise<void> {
    const { defect } = runtime.world;
    if (defect) for (const { world } of openPoints.values()) world.end(defect);
    openPoints.clear();
    return liveEnd;
  }

  function asOf(at: AsOf): WorldRuntime {
    const { history, world, clock } = live;
    if (world.defect) throw world.defect;
    clock.sync();
    const point = history.pointAt(at);
    const key = `${point.turn} ${point.now}`;
    const existing = openPoints.get(key);
    openPoints.delete(key);
    const runtime = existing && !existing.world.defect ? existing : openPoint(live, adapters, point);
    openPoints.set(key, runtime);
    const [oldest] = openPoints.keys();
    if (openPoints.size > MAX_OPEN_POINTS && oldest !== undefined) openPoints.delete(oldest);
    return runtime;
  }
}

/** Opens a read-only world over the state at a point of the history. */
function openPoint(live: WorldRuntime, adapters: WorldAdapters, point: Point): WorldRuntime {
  const moment = live.history.momentAt(point);
  const readers = historyAdapters(adapters, moment);
  const { storage, delays } = readers;
  // Most reads do not look at the journal.
  const turns = () => journalUpTo(live, point.turn);
  const world: World = createWorld(readOnlyParts(partsOf(readers, moment.image, delays, turns)));
  const objects: ObjectStore = { world, files: storage.bodies, delays, triggerFault: () => undefined };
  return {
    ...live,
    world,
    clock: STOPPED_CLOCK,
    injectFault: () => undefined,
    objects,
    oracle: oracleOf(readers, objects),
    rowNames: storage.rows.names,
    stats: storage.rows.stats,
    dryRun: async () => refuse(),
    whenIdle: async () => refuse(),
  };
}

/** Reads rows and rate limits as of a moment. Bodies need no such reader: a body name is never used again. */
function historyAdapters(adapters: WorldAdapters, { rows: mark, limiter }: Moment): WorldAdapters {
  const rows = adapters.storage.rows.asOf(mark);
  return {
    ...adapters,
    ports: { ...adapters.ports, traces: rows, limiter: readOnlyLimiter(limiter) },
    storage: { ...adapters.storage, rows },
    delays: createDelays(),
  };
}

/** Reports its counts, and counts no further requests. */
function readOnlyLimiter(limiter: RateLimiter): RateLimiter {
  return { ...limiter, storedCount: limiter.storedCount, decide: () => undefined };
}

/** The turns of the journal up to this one, and the commits of older turns that the journal has dropped. */
function journalUpTo({ world, history }: WorldRuntime, turn: number): readonly JournalTurn[] {
  const recentTurns = world.journal.upTo(turn);
  const first = recentTurns[0]?.turn ?? turn + 1;
  const older: JournalTurn[] = [];
  for (const { commit } of history.turns()) if (commit.turn < first) older.push(commit);
  return [...older, ...recentTurns];
}
