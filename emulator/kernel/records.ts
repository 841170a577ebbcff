import type { Commit, StoredRecord, WorldState } from "./commit.ts";
import { type Collection, createTable, type ReplacedRow, type Row, type Table } from "./table.ts";
import type { Reader } from "./turn.ts";

/** The tables of a world, one for each of its collections. */
export interface Records {
  readonly reader: Reader;
  table<T>(kind: Collection<T>): Table<T>;
  /** Applies a commit again; answers what it replaces. */
  apply(changes: Changes): readonly ReplacedRow[];
  /** Takes the last changes back, which had replaced these. */
  undo(changes: Changes, replaced: readonly ReplacedRow[]): void;
  /** Everything, as a snapshot has it. */
  storedRecords(): WorldState["records"];
  /** Records of their own that begin with what these hold. */
  copy(): Records;
}

/** What a commit changes in records. */
type Changes = Pick<Commit, "put" | "removed">;

type Kinds = ReadonlyMap<string, Collection<never>>;
type Tables = Map<string, Table<never>>;

/** The records of a stored world; those of a collection that is not among these are left out. */
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
    const found = tables.get(name) ?? newTable(name);
    return found as Table<T>;
  }

  /** Stored records are JSON that was written for this collection: they are trusted to have its type. */
  const putStored = <T>(kind: Collection<T>, record: unknown): Row<T> | undefined =>
    table(kind).put(record as T);
  const restore = <T>(kind: Collection<T>, key: string, row: Row<unknown> | undefined): void =>
    table(kind).restore(key, row as Row<T> | undefined);

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
    apply({ put = {}, removed = {} }) {
      const replaced: ReplacedRow[] = [];
      // What was removed and put again comes last in the order of its collection.
      each(removed, (collection, key) => {
        const row = tables.get(collection)?.remove(key);
        if (row) replaced.push({ collection, key, row });
      });
      each(put, (collection, { key, record }) => {
        const kind = kinds.get(collection);
        const row = kind && putStored(kind, record);
        if (row) replaced.push({ collection, key, row });
      });
      return replaced;
    },
    undo({ put = {} }, replaced) {
      const kept = new Set(replaced.map(({ collection, key }) => `${collection}/${key}`));
      each(put, (name, { key }) => {
        if (kept.size === 0 || !kept.has(`${name}/${key}`)) tables.get(name)?.remove(key);
      });
      for (const { collection, key, row } of replaced) {
        const kind = kinds.get(collection);
        if (kind) restore(kind, key, row);
      }
    },
    storedRecords: () => Object.fromEntries([...kinds.values()].map((kind) => [kind.name, storedOf(kind)])),
    copy: () => recordsIn(kinds, copyTables()),
  };
}

function each<T>(
  lists: Readonly<Record<string, readonly T[]>>,
  act: (collection: string, item: T) => void,
): void {
  for (const name in lists) for (const item of lists[name] ?? []) act(name, item);
}
