import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { FILTER_FIELDS, type FilterEntries } from "../../../contracts/spec/filter-language.ts";
import type { Comparison, Filter } from "../../../emulator/subjects/filters/filter.ts";

/**
 ** The meaning of filters, as simply as possible: each call reads everything again, entries are
 * listed in full, and patterns are tried in every way.
 */
export function holds(filter: Filter, row: TraceRow, tenantId: string): boolean {
  if (filter.op === "and") return andHolds(filter.filters, row, tenantId);
  if (filter.op === "or") return filter.filters.filter((one) => holds(one, row, tenantId)).length > 0;
  if (filter.op === "not") return !holds(filter.filter, row, tenantId);
  if (filter.op === "search") {
    const results = [...textsIn(row.inputs), ...textsIn(row.outputs)];
    return results.some((text) => text.toLowerCase().indexOf(filter.term.toLowerCase()) >= 0);
  }
  const one = filter as Comparison;
  return kindOf(one).entries ? andHolds([one], row, tenantId) : comparisonHolds(one, row, tenantId);
}

type Value = string | number | boolean | null;

interface Entry {
  readonly key: string;
  /** None for objects and empty arrays; several where feedback has several values. */
  readonly values: readonly Value[];
  readonly score: Value;
}

const kindOf = ({ field }: Comparison): { kind: string; entries?: FilterEntries } => FILTER_FIELDS[field];
const isNegative = ({ op }: Comparison) => op === "neq" || op === "notlike";

function andHolds(filters: readonly Filter[], row: TraceRow, tenantId: string): boolean {
  const comparisons = filters.filter(
    (one): one is Comparison => "field" in one && kindOf(one).entries !== undefined,
  );
  const others = filters.filter((one) => !comparisons.includes(one as Comparison));
  if (!others.every((one) => holds(one, row, tenantId))) return false;
  for (const comparisonKind of ["metadata", "input", "output", "feedback"] as const) {
    const group = comparisons.filter((one) => kindOf(one).entries === comparisonKind);
    if (group.length > 0 && !entriesFit(group, listEntries(comparisonKind, row))) return false;
  }
  return true;
}

function entriesFit(group: readonly Comparison[], entries: readonly Entry[]): boolean {
  const isKey = (one: Comparison) => kindOf(one).kind === "key";
  const namesAKey = group.some((one) => isKey(one) && !isNegative(one));
  const onOneEntry: Comparison[] = [];
  for (const one of group) {
    if (!isNegative(one) || (!isKey(one) && namesAKey)) onOneEntry.push(one);
    else if (entries.some((entry) => entryFits({ ...one, op: one.op === "neq" ? "eq" : "like" }, entry)))
      return false;
  }
  return onOneEntry.length === 0 || entries.some((entry) => onOneEntry.every((one) => entryFits(one, entry)));
}

function entryFits(one: Comparison, { key, values, score }: Entry): boolean {
  if (kindOf(one).kind === "key") return compare(one, key);
  if (kindOf(one).kind === "score") return compare(one, score);
  if (isNegative(one))
    return !entryFits({ ...one, op: one.op === "neq" ? "eq" : "like" }, { key, values, score });
  return values.some((value) => compare(one, value, true));
}

/** @param loosely Whether 5 and "5" are the same. */
function compare({ op, value: operand }: Comparison, value: Value, loosely = false): boolean {
  const same = (other: unknown) => value !== null && (loosely ? `${value}` === `${other}` : value === other);
  const sorts = value !== null && typeof value === typeof operand;
  const expected = operand as string;
  const text = value as string;
  if (op === "eq") return same(operand);
  if (op === "neq") return !same(operand);
  if (op === "in") return (operand as readonly unknown[]).some(same);
  if (op === "like") return value !== null && fitsPattern([...expected], [...`${value}`]);
  if (op === "notlike") return !(value !== null && fitsPattern([...expected], [...`${value}`]));
  if (op === "gt") return sorts && text > expected;
  if (op === "gte") return sorts && text >= expected;
  if (op === "lt") return sorts && text < expected;
  return sorts && text <= expected;
}

export function fitsPattern(pattern: readonly string[], text: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return text.length === 0;
  if (first === "%")
    return fitsPattern(rest, text) || (text.length > 0 && fitsPattern(pattern, text.slice(1)));
  if (text.length === 0) return false;
  if (first === "_") return fitsPattern(rest, text.slice(1));
  if (first === "\\" && rest.length > 0)
    return rest[0] === text[0] && fitsPattern(rest.slice(1), text.slice(1));
  return first === text[0] && fitsPattern(rest, text.slice(1));
}

function comparisonHolds(one: Comparison, row: TraceRow, tenantId: string): boolean {
  const { op, field, value } = one;
  if (field === "tenant_id") return compare(one, tenantId);
  if (field === "parent_run_ids") return listHolds(one, row.parent_run_ids);
  if (field.endsWith("_cost") || field.endsWith("_tokens")) {
    const figure = row[field as keyof TraceRow];
    return compare(one, figure === null ? null : Number(figure));
  }
  if (field === "tags") return listHolds(one, row.tags);
  if (field === "metadata") {
    const metadata = (row.extra as { metadata?: unknown } | null)?.metadata;
    if (op === "exists") return listEntries("metadata", row).some(({ key }) => key === value);
    return isObject(metadata) && covers(metadata, value);
  }
  if (field === "thread_id") {
    const metadata = (row.extra as { metadata?: Record<string, unknown> } | null)?.metadata ?? {};
    const { session_id, thread_id, conversation_id } = isObject(metadata) ? metadata : {};
    return compare(
      one,
      ([session_id, thread_id, conversation_id].find((id) => typeof id === "string" && id) ?? null) as Value,
    );
  }
  if (kindOf(one).kind === "document") {
    const document = row[field as keyof TraceRow];
    return compare(one, document === null ? null : JSON.stringify(document));
  }
  if (field === "latency") {
    if (row.end_time === null) return op === "neq";
    const micros = microsOf(row.end_time) - microsOf(row.start_time);
    return compare({ ...one, value: Math.round((value as number) * 1e6) }, micros);
  }
  return compare(one, row[field as keyof TraceRow] as Value);
}

function listHolds({ op, value }: Comparison, elements: readonly string[]): boolean {
  const fits = (one: string) => fitsPattern([...(value as string)], [...one]);
  if (op === "like") return elements.some(fits);
  if (op === "notlike") return !elements.some(fits);
  return elements.includes(value as string) === (op !== "neq");
}

function microsOf(time: string): number {
  return Date.parse(time) * 1000 + Number(time.slice(23, 26));
}

function covers(value: unknown, expected: unknown): boolean {
  if (Array.isArray(expected)) {
    return Array.isArray(value) && expected.every((inner) => value.some((one) => covers(one, inner)));
  }
  if (!isObject(expected)) return value === expected;
  return (
    isObject(value) &&
    Object.entries(expected).every(([name, inner]) => name in value && covers(value[name], inner))
  );
}

function listEntries(comparisonKind: FilterEntries, row: TraceRow): Entry[] {
  if (comparisonKind === "feedback") {
    return Object.entries((row.feedback_stats ?? {}) as Record<string, unknown>).map(([key, stats]) => {
      const summed = isObject(stats)
        ? stats
        : typeof stats === "number"
          ? { avg: stats }
          : { values: { [`${stats}`]: 1 } };
      return {
        key,
        values: isObject(summed.values) ? Object.keys(summed.values) : [],
        score: typeof summed.avg === "number" ? summed.avg : null,
      };
    });
  }
  // A member "metadata" that is not an object does not count.
  const metadata = (row.extra as { metadata?: unknown } | null)?.metadata;
  const content = { input: row.inputs, output: row.outputs, metadata: isObject(metadata) ? metadata : {} };
  return members(content[comparisonKind], []);
}

function members(value: unknown, path: readonly string[]): Entry[] {
  const here = (values: Value[]) => (path.length === 0 ? [] : [{ key: path.join("."), values, score: null }]);
  if (Array.isArray(value))
    return value.length === 0 ? here([]) : value.flatMap((inner) => members(inner, path));
  if (!isObject(value)) return here([(value ?? null) as Value]);
  return [...here([]), ...Object.entries(value).flatMap(([name, inner]) => members(inner, [...path, name]))];
}

function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (isObject(value)) return Object.entries(value).flatMap(([name, inner]) => [name, ...textsIn(inner)]);
  return value === null ? [] : [`${value}`];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
