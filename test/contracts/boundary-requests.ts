import type { Members } from "../../contracts/engine/json.ts";

/** A JSON Schema, as far as boundaries are derived from it. */
export interface ValueSchema {
  readonly type?: string | readonly string[];
  /** A text with a format is not free: an identifier, a time, an expression. */
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly items?: ValueSchema;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly required?: readonly string[];
}

/** A row of a table of requests. */
export interface RequestRow {
  readonly method: string;
  readonly path: string;
  readonly pathParameters?: Readonly<Record<string, ValueSchema>>;
  /** Headers without which a request is refused. */
  readonly headers?: readonly string[];
  readonly query?: Readonly<Record<string, ValueSchema>>;
  readonly body?: ValueSchema;
  /** A request that a server accepts: values by the names of the path parameters, and a body. */
  readonly example?: { readonly path?: Readonly<Record<string, string>>; readonly body?: Members };
}

/** A request that differs in one place from the example of its row. */
export interface BoundaryRequest {
  readonly where: string;
  /** The value at that place; undefined if it is missing. */
  readonly value: unknown;
  /** Whether the row does not admit the value. Otherwise it is a limit that the row admits. */
  readonly isOutside: boolean;
  readonly method: string;
  readonly path: string;
  /** A header that is not sent. */
  readonly withoutHeader?: string;
  readonly body?: Members;
}

const NONSENSE = "nonsense";
const LONG_TEXT = "a".repeat(10_000);
const LARGE_NUMBER = 1_000_000;

/** From each column of a row the requests just outside it, and those at its limits. */
export function boundaryRequests(row: RequestRow): readonly BoundaryRequest[] {
  const { method, pathParameters = {}, query = {}, headers = [], body, example = {} } = row;
  const path = filled(row.path, example.path);
  const base = { method, path, ...(example.body && { body: example.body }) };
  const ofPath = Object.entries(pathParameters).flatMap(([name, schema]) =>
    boundariesOf(schema)
      .filter(({ value }) => typeof value === "string")
      .map((boundary) => ({
        ...boundary,
        ...base,
        where: `path.${name}`,
        path: filled(row.path, { ...example.path, [name]: String(boundary.value) }),
      })),
  );
  const ofQuery = Object.entries(query).flatMap(([name, schema]) =>
    boundariesOf(schema)
      .filter(({ value }) => isInText(schema, value))
      .map((boundary) => ({
        ...boundary,
        ...base,
        where: `query.${name}`,
        path: `${path}?${new URLSearchParams({ [name]: String(boundary.value) })}`,
      })),
  );
  const missingHeaders = headers.map((name) => ({
    ...base,
    where: `headers.${name}`,
    value: undefined,
    isOutside: true,
    withoutHeader: name,
  }));
  const ofBody = body
    ? memberBoundaries(body).map(({ members, ...boundary }) => ({
        ...boundary,
        ...base,
        where: ["body", ...members].join("."),
        body: withMember(example.body ?? {}, members, boundary.value),
      }))
    : [];
  return [...ofPath, ...ofQuery, ...missingHeaders, ...ofBody];
}

type Boundary = Pick<BoundaryRequest, "value" | "isOutside">;

/** A query has only texts: those that are another type's value, and lists of one item. */
function isInText(schema: ValueSchema, value: unknown): boolean {
  const isText = typesOf(schema).includes("string");
  return Array.isArray(value) ? typeof value[0] === "string" : !isText || typeof value === "string";
}

function memberBoundaries(
  { properties = {}, required = [] }: ValueSchema,
  above: readonly string[] = [],
): readonly (Boundary & { readonly members: readonly string[] })[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const members = [...above, name];
    const absent = { members, value: required.includes(name) ? undefined : null, isOutside: true };
    const own = [absent, ...boundariesOf(schema).map((boundary) => ({ ...boundary, members }))];
    return [...own, ...memberBoundaries(schema, members)];
  });
}

/** The values next to the boundaries of a schema. */
function boundariesOf(schema: ValueSchema): readonly Boundary[] {
  return [
    ...outsideOf(schema).map((value) => ({ value, isOutside: true })),
    ...edgesOf(schema).map((value) => ({ value, isOutside: false })),
  ];
}

const OTHER_TYPES: Readonly<Record<string, readonly unknown[]>> = {
  string: [7],
  integer: [NONSENSE, 1.5],
  number: [NONSENSE],
  boolean: [NONSENSE],
  array: [7],
  object: [NONSENSE, [NONSENSE]],
};

function outsideOf(schema: ValueSchema): readonly unknown[] {
  const [type = "", other] = typesOf(schema);
  if (other !== undefined) return [];
  const isWord = type === "string" && (schema.enum ?? schema.format) !== undefined;
  return [
    ...(OTHER_TYPES[type] ?? []),
    ...(isWord ? [NONSENSE] : []),
    ...(schema.minimum === undefined ? [] : [schema.minimum - 1]),
    ...(schema.maximum === undefined ? [] : [schema.maximum + 1]),
    ...(schema.minLength && !isWord ? [""] : []),
    ...(schema.maxLength === undefined ? [] : ["a".repeat(schema.maxLength + 1)]),
    ...(schema.minItems ? [[]] : []),
    ...(schema.items ? outsideOf(schema.items).map((item) => [item]) : []),
  ];
}

function edgesOf(schema: ValueSchema): readonly unknown[] {
  const [type] = typesOf(schema);
  const { minimum = -1, maximum = LARGE_NUMBER, maxLength } = schema;
  if (type === "integer") return [minimum, maximum];
  if (type === "array") return schema.minItems ? [] : [[]];
  if (type !== "string" || (schema.enum ?? schema.format) !== undefined) return [];
  return ["", maxLength === undefined ? LONG_TEXT : "a".repeat(maxLength)];
}

function typesOf({ type = [] }: ValueSchema): readonly string[] {
  return [type].flat().filter((name) => name !== "null");
}

const ANY_ID = "00000000-0000-4000-8000-00000000dead";

function filled(path: string, values: Readonly<Record<string, string>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ANY_ID));
}

/** The body with one member, at any depth, set to a value or removed. */
function withMember(body: Members, [name = "", ...below]: readonly string[], value: unknown): Members {
  if (below.length > 0) return { ...body, [name]: withMember((body[name] ?? {}) as Members, below, value) };
  if (value !== undefined) return { ...body, [name]: value };
  const { [name]: _, ...others } = body;
  return others;
}
