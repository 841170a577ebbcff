import { createShelf, type Entry, type Shelf } from "./shelf.ts";

/** A kind of record: its name in the store, and the group under which its records are listed. */
export interface Collection<T> {
  readonly name: string;
  readonly idOf: (record: T) => string;
  /** Records of one group are listed together, oldest first; one group holds all when left out. */
  readonly groupOf: (record: T) => string;
  /** Records of a group that share a label can be paged on their own; without it no page is quick. */
  readonly labelOf?: (record: T) => string;
}

/** Part of a group, or of those in it that bear a label. */
export interface PageOf {
  readonly group?: string;
  readonly label?: string;
  readonly offset: number;
  readonly limit: number;
  readonly newestFirst?: boolean;
}

const ALL = "";

export function collection<T>(
  name: string,
  idOf: (record: T) => string,
  groupOf: (record: T) => string = () => ALL,
  labelOf?: (record: T) => string,
): Collection<T> {
  return { name, idOf, groupOf, ...(labelOf && { labelOf }) };
}

/** The records of one collection: by id, and by group in the order in which they were first put. */
export interface Table<T> {
  readonly size: number;
  get(id: string): T | undefined;
  put(record: T): void;
  remove(id: string): void;
  /** Oldest first. */
  list(group?: string): Iterable<T>;
  count(group?: string, label?: string): number;
  /** In the order of first puts, or the other way round. */
  page(wanted: PageOf): readonly T[];
  values(): Iterable<T>;
}

export function createTable<T>(kind: Collection<T>): Table<T> {
  const records = new Map<string, T>();
  const groups = new Map<string, Map<string, T>>();
  const shelves = createShelves(kind);

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
      shelves?.put(id, record);
      records.set(id, record);
      const group = groups.get(name) ?? new Map<string, T>();
      groups.set(name, group.set(id, record));
    },
    remove(id) {
      const record = records.get(id);
      if (record === undefined) return;
      leaveGroup(record);
      shelves?.remove(id);
      records.delete(id);
    },
    list: (group = ALL) => groups.get(group)?.values() ?? [],
    count(group = ALL, label) {
      if (label === undefined) return groups.get(group)?.size ?? 0;
      return shelvesOf(kind, shelves).find(group, label)?.size ?? 0;
    },
    page({ group = ALL, label, offset, limit, newestFirst = false }) {
      return shelvesOf(kind, shelves).find(group, label)?.page(offset, limit, newestFirst) ?? [];
    },
    values: () => records.values(),
  };
}

interface Shelves<T> {
  put(id: string, record: T): void;
  remove(id: string): void;
  find(group: string, label?: string): Shelf<T> | undefined;
}

function shelvesOf<T>({ name }: Collection<T>, shelves: Shelves<T> | undefined): Shelves<T> {
  if (!shelves) throw new Error(`The collection ${name} has no labels to page by.`);
  return shelves;
}

/** The order of every group and of every label in it; only for collections that are paged. */
function createShelves<T>({ groupOf, labelOf }: Collection<T>): Shelves<T> | undefined {
  if (!labelOf) return undefined;
  const shelves = new Map<string, Shelf<T>>();
  const entries = new Map<string, Entry<T>>();
  let last = 0;
  const namesOf = (record: T) => [groupOf(record), shelfName(groupOf(record), labelOf(record))] as const;

  function enter(name: string, entry: Entry<T>): void {
    const shelf = shelves.get(name) ?? createShelf<T>();
    shelves.set(name, shelf);
    shelf.add(entry);
  }

  function leave(name: string, entry: Entry<T>): void {
    const shelf = shelves.get(name);
    shelf?.remove(entry);
    if (shelf?.size === 0) shelves.delete(name);
  }

  return {
    put(id, record) {
      const known = entries.get(id);
      const before = known ? namesOf(known.record) : [];
      const after = namesOf(record);
      last += 1;
      const entry = known ?? { order: last, record };
      entries.set(id, entry);
      for (const name of before) if (!after.includes(name)) leave(name, entry);
      entry.record = record;
      for (const name of after) if (!(before as readonly string[]).includes(name)) enter(name, entry);
    },
    remove(id) {
      const entry = entries.get(id);
      if (!entry) return;
      for (const name of namesOf(entry.record)) leave(name, entry);
      entries.delete(id);
    },
    find: (group, label) => shelves.get(label === undefined ? group : shelfName(group, label)),
  };
}

function shelfName(group: string, label: string): string {
  return `${group}\u0000${label}`;
}
