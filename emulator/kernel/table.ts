/** A kind of record: its name in the store, and the group under which its records are listed. */
export interface Collection<T> {
  readonly name: string;
  readonly idOf: (record: T) => string;
  /** Records of one group are listed together, oldest first; one group holds all when left out. */
  readonly groupOf: (record: T) => string;
}

const ALL = "";

export function collection<T>(
  name: string,
  idOf: (record: T) => string,
  groupOf: (record: T) => string = () => ALL,
): Collection<T> {
  return { name, idOf, groupOf };
}

/** The records of one collection: by id, and by group in the order in which they were first put. */
export interface Table<T> {
  readonly size: number;
  get(id: string): T | undefined;
  put(record: T): void;
  remove(id: string): void;
  /** Oldest first. */
  list(group?: string): Iterable<T>;
  count(group?: string): number;
  values(): Iterable<T>;
}

export function createTable<T>(kind: Collection<T>): Table<T> {
  const records = new Map<string, T>();
  const groups = new Map<string, Map<string, T>>();

  function leaveGroup(record: T): void {
    const name = kind.groupOf(record);
    const group = groups.get(name);
    group?.delete(kind.idOf(record));
    if (group?.size === 0) groups.delete(name);
  }

  return {
    get size() {
      return records.size;
    },
    get: (id) => records.get(id),
    put(record) {
      const id = kind.idOf(record);
      const before = records.get(id);
      const name = kind.groupOf(record);
      if (before !== undefined && kind.groupOf(before) !== name) leaveGroup(before);
      records.set(id, record);
      const group = groups.get(name) ?? new Map<string, T>();
      groups.set(name, group.set(id, record));
    },
    remove(id) {
      const record = records.get(id);
      if (record === undefined) return;
      leaveGroup(record);
      records.delete(id);
    },
    list: (group = ALL) => groups.get(group)?.values() ?? [],
    count: (group = ALL) => groups.get(group)?.size ?? 0,
    values: () => records.values(),
  };
}
