import type { Arbitrary } from "fast-check";
import type { FuzzedRequest } from "../engine/target.ts";
import type { Field, OptionalField } from "../spec/fields.ts";
import type { Operation } from "../spec/operation.ts";

type Check = typeof import("fast-check");

/** The keywords of a schema that values are generated from. */
interface Schema extends Field<unknown> {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

const AWKWARD_TEXTS = [
  "",
  " ",
  "null",
  "\u0000",
  "😀",
  "a".repeat(5000),
  "../..",
  "%00",
  "${{ env.HOME }}",
  "1e999",
  "{",
];
const AWKWARD_PATHS = ["not-a-uuid", "%00", "..%2f..", "%F0%9F%98%80", "0", "a".repeat(300)];
const DEPTH = 3;

/** Generates requests to an operation from its schemas and mutates them; the same seed gives the same requests. */
export async function fuzzedRequests(
  row: Operation,
  seed: number,
  count: number,
): Promise<readonly FuzzedRequest[]> {
  const check = await import("fast-check");
  return check.sample(requestOf(check, row), { seed, numRuns: count });
}

function requestOf(check: Check, row: Operation): Arbitrary<FuzzedRequest> {
  const path = check.tuple(
    ...Object.keys(row.pathParameters ?? {}).map(() =>
      check.oneof(check.uuid(), check.constantFrom(...AWKWARD_PATHS)),
    ),
  );
  const query = check.record(
    Object.fromEntries(
      Object.entries(row.query ?? {}).map(([name, field]) => [name, queryValue(check, field)]),
    ),
    { requiredKeys: [] },
  );
  const type = check.constantFrom(
    "application/json",
    "application/json",
    "application/json",
    "text/plain",
    "",
  );
  return check
    .record({
      path,
      query,
      type,
      body: row.body ? bodyOf(check, row.body as Schema) : check.constant(undefined),
    })
    .map((values) => {
      let next = 0;
      const filled = row.path.replace(/\{[^}]*\}/g, () => values.path[next++] ?? "");
      const search = new URLSearchParams(values.query as Record<string, string>).toString();
      const hasBody = values.body !== undefined;
      return {
        method: row.method,
        path: search === "" ? filled : `${filled}?${search}`,
        headers: headersOf(hasBody ? values.type : ""),
        ...(hasBody && { body: values.body }),
      };
    });
}

function headersOf(type: string): Readonly<Record<string, string>> {
  return type === "" ? {} : { "content-type": type };
}

function queryValue(check: Check, declared: Field<unknown> | OptionalField<unknown>): Arbitrary<string> {
  const schema = ("optional" in declared ? declared.optional : declared) as Schema;
  return check.oneof(
    check.integer({ min: -5, max: 2000 }).map(String),
    check.constantFrom(...AWKWARD_TEXTS),
    valueOf(check, schema, DEPTH).map((value) =>
      typeof value === "string" ? value : (JSON.stringify(value) ?? ""),
    ),
  );
}

/** Valid bodies, bodies with one member changed, any JSON, and texts that are not JSON. */
function bodyOf(check: Check, schema: Schema): Arbitrary<string> {
  const valid = valueOf(check, schema, DEPTH);
  const arbitrary = check.jsonValue({ maxDepth: 3 });
  const mutated = check
    .tuple(valid, check.nat(), arbitrary)
    .map(([value, index, other]) => mutate(value, index, other));
  return check.oneof(
    { arbitrary: valid.map(jsonText), weight: 2 },
    { arbitrary: mutated.map(jsonText), weight: 5 },
    { arbitrary: arbitrary.map(jsonText), weight: 1 },
    { arbitrary: check.constantFrom("{", "", "nul", '{"a":1}}', "[".repeat(2000)), weight: 1 },
  );
}

const jsonText = (value: unknown) => JSON.stringify(value) ?? "";

/** Replaces one member, or the whole value when it has none. */
function mutate(value: unknown, index: number, other: unknown): unknown {
  if (typeof value !== "object" || value === null) return other;
  const names = Object.keys(value);
  const name = names[index % Math.max(1, names.length)];
  return name === undefined ? other : { ...value, [name]: other };
}

function valueOf(check: Check, schema: Schema, depth: number): Arbitrary<unknown> {
  if (schema.enum) return check.constantFrom(...schema.enum);
  if (schema.anyOf) return check.oneof(...schema.anyOf.map((one) => valueOf(check, one, depth)));
  const types = [schema.type ?? "any"].flat();
  return check.oneof(...types.map((type) => typed(check, type, schema, depth)));
}

function typed(check: Check, type: string, schema: Schema, depth: number): Arbitrary<unknown> {
  if (type === "string") return textOf(check, schema);
  if (type === "integer") return check.oneof(check.integer({ min: 0, max: 200 }), check.integer());
  if (type === "number") return check.double({ noNaN: true });
  if (type === "boolean") return check.boolean();
  if (type === "null") return check.constant(null);
  if (type === "array") return check.array(valueOf(check, schema.items ?? {}, depth - 1), { maxLength: 3 });
  if (type !== "object" || depth <= 0 || !schema.properties) return check.jsonValue({ maxDepth: 1 });
  const members: Record<string, Arbitrary<unknown>> = {};
  for (const [name, field] of Object.entries(schema.properties))
    members[name] = valueOf(check, field, depth - 1);
  return check.record(members, { requiredKeys: [...(schema.required ?? [])] });
}

function textOf(check: Check, { format }: Schema): Arbitrary<string> {
  if (format === "uuid") return check.uuid();
  if (format === "date-time") return check.date({ noInvalidDate: true }).map((date) => date.toISOString());
  return check.oneof(check.string({ maxLength: 20 }), check.constantFrom(...AWKWARD_TEXTS));
}
