import type { AsOf } from "../../../kernel/as-of.ts";
import { formatInstant } from "../../../kernel/instant.ts";
import { objects } from "../../../subjects/object-storage/records.ts";
import type { Changes, ComparedWorld, WorldDifference } from "../../../subjects/world-difference.ts";
import type { WorldRuntime } from "../runtime.ts";
import { createChangeList } from "./changes.ts";
import { withParquetRows } from "./parquet.ts";
import { partingOf } from "./parting.ts";
import { eventChanges, recordChanges } from "./records.ts";
import { rowChanges } from "./rows.ts";

/** A world, and the point in its past that is meant; as it is now when left out. */
export interface WorldAt {
  readonly id: string;
  readonly runtime: WorldRuntime;
  readonly at: AsOf | undefined;
}

/**
 * Compares two worlds, each as of one point: what happens meanwhile changes nothing of the result. Throws what has
 * ended one of them.
 */
export async function compareWorlds(one: WorldAt, other: WorldAt, maxRows: number): Promise<WorldDifference> {
  try {
    return await differenceOf(one, other, maxRows);
  } catch (error) {
    // The files of a world that was removed or reset are no longer there.
    throw one.runtime.world.defect ?? other.runtime.world.defect ?? error;
  }
}

async function differenceOf(one: WorldAt, other: WorldAt, maxRows: number): Promise<WorldDifference> {
  const [a, b] = [runtimeAt(one), runtimeAt(other)];
  const records = new Map(recordChanges(a.world, b.world));
  const objectChanges = records.get(objects.name) ?? createChangeList().list();
  records.delete(objects.name);
  const rows = await rowChanges(a, b, maxRows);
  const events = eventChanges(a.world, b.world);
  const found = {
    records: Object.fromEntries(records),
    rows,
    objects: await withParquetRows(objectChanges, a.objects, b.objects),
    events,
  };
  const same = records.size === 0 && [rows, objectChanges, events].every(isEmpty) && rows.not_compared === 0;
  return { a: viewOf(one.id, a), b: viewOf(other.id, b), same, ...found, parted: partingOf(a, b) };
}

function runtimeAt({ runtime, at }: WorldAt): WorldRuntime {
  return runtime.asOf(at ?? { turn: runtime.world.lastTurn });
}

function isEmpty({ added, removed, changed }: Changes): boolean {
  return added + removed + changed === 0;
}

function viewOf(id: string, { world }: WorldRuntime): ComparedWorld {
  return { world: id, turn: world.lastTurn, now: formatInstant(world.now), clock: world.clock };
}
