import type { MutableRecords, StoredRecord, WorldState } from "./commit.ts";
import { type Collection, createTable, type Table } from "./table.ts";
import type { Reader } from "./turn.ts";

/** The tables of a world, one for each of its collections. */
export interface Records {
  readonly reader: Reader;
  table<T>(kind: Collection<T>): Table<T>;
  /** For commits that are applied again. */
  readonly writer: MutableRecords;
  /** Everything, as a snapshot has it. */
  stored(): WorldState["records"];
  /** Records of their own that begin with what these hold. */
  copy(): Records;
}

type Kinds = ReadonlyMap<string, Collection<never>>;
type Tables = Map<string, Table<never>>;

/** The records of a stored world; those of a collection that is not among these are left out. */
export function createRecords(
  collections: readonly Collection<never>[],
  stored: WorldState["records"],
): Records {
  const records = recordsIn(new Map(collections.map((kind) => [kind.name, kind])), new Map());
  for (const [name, items] of Object.entries(stored))
    for (const item of items) records.writer.put(name, item);
  return records;
}

/** Tables are created on first use: most worlds use few, and a process may have many worlds. */
function recordsIn(kinds: Kinds, tables: Tables): Records {
  function table<T>({ name }: Collection<T>): Table<T> {
    const found = tables.get(name) ?? newTable(name);
    return found as Table<T>;
  }

  /** Stored records are JSON that was written for this collection: they are trusted to have its type. */
  const putStored = <T>(kind: Collection<T>, record: unknown): void => table(kind).put(record as T);

  function newTable(name: string): Table<never> {
    const kind = kinds.get(name);
    if (!kind) throw new Error(`The collection ${name} is not part of this world.`);
    const made = createTable(kind);
    tables.set(name, made);
    return made;
  }

  const copyTables = (): Tables =>
    new Map([...tables].filter(([, { size }]) => size > 0).map(([name, each]) => [name, each.copy()]));

  const storedOf = (kind: Collection<never>): readonly StoredRecord[] =>
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
    writer: {
      put(name, { record }) {
        const kind = kinds.get(name);
        if (kind) putStored(kind, record);
      },
      remove: (name, key) => tables.get(name)?.remove(key),
    },
    stored: () => Object.fromEntries([...kinds.values()].map((kind) => [kind.name, storedOf(kind)])),
    copy: () => recordsIn(kinds, copyTables()),
  };
}
