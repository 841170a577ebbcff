import type { Changes, FieldChange, ItemChange } from "../../../subjects/world-difference.ts";
import type { YieldWhenDue } from "../slices.ts";

const MAX_ITEMS = 100;
const MAX_FIELDS = 20;
const MAX_VALUE_CHARACTERS = 200;

/** Collects what differs: all of it is counted, the first part is listed. */
export interface ChangeList {
  add(key: string, change: ItemChange["change"], more?: () => Omit<ItemChange, "key" | "change">): void;
  list(): Changes;
}

/** An empty list. */
export function createChangeList(): ChangeList {
  const count = { added: 0, removed: 0, changed: 0 };
  const items: ItemChange[] = [];
  return {
    add(key, change, more) {
      count[change] += 1;
      if (items.length < MAX_ITEMS) items.push({ key, change, ...more?.() });
    },
    list: () => ({ ...count, items, cut: count.added + count.removed + count.changed - items.length }),
  };
}

/** The differences between two maps by key; values are compared and listed in the JSON form of `comparableOf`. */
export async function changesBetween<T>(
  [a, b]: readonly [ReadonlyMap<string, T>, ReadonlyMap<string, T>],
  comparableOf: (value: T) => unknown,
  yieldWhenDue: YieldWhenDue,
): Promise<Changes> {
  const changes = createChangeList();
  for (const [key, before] of a) {
    await yieldWhenDue();
    const after = b.get(key);
    if (after === undefined) changes.add(key, "removed");
    else if (before !== after) {
      const [left, right] = [comparableOf(before), comparableOf(after)];
      if (JSON.stringify(left) !== JSON.stringify(right))
        changes.add(key, "changed", () => fieldChanges(left, right));
    }
  }
  for (const key of b.keys()) if (!a.has(key)) changes.add(key, "added");
  return changes.list();
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
      walk(path === "" ? name : `${path}.${name}`, left[name], right[name]);
  }

  walk("", a, b);
  return { fields: fieldList, ...(cut > 0 && { fields_cut: cut }) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** Null stands for a field that is not there. */
function shortened(value: unknown): unknown {
  const text = JSON.stringify(value ?? null);
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : (value ?? null);
}
