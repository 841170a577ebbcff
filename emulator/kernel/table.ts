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
export interface PageOf {
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
  put(record: T): void;
  remove(id: string): void;
  /** Oldest first; what is put or removed on the way is seen. */
  list(group?: string): Iterable<T>;
  count(group?: string, label?: string): number;
  /** In the order of first puts, or the other way round. */
  page(wanted: PageOf): readonly T[];
  values(): Iterable<T>;
  /** A table of its own that begins with what this one holds; its cost hardly grows with that. */
  copy(): Table<T>;
}

/** A record with its place in the order of first puts. */
interface Row<T> {
  readonly order: number;
  readonly record: T;
}

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
  let last = state.last;
  let owner = {};

  function ownGroupIndex(name: string): Sequence {
    const found = groupIndexes.get(name);
    if (found?.owner === owner) return found.ids;
    const ids = found ? found.ids.copy() : new Sequence();
    groupIndexes.set(name, { owner, ids });
    return ids;
  }

  function removeFromGroup(name: string, order: number): void {
    const ids = ownGroupIndex(name);
    ids.remove(order);
    if (ids.size === 0) groupIndexes.delete(name);
  }

  /** Part after part, so that what is put, moved or removed on the way does no harm. */
  function* walk(ids: Sequence, stillMatches: (record: T) => boolean): Generator<T> {
    for (let part = ids.after(0); part.length > 0; part = ids.after((part.at(-1) as OrderedId).order))
      for (const { id, order } of part) {
        const row = rows.get(id);
        if (row?.order === order && stillMatches(row.record)) yield row.record;
      }
  }

  return {
    get size() {
      return rows.size;
    },
    get: (id) => rows.get(id)?.record,
    put(record) {
      const id = kind.idOf(record);
      const known = rows.get(id);
      const order = known?.order ?? ++last;
      const entry = { order, id };
      rows.set(id, { order, record });
      if (!known) everything.add(entry);
      const [before, after] = [known ? namesOf(known.record) : [], namesOf(record)];
      for (const name of before) if (!after.includes(name)) removeFromGroup(name, order);
      for (const name of after) if (!before.includes(name)) ownGroupIndex(name).add(entry);
    },
    remove(id) {
      const row = rows.get(id);
      if (!row) return;
      for (const name of namesOf(row.record)) removeFromGroup(name, row.order);
      everything.remove(row.order);
      rows.delete(id);
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
      // From here on neither side owns the shelves that both of them hold.
      owner = {};
      const shared = {
        rows: rows.copy(),
        groupIndexes: groupIndexes.copy(),
        everything: everything.copy(),
        last,
      };
      return tableOn(kind, shared);
    },
  };
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
