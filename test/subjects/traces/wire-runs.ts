import fc from "fast-check";
import {
  COLUMN_NAMES,
  type ColumnName,
  type ColumnType,
  EXPORT_COLUMNS,
} from "../../../contracts/spec/bulk-exports/columns.ts";
import { anyText } from "../../support/any-text.ts";

export const NOW = "2026-01-15T08:00:00.000000Z";

export const ID = "11111111-1111-4111-8111-111111111111";
export const PARENT_ID = "22222222-2222-4222-8222-222222222222";
export const ROOT_ID = "33333333-3333-4333-8333-333333333333";
export const SESSION_ID = "55555555-5555-4555-8555-555555555555";

/** A run as the plainest client posts it. */
export const PLAIN = { id: ID, name: "r", run_type: "chain", start_time: "2026-01-15T09:00:00Z" } as const;

const time = fc.oneof(
  fc.integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 }),
  fc
    .integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 })
    .map((millis) => new Date(millis).toISOString().replace("Z", "123456")),
);
const count = fc.nat({ max: 10_000 });
const cost = fc.oneof(
  fc.nat({ max: 10_000 }).map((n) => n / 1e6),
  fc.nat({ max: 10_000 }).map((n) => `${n}e-7`),
);
const usage = fc.record(
  {
    input_tokens: count,
    output_tokens: count,
    total_tokens: count,
    prompt_tokens: fc.constantFrom("12", -1, 1.5, null),
    total_cost: cost,
    input_cost: cost,
    completion_cost: fc.constantFrom("free", {}),
  },
  { requiredKeys: [] },
);
const content = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.record({ usage_metadata: usage }),
  fc.record({ llm_output: fc.record({ token_usage: usage }) }),
);
const events = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.array(
    fc.record({ name: fc.constantFrom("start", "new_token"), time: fc.oneof(time, fc.constant("soon")) }),
  ),
);

/** Columns that the place in the trace or the post decides. */
const OTHER_COLUMNS: readonly ColumnName[] = [
  ...([
    "id",
    "tenant_id",
    "session_id",
    "trace_id",
    "parent_run_id",
    "parent_run_ids",
    "dotted_order",
  ] as const),
  ...(["is_root", "name", "run_type", "start_time"] as const),
];

/** Values of a column by its type; a type that is missing here needs an own row in `OWN_VALUES`. */
const VALUES: Readonly<Partial<Record<ColumnType, fc.Arbitrary<unknown>>>> = {
  string: fc.string(),
  strings: fc.array(anyText),
  json: fc.jsonValue({ maxDepth: 2 }),
  boolean: fc.boolean(),
  int64: count,
  decimal: cost,
  timestamp: time,
};

const OWN_VALUES: Readonly<Partial<Record<ColumnName, fc.Arbitrary<unknown>>>> = {
  status: fc.constantFrom("success", "error", "pending", "running"),
  error: fc.constantFrom("boom", "", "whole \ud83d\udc4d"),
  inputs: content,
  outputs: content,
  // A null extra says different things in a post and in a patch.
  extra: fc
    .oneof(content, fc.record({ metadata: fc.record({ usage_metadata: usage }) }))
    .filter((v) => v !== null),
  events,
  reference_example_id: fc.uuid(),
  trace_tier: fc.constantFrom("longlived", "shortlived"),
};

/** Fields that a post and a patch may have alike, each perhaps. */
const changeableFields = Object.fromEntries(
  COLUMN_NAMES.filter((name) => !OTHER_COLUMNS.includes(name)).map((name) => {
    const values = OWN_VALUES[name] ?? VALUES[EXPORT_COLUMNS[name].v2];
    if (values === undefined) throw new Error(`wire-runs.ts: add values of ${name} to OWN_VALUES`);
    return [name, values];
  }),
);

const place = fc.oneof(
  fc.constant({}),
  fc.constant({ trace_id: ID, dotted_order: `20260115T090000000000Z${ID}` }),
  fc.constant({ parent_run_id: PARENT_ID }),
  fc.constant({ parent_run_id: PARENT_ID, trace_id: ROOT_ID }),
  fc.constant({ parent_run_ids: [ROOT_ID, PARENT_ID] }),
  fc.constant({ dotted_order: `20260115T085959Z${ROOT_ID}.20260115T090000000Z${ID.toUpperCase()}` }),
);

/** Any post that a client could send and that is right. */
export const anyPost = fc
  .tuple(
    fc.record(changeableFields, { requiredKeys: [] }),
    place,
    fc.record(
      {
        start_time: time,
        name: anyText,
        run_type: fc.constantFrom("chain", "llm", "tool"),
        serialized: fc.jsonValue(),
      },
      { requiredKeys: ["name", "run_type"] },
    ),
  )
  .map(([fields, where, rest]) => ({ id: ID, ...rest, ...where, ...fields }));

/** Any patch of that run. */
export const anyPatch = fc
  .record(
    { ...changeableFields, name: fc.string(), run_type: fc.constantFrom("tool", "parser"), start_time: time },
    { requiredKeys: [] },
  )
  .map((fields) => ({ id: ID, ...fields }));
