import type { Collection } from "../../../kernel/table.ts";
import { EVENTS } from "../../../storage/secret-paths.ts";
import type { World } from "../../../subjects/turn.ts";
import type { Changes } from "../../../subjects/world-difference.ts";
import { COLLECTIONS } from "../../assembly.ts";
import { type ChangeList, createChangeList, fieldChanges } from "./changes.ts";
import { comparable } from "./comparable.ts";

/** The records of two worlds that differ, by collection. Forks share what neither has changed, which is passed over. */
export function recordChanges(a: World, b: World): ReadonlyMap<string, Changes> {
  const found = new Map<string, Changes>();
  for (const kind of COLLECTIONS) {
    const changes = createChangeList();
    addChanges(changes, kind.name, byId(a, kind), byId(b, kind));
    const list = changes.list();
    if (list.added + list.removed + list.changed > 0) found.set(kind.name, list);
  }
  return found;
}

function byId<T>({ reader }: World, kind: Collection<T>): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  for (const record of reader.all(kind)) found.set(kind.idOf(record), record);
  return found;
}

/** What is due in one of two worlds. */
export function eventChanges(a: World, b: World): Changes {
  const byName = (world: World) =>
    new Map(world.queue().map((event) => [`${event.number} ${event.kind} ${event.ref}`, event]));
  const changes = createChangeList();
  addChanges(changes, EVENTS, byName(a), byName(b));
  return changes.list();
}

function addChanges(
  changes: ChangeList,
  collection: string,
  a: ReadonlyMap<string, unknown>,
  b: ReadonlyMap<string, unknown>,
): void {
  for (const [key, left] of a) {
    if (!b.has(key)) changes.add(key, "removed");
    else if (left !== b.get(key)) {
      const [before, after] = [comparable(collection, left), comparable(collection, b.get(key))];
      if (JSON.stringify(before) !== JSON.stringify(after))
        changes.add(key, "changed", () => fieldChanges(before, after));
    }
  }
  for (const key of b.keys()) if (!a.has(key)) changes.add(key, "added");
}
