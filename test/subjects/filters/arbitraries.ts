import fc from "fast-check";
import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import {
  FILTER_FIELDS,
  FILTER_KINDS,
  type FieldComparator,
  type FilterField,
  type FilterKindName,
} from "../../../contracts/spec/filter-language.ts";
import type { Filter, Operand } from "../../../emulator/subjects/filters/filter.ts";
import type { JsonObject } from "../../../emulator/subjects/traces/json.ts";
import { ID, OTHER_ID, traceRow } from "./rows.ts";

/** Few values, so that rows and filters meet. */
const ids = fc.constantFrom(ID, OTHER_ID);
const texts = fc.constantFrom(
  "",
  "a",
  "A",
  "ab",
  "aab",
  "b",
  "5",
  "true",
  "a.b",
  "x%y",
  "x_y",
  "😀",
  "😀a",
  "\\",
  '"',
  "'",
);
const names = fc.constantFrom("a", "b", "a.b", "c");
const patterns = fc
  .array(fc.constantFrom("a", "b", "%", "_", "\\%", "\\_", "\\", "😀", "5"), { maxLength: 5 })
  .map((all) => all.join(""));
const numbers = fc.constantFrom(0, 1, 2.5, 5, -1, 0.25);
const times = fc.constantFrom(
  "2026-01-31T12:00:00.000000Z",
  "2026-01-31T12:00:02.500000Z",
  "2026-02-01T00:00:00.000001Z",
);
const scalars = fc.oneof(texts, numbers, fc.boolean());

const json: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.oneof(scalars, fc.constant(null)),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(names, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;
const jsonObjects = fc.dictionary(names, json, {
  maxKeys: 3,
  noNullPrototype: true,
}) as fc.Arbitrary<JsonObject>;

const stats = fc.record(
  {
    n: fc.constant(1),
    avg: fc.oneof(numbers, fc.constant(null)),
    values: fc.dictionary(texts, fc.constant(1), { maxKeys: 2, noNullPrototype: true }),
  },
  { requiredKeys: ["n"], noNullPrototype: true },
);

const maybe = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null });

export const rows: fc.Arbitrary<TraceRow> = fc
  .record({
    id: ids,
    parent_run_id: maybe(ids),
    parent_run_ids: fc.array(ids, { maxLength: 2 }),
    error: maybe(texts),
    total_tokens: maybe(fc.constantFrom(0, 1, 5)),
    total_cost: maybe(fc.constantFrom("0.25", "2.5", "5")),
    name: texts,
    dotted_order: texts,
    trace_tier: maybe(texts),
    start_time: times,
    end_time: maybe(times),
    is_root: fc.boolean(),
    tags: fc.array(texts, { maxLength: 2 }),
    inputs: json,
    outputs: fc.oneof(jsonObjects, fc.constant(null)),
    extra: fc.oneof(
      fc.constant(null),
      json.map((metadata) => ({ metadata })),
      fc
        .record({ session_id: maybe(texts), thread_id: maybe(texts), conversation_id: maybe(texts) })
        .map((metadata) => ({ metadata })),
    ),
    feedback_stats: maybe(
      fc.dictionary(names, fc.oneof(stats, numbers, fc.constant("a")), { maxKeys: 3, noNullPrototype: true }),
    ),
  })
  .map(traceRow);

const OPERANDS: Readonly<Record<FilterKindName, fc.Arbitrary<string | number | boolean>>> = {
  identifier: ids,
  identifiers: ids,
  figure: numbers,
  text: texts,
  sortable_text: texts,
  labels: texts,
  document: patterns,
  metadata: names,
  key: names,
  thread: texts,
  time: times,
  duration: numbers,
  boolean: fc.boolean(),
  value: scalars,
  score: numbers,
};

function operands(kind: FilterKindName, op: FieldComparator): fc.Arbitrary<Operand> {
  if (op === "in") return fc.array(OPERANDS[kind], { minLength: 1, maxLength: 3 });
  if (op === "like" || op === "notlike") return patterns;
  if (op === "has" && kind === "metadata") return jsonObjects;
  const isOrder = op.startsWith("g") || op.startsWith("l");
  return kind === "value" && isOrder ? fc.oneof(texts, numbers) : OPERANDS[kind];
}

function comparisons(fields: readonly FilterField[]): fc.Arbitrary<Filter> {
  return fc.constantFrom(...fields).chain((field) => {
    const { kind } = FILTER_FIELDS[field];
    return fc
      .constantFrom<FieldComparator>(...FILTER_KINDS[kind].comparators)
      .chain((op) => operands(kind, op).map((value) => ({ op, field, value })));
  });
}

const all = Object.keys(FILTER_FIELDS) as FilterField[];
/** Often, so that keys and values of the same entries meet in one `and`. */
const ofEntries = [/^metadata_/, /^input_/, /^feedback_/].map((name) =>
  comparisons(all.filter((field) => name.test(field))),
);
const searches = fc.constantFrom("a", "B", "5", '"', "😀").map((term): Filter => ({ op: "search", term }));
const single = fc.oneof(comparisons(all), searches, ...ofEntries);

export const filters: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { arbitrary: single, weight: 3 },
    {
      arbitrary: fc.oneof(...ofEntries).chain((first) => {
        const same = ofEntries.map((one) => one);
        return fc
          .array(fc.oneof(...same, single), { minLength: 1, maxLength: 3 })
          .map((more): Filter => ({ op: "and", filters: [first, ...more] }));
      }),
      weight: 3,
    },
    {
      arbitrary: fc
        .tuple(fc.constantFrom("and", "or"), fc.array(tie("filter"), { minLength: 2, maxLength: 3 }))
        .map(([op, inner]): Filter => ({ op: op as "and" | "or", filters: inner })),
      weight: 2,
    },
    { arbitrary: tie("filter").map((filter): Filter => ({ op: "not", filter })), weight: 1 },
  ),
})).filter;
