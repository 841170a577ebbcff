import { type OrderedId, Sequence } from "./sequence.ts";
import { createSharedMap, type SharedMap } from "./shared-map.ts";

/** A kind of record: its name in the store, and the group under which its records are listed. */
export interface Collection<T> {
  readonly name: string;
  readonly idOf: (record: T) => string;
  /** Records of one group are listed together, oldest first; one group holds all when left out. */
  readonly groupOf: (record: T) => string;
  /** Records of a group that share a label can be paged on their own. */
  readonly labelOf?: (record: T) => string;
}

/** Part of a group, or of those in it that bear a label. */
export interface PageRange {
  readonly group?: string;
  readonly label?: string;
  readonly offset: number;
  readonly limit: number;
  readonly newestFirst?: boolean;
}

const ALL = "";

/** Without `groupOf` all records of the collection are one group; without `labelOf` none has a label. */
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
  /** Answers what it replaces; `id` is that of the record, for callers that have it already. */
  put(record: T, id?: string): Row<T> | undefined;
  remove(id: string): Row<T> | undefined;
  /** Has a record again as it was, in its place; without one, none. */
  restore(id: string, row: Row<T> | undefined): void;
  /** Oldest first; what is put or removed on the way is seen. */
  list(group?: string): Iterable<T>;
  count(group?: string, label?: string): number;
  /** In the order of first puts, or the other way round. */
  page(wanted: PageRange): readonly T[];
  values(): Iterable<T>;
  /** A table of its own that begins with what this one holds; its cost hardly grows with that. */
  copy(): Table<T>;
}

/** A record with its place in the order of first puts. */
export interface Row<T> {
  readonly order: number;
  readonly record: T;
}

/** What a turn has replaced or removed. */
export interface ReplacedRow {
  readonly collection: string;
  readonly key: string;
  readonly row: Row<unknown>;
}

const NO_NAMES: readonly string[] = [];

/** What stands in one group, or under one label of it; whoever is not its owner copies it before a change. */
interface GroupIndex {
  readonly owner: object;
  readonly ids: Sequence;
}

/** What copies of a table share until one of them writes. */
interface TableState<T> {
  readonly rows: SharedMap<Row<T>>;
  readonly groupIndexes: SharedMap<GroupIndex>;
  readonly everything: Sequence;
  readonly last: number;
}

/** An empty table of this collection. */
export function createTable<T>(kind: Collection<T>): Table<T> {
  const [rows, groupIndexes] = [createSharedMap<Row<T>>(), createSharedMap<GroupIndex>()];
  return tableOn(kind, { rows, groupIndexes, everything: new Sequence(), last: 0 });
}

function tableOn<T>(kind: Collection<T>, state: TableState<T>): Table<T> {
  const { rows, groupIndexes, everything } = state;
  const namesOf = groupNamer(kind);
  const groups = createGroups(groupIndexes);
  let last = state.last;

  /** Part after part, so that what is put, moved or removed on the way does no harm. */
  function* walk(ids: Sequence, stillMatches: (record: T) => boolean): Generator<T> {
    for (let part = ids.after(0); part.length > 0; part = ids.after((part.at(-1) as OrderedId).order))
      for (const { id, order } of part) {
        const row = rows.get(id);
        if (row?.order === order && stillMatches(row.record)) yield row.record;
      }
  }

  /** Instead of a row of the same order, or where none is. */
  function place(id: string, row: Row<T>, known: Row<T> | undefined): void {
    rows.set(id, row);
    if (known && isGroupedAlike(kind, known.record, row.record)) return;
    const entry = { order: row.order, id };
    if (!known) everything.add(entry);
    groups.move(entry, known ? namesOf(known.record) : NO_NAMES, namesOf(row.record));
  }

  function remove(id: string): Row<T> | undefined {
    const row = rows.get(id);
    if (!row) return undefined;
    groups.move({ order: row.order, id }, namesOf(row.record), NO_NAMES);
    everything.remove(row.order);
    rows.delete(id);
    return row;
  }

  return {
    get size() {
      return rows.size;
    },
    get: (id) => rows.get(id)?.record,
    put(record, id = kind.idOf(record)) {
      const known = rows.get(id);
      place(id, { order: known?.order ?? ++last, record }, known);
      return known;
    },
    remove,
    restore(id, row) {
      if (rows.get(id)?.order !== row?.order) remove(id);
      if (!row) return;
      // A copy of a table that was empty has counted none yet.
      last = Math.max(last, row.order);
      place(id, row, rows.get(id));
    },
    list(group = ALL) {
      const groupIndex = groupIndexes.get(group);
      return groupIndex ? walk(groupIndex.ids, (record) => kind.groupOf(record) === group) : [];
    },
    count: (group = ALL, label) => groupIndexes.get(groupName(kind, group, label))?.ids.size ?? 0,
    page({ group = ALL, label, offset, limit, newestFirst = false }) {
      const ids = groupIndexes.get(groupName(kind, group, label))?.ids;
      if (!ids) return [];
      const [from, to] = newestFirst
        ? [Math.max(0, ids.size - offset - limit), Math.max(0, ids.size - offset)]
        : [offset, offset + limit];
      const page = ids.slice(from, to).map((id) => (rows.get(id) as Row<T>).record);
      return newestFirst ? page.reverse() : page;
    },
    values: () => walk(everything, () => true),
    copy() {
      const groupIndexes = groups.copy();
      return tableOn(kind, { rows: rows.copy(), groupIndexes, everything: everything.copy(), last });
    },
  };
}

/** Changes the groups of one table. */
function createGroups(indexes: SharedMap<GroupIndex>) {
  let owner = {};

  function ownIndex(name: string): Sequence {
    const found = indexes.get(name);
    if (found?.owner === owner) return found.ids;
    const ids = found ? found.ids.copy() : new Sequence();
    indexes.set(name, { owner, ids });
    return ids;
  }

  function remove(name: string, order: number): void {
    const ids = ownIndex(name);
    ids.remove(order);
    if (ids.size === 0) indexes.delete(name);
  }

  return {
    move(entry: OrderedId, before: readonly string[], after: readonly string[]): void {
      for (const name of before) if (!after.includes(name)) remove(name, entry.order);
      for (const name of after) if (!before.includes(name)) ownIndex(name).add(entry);
    },
    copy() {
      // From here on neither side owns the groups that both of them hold.
      owner = {};
      return indexes.copy();
    },
  };
}

/** Most changes of a record leave it in its group, under its label. */
function isGroupedAlike<T>({ groupOf, labelOf }: Collection<T>, one: T, other: T): boolean {
  return groupOf(one) === groupOf(other) && labelOf?.(one) === labelOf?.(other);
}

/** The shelves on which a record stands: that of its group, and that of its label there. */
function groupNamer<T>(kind: Collection<T>): (record: T) => readonly string[] {
  const { groupOf, labelOf } = kind;
  if (!labelOf) return (record) => [groupOf(record)];
  return (record) => [groupOf(record), groupName(kind, groupOf(record), labelOf(record))];
}

function groupName<T>({ name, labelOf }: Collection<T>, group: string, label: string | undefined): string {
  if (label === undefined) return group;
  if (!labelOf) throw new Error(`The collection ${name} has no labels to page by.`);
  return `${group}\u0000${label}`;
}
