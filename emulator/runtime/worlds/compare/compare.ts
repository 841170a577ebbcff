import type { AsOf } from "../../../kernel/as-of.ts";
import type { Commit } from "../../../kernel/commit.ts";
import { formatInstant } from "../../../kernel/instant.ts";
import { entryOf, type JournalEntry } from "../../../kernel/journal.ts";
import { unsharedValues } from "../../../kernel/shared-map.ts";
import type { Table } from "../../../kernel/table.ts";
import type { Pool } from "../../../storage/pool/pool.ts";
import { type IsAbandoned, refuseIfAbandoned } from "../../../subjects/abandoned.ts";
import { objects } from "../../../subjects/object-storage/records.ts";
import { EVENTS } from "../../../subjects/secret-paths.ts";
import type { World } from "../../../subjects/turn.ts";
import type { ComparisonProgress } from "../../../subjects/work-progress.ts";
import type { Changes, ComparedWorld, Parting, WorldDifference } from "../../../subjects/world-difference.ts";
import { COLLECTIONS } from "../../assembly.ts";
import type { WorldRuntime } from "../runtime.ts";
import type { YieldWhenDue } from "../slices.ts";
import { withOwnTime } from "../world-state.ts";
import { changesBetween, createChangeList, pairsOf } from "./changes.ts";
import { comparable } from "./comparable.ts";
import { withParquetRows } from "./parquet.ts";
import { rowChanges } from "./rows.ts";

/** A world, and the point in its past that is meant; as it is now when left out. */
export interface WorldAt {
  readonly id: string;
  readonly runtime: WorldRuntime;
  readonly at: AsOf | undefined;
}

/** The tools and bounds of a comparison. */
interface ComparisonTools {
  readonly pool: Pool;
  readonly maxRows: number;
  readonly progress: ComparisonProgress;
  readonly isAbandoned: IsAbandoned;
}

/** Above the order of every record. */
const MAX_ORDER = 2 ** 50;

/**
 * Compares two worlds, each as of one point: what happens meanwhile changes nothing of the result. Throws what has
 * ended one of them, and a `Refusal` when the client has left.
 */
export async function compareWorlds(
  tools: ComparisonTools,
  worlds: readonly [WorldAt, WorldAt],
): Promise<WorldDifference> {
  const [one, other] = worlds;
  try {
    return await differenceOf(tools, worlds);
  } catch (error) {
    // The files of a world that was removed or reset are no longer there.
    throw one.runtime.world.defect ?? other.runtime.world.defect ?? error;
  }
}

async function differenceOf(
  { pool, maxRows, progress, isAbandoned }: ComparisonTools,
  [one, other]: readonly [WorldAt, WorldAt],
): Promise<WorldDifference> {
  const [a, b] = [runtimeAt(one), runtimeAt(other)];
  const yieldWhenDue = () => one.runtime.clock.yieldWhenDue()?.then(() => refuseIfAbandoned(isAbandoned));
  const records = new Map(await recordChanges(a.world, b.world, yieldWhenDue));
  const objectChanges = records.get(objects.name) ?? (await createChangeList().list(yieldWhenDue));
  records.delete(objects.name);
  const rows = await rowChanges(pool, [a, b], maxRows, progress, yieldWhenDue);
  const events = await eventChanges(a.world, b.world, yieldWhenDue);
  const difference = {
    records: Object.fromEntries(records),
    rows,
    objects: await withParquetRows(objectChanges, [a.objects, b.objects], yieldWhenDue),
    events,
  };
  const same = records.size === 0 && [rows, objectChanges, events].every(isEmpty) && rows.not_compared === 0;
  return {
    a: viewOf(one.id, a),
    b: viewOf(other.id, b),
    same,
    ...difference,
    parted: await partingOf(a, b, yieldWhenDue),
  };
}

function runtimeAt({ runtime, at }: WorldAt): WorldRuntime {
  return runtime.asOf(at ?? { turn: runtime.world.lastTurn });
}

function isEmpty({ added, removed, changed }: Changes): boolean {
  return added + removed + changed === 0;
}

function viewOf(id: string, { world }: WorldRuntime): ComparedWorld {
  return { world: id, turn: world.lastTurn, now: formatInstant(world.now), clock: withOwnTime(world.clock) };
}

/** Where the journals of two worlds part, as far as both histories reach. */
async function partingOf(
  a: WorldRuntime,
  b: WorldRuntime,
  yieldWhenDue: YieldWhenDue,
): Promise<Parting | null> {
  const begin = Math.max(a.history.earliest.turn, b.history.earliest.turn);
  const [left, right] = [turnsFrom(a, begin), turnsFrom(b, begin)];
  for (const turn of [...new Set([...left.keys(), ...right.keys()])].sort((x, y) => x - y)) {
    await yieldWhenDue();
    const [one, other] = [left.get(turn), right.get(turn)];
    if (one !== other && !(one && other && textOf(one) === textOf(other))) return partingAt(turn, one, other);
  }
  return null;
}

function turnsFrom({ history, world }: WorldRuntime, begin: number): ReadonlyMap<number, Commit> {
  const commits = new Map<number, Commit>();
  for (const { commit } of history.turns())
    if (commit.turn > begin && commit.turn <= world.lastTurn) commits.set(commit.turn, commit);
  return commits;
}

/** What a turn did, as it is compared. */
function textOf(commit: Commit): string {
  const put = Object.entries(commit.put ?? {}).map(([name, items]) => [
    name,
    items.map(({ key, record }) => [key, comparable(name, record)]),
  ]);
  return JSON.stringify([entryOf(commit), put]);
}

function partingAt(turn: number, one: Commit | undefined, other: Commit | undefined): Parting {
  const [a, b] = [one, other].map((commit) => (commit ? entryOf(commit) : null)) as [
    JournalEntry | null,
    JournalEntry | null,
  ];
  return {
    turn,
    a,
    b,
    reason: `at turn ${turn} the first has ${describeTurn(a)}, the second ${describeTurn(b)}`,
  };
}

function describeTurn(entry: JournalEntry | null): string {
  if (!entry) return "nothing that changed it";
  const { type, name, ref } = entry.cause;
  return [type, name, ref].filter(Boolean).join(" ");
}

/** The records of two worlds that differ, by collection. Forks share what neither has changed, which is skipped. */
async function recordChanges(
  a: World,
  b: World,
  yieldWhenDue: YieldWhenDue,
): Promise<ReadonlyMap<string, Changes>> {
  const changesByKey = new Map<string, Changes>();
  const [left, right] = [a.image().records, b.image().records];
  for (const kind of COLLECTIONS) {
    const comparableOf = (record: unknown) => comparable(kind.name, record);
    const pairs = recordPairs(left.table(kind), right.table(kind));
    const changes = await changesBetween<unknown>(pairs, comparableOf, yieldWhenDue);
    if (!isEmpty(changes)) changesByKey.set(kind.name, changes);
  }
  return changesByKey;
}

/** In the order in which the first world has its records, then the other its own. */
function* recordPairs<T>(a: Table<T>, b: Table<T>) {
  for (const pair of unsharedValues(a.rows, b.rows)) {
    const { key = "", before, after } = pair ?? {};
    const rank = before?.order ?? MAX_ORDER + (after?.order ?? 0);
    yield pair && { key, rank, before: before?.record, after: after?.record };
  }
}

/** What is due in one of two worlds. */
function eventChanges(a: World, b: World, yieldWhenDue: YieldWhenDue): Promise<Changes> {
  const byName = (world: World) =>
    new Map(world.queue().map((event) => [`${event.number} ${event.kind} ${event.ref}`, event]));
  return changesBetween(pairsOf(byName(a), byName(b)), (event) => comparable(EVENTS, event), yieldWhenDue);
}
