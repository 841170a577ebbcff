import { type AsOf, type Point, pastIsReadOnly } from "../../../kernel/as-of.ts";
import type { Kept } from "../../../kernel/journal.ts";
import { createWorld } from "../../../kernel/world.ts";
import type { ObjectStore } from "../../../s3/object-store.ts";
import type { Moment } from "../../../storage/history/history.ts";
import { createDelays } from "../../../subjects/object-storage/delays.ts";
import type { RateLimiter } from "../../../subjects/rate-limits/limiter.ts";
import type { World } from "../../../subjects/turn.ts";
import type { Clock } from "../clock.ts";
import type { WorldRuntime } from "../runtime.ts";
import { oracleOf, partsOf, type WorldAdapters } from "../world-adapters.ts";

/** So many points in the past of a world stay open for further reads. */
const OPEN_MAX = 8;

const refuse = (): never => {
  throw pastIsReadOnly();
};

/** Time stands still in the past. */
const STILL: Clock = {
  sync: () => undefined,
  behindMs: () => 0,
  freeze: refuse,
  flow: refuse,
  advance: async () => refuse(),
  advancing: () => undefined,
  stopAdvance: refuse,
  stepTowards: () => false,
  yieldWhenDue: () => undefined,
  close: () => undefined,
  dryRunPace: () => ({}),
};

/**
 * The runtime of a world with its past: each point is opened once, and the one read longest ago given up for another. They
 * end with the world, for the same reason.
 */
export function withPast(runtime: Omit<WorldRuntime, "asOf">, adapters: WorldAdapters): WorldRuntime {
  // In the order of use, the one used longest ago first.
  const opened = new Map<string, WorldRuntime>();
  const live: WorldRuntime = {
    ...runtime,
    asOf,
    end: (reason) => endAll(runtime.end(reason)),
    close: () => endAll(runtime.close()),
  };
  return live;

  /** `ended`: the world itself has ended, its files go. */
  function endAll(ended: Promise<void>): Promise<void> {
    const { defect } = runtime.world;
    if (defect) for (const { world } of opened.values()) world.end(defect);
    opened.clear();
    return ended;
  }

  function asOf(at: AsOf): WorldRuntime {
    const { history, world, clock } = live;
    if (world.defect) throw world.defect;
    clock.sync();
    const point = history.pointAt(at);
    const key = `${point.turn} ${point.now}`;
    const known = opened.get(key);
    opened.delete(key);
    const found = known && !known.world.defect ? known : openPast(live, adapters, point);
    opened.set(key, found);
    const [oldest] = opened.keys();
    if (opened.size > OPEN_MAX && oldest !== undefined) opened.delete(oldest);
    return found;
  }
}

function openPast(live: WorldRuntime, adapters: WorldAdapters, point: Point): WorldRuntime {
  const moment = live.history.momentAt(point);
  const past = pastAdapters(adapters, moment);
  const { storage, delays } = past;
  const world: World = createWorld({
    ...partsOf(past, moment.image, delays),
    past: journalUpTo(live, point.turn),
  });
  const objects: ObjectStore = { world, files: storage.bodies, delays, triggerFault: () => undefined };
  return {
    ...live,
    world,
    clock: STILL,
    objects,
    oracle: oracleOf(past, objects),
    rowNames: storage.rows.names,
    stats: storage.rows.stats,
    dryRun: async () => refuse(),
    whenIdle: async () => refuse(),
  };
}

/** Rows and limits as they were; bodies are read under their names, which no later one has. */
function pastAdapters(adapters: WorldAdapters, { rows: mark, limiter }: Moment): WorldAdapters {
  const rows = adapters.storage.rows.asOf(mark);
  return {
    ...adapters,
    ports: { ...adapters.ports, traces: rows, limiter: uncounted(limiter) },
    storage: { ...adapters.storage, rows },
    delays: createDelays(),
  };
}

/** Shows its counts, and counts nothing. */
function uncounted(limiter: RateLimiter): RateLimiter {
  return { ...limiter, storedCount: limiter.storedCount, decide: () => undefined };
}

/** What the journal showed; of turns that it shows no more, the commits. */
function journalUpTo({ world, history }: WorldRuntime, turn: number): readonly Kept[] {
  const shown = world.journal.upTo(turn);
  const first = shown[0]?.turn ?? turn + 1;
  const older: Kept[] = [];
  for (const { commit } of history.turns()) if (commit.turn < first) older.push(commit);
  return [...older, ...shown];
}
