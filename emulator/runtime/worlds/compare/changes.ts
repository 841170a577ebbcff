import { plainName, printExact } from "../../../../contracts/spec/exact-json.ts";
import type { ValuePair } from "../../../kernel/shared-map.ts";
import type { Changes, FieldChange, ItemChange } from "../../../subjects/world-difference.ts";
import type { YieldWhenDue } from "../slices.ts";

const MAX_ITEMS = 100;
const MAX_FIELDS = 20;
const MAX_VALUE_CHARACTERS = 200;

/** A thing that differs. */
interface Difference extends Pick<ItemChange, "key" | "change"> {
  /** The items of a list have numbers or texts, in whose order they are listed. */
  readonly rank: number | string;
  readonly more?: () => Omit<ItemChange, "key" | "change">;
}

/** An empty list. It counts all differences, and lists the first of them. */
export function createChangeList() {
  const count = { added: 0, removed: 0, changed: 0 };
  let differences: Difference[] = [];
  const first = () => differences.sort((a, b) => (a.rank < b.rank ? -1 : 1)).slice(0, MAX_ITEMS);
  return {
    add(difference: Difference): void {
      count[difference.change] += 1;
      differences.push(difference);
      if (differences.length >= 2 * MAX_ITEMS) differences = first();
    },
    async list(yieldWhenDue: YieldWhenDue): Promise<Changes> {
      const items: ItemChange[] = [];
      for (const { key, change, more } of first()) {
        await yieldWhenDue();
        items.push({ key, change, ...more?.() });
      }
      return { ...count, items, cut: count.added + count.removed + count.changed - items.length };
    },
  };
}

/** A value on each side; undefined where it is missing. */
interface Pair<T> extends ValuePair<T> {
  readonly rank: number;
}

/** The pairs that differ; values are compared and listed in the JSON form of `comparableOf`. Undefined is skipped. */
export async function changesBetween<T>(
  pairs: Iterable<Pair<T> | undefined>,
  comparableOf: (value: T) => unknown,
  yieldWhenDue: YieldWhenDue,
): Promise<Changes> {
  const changes = createChangeList();
  for (const pair of pairs) {
    await yieldWhenDue();
    if (!pair || pair.before === pair.after) continue;
    const { key, rank, before, after } = pair;
    const sideOf = (value: T | undefined) => (value === undefined ? {} : comparableOf(value));
    if (before === undefined || after === undefined) {
      const change = before === undefined ? "added" : "removed";
      changes.add({ rank, key, change, more: () => fieldChanges(sideOf(before), sideOf(after)) });
      continue;
    }
    const [left, right] = [comparableOf(before), comparableOf(after)];
    if (JSON.stringify(left) !== JSON.stringify(right))
      changes.add({ rank, key, change: "changed", more: () => fieldChanges(left, right) });
  }
  return changes.list(yieldWhenDue);
}

/** Every pair of two maps. */
export function* pairsOf<T>(
  a: ReadonlyMap<string, T>,
  b: ReadonlyMap<string, T>,
): Generator<Pair<T> | undefined> {
  let rank = 0;
  for (const [key, before] of a) yield { key, rank: rank++, before, after: b.get(key) };
  for (const [key, after] of b)
    yield a.has(key) ? undefined : { key, rank: rank++, before: undefined, after };
}

/** Where two JSON values differ, by path; large values and long lists are cut. */
export function fieldChanges(a: unknown, b: unknown): Pick<ItemChange, "fields" | "fields_cut"> {
  const fieldList: FieldChange[] = [];
  let cut = 0;

  function note(path: string, left: unknown, right: unknown): void {
    if (JSON.stringify(left) === JSON.stringify(right)) return;
    if (fieldList.length < MAX_FIELDS) fieldList.push({ path, a: shortened(left), b: shortened(right) });
    else cut += 1;
  }

  function walk(path: string, left: unknown, right: unknown): void {
    if (!isObject(left) || !isObject(right)) return note(path, left, right);
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)]))
      walk(path === "" ? plainName(name) : `${path}.${plainName(name)}`, left[name], right[name]);
  }

  walk("", a, b);
  return { fields: fieldList, ...(cut > 0 && { fields_cut: cut }) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** Null stands for a field that is not there. */
function shortened(value: unknown): unknown {
  const text = printExact(value ?? null);
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : (value ?? null);
}
