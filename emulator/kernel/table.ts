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

/** A group, or the records in it with one label. */
export type GroupRange = readonly [group: string, label?: string];

/** Part of a group, or of the records in it with one label. */
export interface PageRange {
  readonly group: string;
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
  /** Returns the replaced row. `id` is the id of the record, for callers that have it already. */
  put(record: T, id?: string): Row<T> | undefined;
  remove(id: string): Row<T> | undefined;
  /** Restores an earlier row in its position; removes the record when there was no row. */
  restore(id: string, row: Row<T> | undefined): void;
  /** Oldest first; of all groups without one. Includes records that are put during the iteration. */
  list(group?: string): Iterable<T>;
  /** Of all groups without one. */
  count(...range: readonly [] | GroupRange): number;
  /** In the order of first puts, or reversed. */
  page(range: PageRange): readonly T[];
  /** The rows by id, to compare them with those of a copy. */
  readonly rows: SharedMap<Row<T>>;
  /** An independent copy, whose cost hardly depends on the size of the table. */
  copy(): Table<T>;
}

/** A record with its position in the order of first puts. */
export interface Row<T> {
  readonly order: number;
  readonly record: T;
}

/** A row that a turn has replaced or removed. */
export interface ReplacedRow {
  readonly collection: string;
  readonly key: string;
  readonly row: Row<unknown>;
}

const NO_NAMES: readonly string[] = [];

/** The ids of one group, or of one label within it. Anyone but its owner copies it before a change. */
interface GroupIndex {
  readonly owner: object;
  readonly ids: Sequence;
}

/** The state that copies of a table share until one of them writes. */
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

  function idsOf(group?: string, label?: string): Sequence | undefined {
    return group === undefined ? everything : groupIndexes.get(groupName(kind, group, label))?.ids;
  }

  /** Adds a row, or replaces one with the same order. */
  function setRow(id: string, row: Row<T>, previous: Row<T> | undefined): void {
    rows.set(id, row);
    if (previous && isGroupedAlike(kind, previous.record, row.record)) return;
    const entry = { order: row.order, id };
    if (!previous) everything.add(entry);
    groups.move(entry, previous ? namesOf(previous.record) : NO_NAMES, namesOf(row.record));
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
    rows,
    get size() {
      return rows.size;
    },
    get: (id) => rows.get(id)?.record,
    put(record, id = kind.idOf(record)) {
      const previous = rows.get(id);
      setRow(id, { order: previous?.order ?? ++last, record }, previous);
      return previous;
    },
    remove,
    restore(id, row) {
      if (rows.get(id)?.order !== row?.order) remove(id);
      if (!row) return;
      // A copy of an empty table has not counted any row yet.
      last = Math.max(last, row.order);
      setRow(id, row, rows.get(id));
    },
    list(group) {
      const ids = idsOf(group);
      const isInGroup = (record: T) => group === undefined || kind.groupOf(record) === group;
      return ids ? walk(rows, ids, isInGroup) : [];
    },
    count: (...range) => idsOf(...range)?.size ?? 0,
    page(range) {
      const ids = idsOf(range.group, range.label);
      return ids ? pageOf(ids, range).map((id) => (rows.get(id) as Row<T>).record) : [];
    },
    copy() {
      const groupIndexes = groups.copy();
      return tableOn(kind, { rows: rows.copy(), groupIndexes, everything: everything.copy(), last });
    },
  };
}

/** Reads ids in batches, so that records may be put, moved or removed during the walk. */
function* walk<T>(
  rows: SharedMap<Row<T>>,
  ids: Sequence,
  stillMatches: (record: T) => boolean,
): Generator<T> {
  for (let batch = ids.after(0); batch.length > 0; batch = ids.after((batch.at(-1) as OrderedId).order))
    for (const { id, order } of batch) {
      const row = rows.get(id);
      if (row?.order === order && stillMatches(row.record)) yield row.record;
    }
}

function pageOf(ids: Sequence, { offset, limit, newestFirst = false }: PageRange): readonly string[] {
  if (!newestFirst) return ids.slice(offset, offset + limit);
  const end = Math.max(0, ids.size - offset);
  return ids.slice(Math.max(0, end - limit), end).toReversed();
}

/** Changes the groups of one table. */
function createGroups(indexes: SharedMap<GroupIndex>) {
  let owner = {};

  function ownIndex(name: string): Sequence {
    const existing = indexes.get(name);
    if (existing?.owner === owner) return existing.ids;
    const ids = existing ? existing.ids.copy() : new Sequence();
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
      // From now on neither copy owns the shared groups.
      owner = {};
      return indexes.copy();
    },
  };
}

/** Most changes of a record leave it in its group, under its label. */
function isGroupedAlike<T>({ groupOf, labelOf }: Collection<T>, one: T, other: T): boolean {
  return groupOf(one) === groupOf(other) && labelOf?.(one) === labelOf?.(other);
}

/** The names of the groups that a record belongs to: its group, and its label within that group. */
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
