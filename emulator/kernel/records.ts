import type { Commit, StoredRecord, WorldState } from "./commit.ts";
import { type Collection, createTable, type ReplacedRow, type Row, type Table } from "./table.ts";
import type { Reader } from "./turn.ts";

/** The tables of a world, one for each of its collections. */
export interface Records {
  readonly reader: Reader;
  table<T>(kind: Collection<T>): Table<T>;
  /** Applies the changes of a commit, and returns the rows that they replace. */
  apply(changes: Changes): readonly ReplacedRow[];
  /** Reverts the last changes, which had replaced these rows. */
  undo(changes: Changes, replacedRows: readonly ReplacedRow[]): void;
  /** All records as plain data, for a snapshot. */
  storedRecords(): WorldState["records"];
  /** An independent copy. */
  copy(): Records;
}

/** The changes of a commit to records. */
type Changes = Pick<Commit, "put" | "removed">;

type Kinds = ReadonlyMap<string, Collection<never>>;
type Tables = Map<string, Table<never>>;

/** The records of a stored world. Records of other collections are left out. */
export function createRecords(
  collections: readonly Collection<never>[],
  storedRecords: WorldState["records"],
): Records {
  const records = recordsIn(new Map(collections.map((kind) => [kind.name, kind])), new Map());
  records.apply({ put: storedRecords });
  return records;
}

/** Tables are created on first use: most worlds use few, and a process may have many worlds. */
function recordsIn(kinds: Kinds, tables: Tables): Records {
  function table<T>({ name }: Collection<T>): Table<T> {
    return (tables.get(name) ?? addTable(kinds, tables, name)) as Table<T>;
  }

  return {
    table,
    reader: {
      get: (kind, id) => table(kind).get(id),
      list: (kind, group) => table(kind).list(group),
      count: (kind, ...range) => table(kind).count(...range),
      page: (kind, range) => table(kind).page(range),
    },
    apply({ put = {}, removed = {} }) {
      const replacedRows: ReplacedRow[] = [];
      // A record that is removed and put again becomes the last of its collection.
      each(removed, (collection, key) => {
        const row = tables.get(collection)?.remove(key);
        if (row) replacedRows.push({ collection, key, row });
      });
      each(put, (collection, { key, record }) => {
        const kind = kinds.get(collection);
        const row = kind && putStored(table(kind), record);
        if (row) replacedRows.push({ collection, key, row });
      });
      return replacedRows;
    },
    undo({ put = {} }, replacedRows) {
      const earlier = new Set(replacedRows.map(({ collection, key }) => `${collection}/${key}`));
      each(put, (name, { key }) => {
        if (earlier.size === 0 || !earlier.has(`${name}/${key}`)) tables.get(name)?.remove(key);
      });
      for (const { collection, key, row } of replacedRows) {
        const kind = kinds.get(collection);
        if (kind) restore(table(kind), key, row);
      }
    },
    storedRecords: () =>
      Object.fromEntries([...kinds.values()].map((kind) => [kind.name, recordsOf(kind, table(kind))])),
    copy() {
      const filled = [...tables].filter(([, { size }]) => size > 0);
      return recordsIn(kinds, new Map(filled.map(([name, each]) => [name, each.copy()])));
    },
  };
}

function addTable(kinds: Kinds, tables: Tables, name: string): Table<never> {
  const kind = kinds.get(name);
  if (!kind) throw new Error(`The collection ${name} is not part of this world.`);
  const table = createTable(kind);
  tables.set(name, table);
  return table;
}

/** Stored records are JSON that was written for this collection: they are trusted to have its type. */
function putStored<T>(table: Table<T>, record: unknown): Row<T> | undefined {
  return table.put(record as T);
}

function restore<T>(table: Table<T>, key: string, row: Row<unknown>): void {
  table.restore(key, row as Row<T>);
}

function recordsOf(kind: Collection<never>, table: Table<never>): readonly StoredRecord[] {
  return [...table.list()].map((record) => ({ key: kind.idOf(record), record }));
}

function each<T>(
  lists: Readonly<Record<string, readonly T[]>>,
  act: (collection: string, item: T) => void,
): void {
  for (const name in lists) for (const item of lists[name] ?? []) act(name, item);
}
