import type { Stored, WorldState } from "./commit.ts";
import { type Collection, createTable, type Table } from "./table.ts";
import type { Reader } from "./turn.ts";

/** The tables of a world, one for each of its collections. */
export interface Records {
  readonly reader: Reader;
  table<T>(kind: Collection<T>): Table<T>;
  /** Everything, as a snapshot has it. */
  stored(): WorldState["records"];
  /** Records of their own that begin with what these hold. */
  copy(): Records;
}

type Tables = ReadonlyMap<string, Table<never>>;

export function createRecords(
  collections: readonly Collection<never>[],
  stored: WorldState["records"],
): Records {
  const tables = new Map(collections.map((kind) => [kind.name, createTable(kind)]));
  for (const [name, items] of Object.entries(stored))
    for (const { record } of items) tables.get(name)?.put(record as never);
  return recordsIn(collections, tables);
}

function recordsIn(collections: readonly Collection<never>[], tables: Tables): Records {
  function table<T>(kind: Collection<T>): Table<T> {
    const found = tables.get(kind.name);
    if (!found) throw new Error(`The collection ${kind.name} is not part of this world.`);
    return found as unknown as Table<T>;
  }

  const storedOf = (kind: Collection<never>): readonly Stored[] =>
    [...table(kind).values()].map((record) => ({ key: kind.idOf(record), record }));

  return {
    table,
    reader: {
      get: (kind, id) => table(kind).get(id),
      list: (kind, group) => table(kind).list(group),
      count: (kind, group, label) => table(kind).count(group, label),
      page: (kind, wanted) => table(kind).page(wanted),
      all: (kind) => table(kind).values(),
    },
    stored: () => Object.fromEntries(collections.map((kind) => [kind.name, storedOf(kind)])),
    copy: () => recordsIn(collections, new Map([...tables].map(([name, each]) => [name, each.copy()]))),
  };
}
