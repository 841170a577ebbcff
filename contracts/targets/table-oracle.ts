import type { Ajv2020, ErrorObject } from "ajv/dist/2020.js";
import type { Diagnostic } from "../engine/oracle/check-reply.ts";
import { FORMATS } from "../engine/oracle/formats.ts";
import { errorSchemaOf } from "../openapi/openapi.ts";
import { errorSchemas } from "../openapi/schemas.ts";
import { type Field, type Fields, object, optional, text, uuid } from "../spec/fields.ts";
import type { Operation } from "../spec/operation.ts";
import {
  createOracle,
  type Endpoint,
  mediaOf,
  oncePerProfile,
  type ReadReply,
  type ReadRequest,
  type Validator,
} from "./oracle.ts";

/** Compares a value with a schema: Ajv's errors. A schema is compiled with its first value. */
type Compare = (schema: Field<unknown>, value: unknown) => readonly ErrorObject[];

/**
 * The default oracle: validates exchanges against the tables themselves. It loads and runs in a fraction of the time that
 * Prism takes. `test/full/contracts/oracles.test.ts` shows that both return the same findings.
 */
export const openTableOracle = oncePerProfile(async (profile) => {
  const { Ajv2020: Ajv } = await import("ajv/dist/2020.js");
  const compare = comparing(new Ajv(OPTIONS));
  const coercing = comparing(new Ajv({ ...OPTIONS, coerceTypes: true }));
  const validators = new Map<Endpoint, Validator>();
  return createOracle((endpoint) => {
    const validator = validators.get(endpoint) ?? validatorOf(endpoint, compare, coercing);
    validators.set(endpoint, validator);
    return validator;
  }, profile);
});

const ERRORS: Readonly<Record<string, Field<unknown>>> = errorSchemas({});

// The tables have tests of their own: no schema is compared with that of all schemas.
const OPTIONS = {
  allErrors: true,
  strict: false,
  meta: false,
  validateSchema: false,
  formats: FORMATS,
} as const;

function comparing(ajv: Ajv2020): Compare {
  return (schema, value) => (ajv.validate(schema, value) ? [] : (ajv.errors ?? []));
}

function validatorOf({ rows }: Endpoint, compare: Compare, coercing: Compare): Validator {
  const [row] = rows;
  const bodies = bodiesOf(rows);
  const bodyField = eitherOf(rows.map(({ body }) => body).filter((body) => body !== undefined));
  const parameters = parametersOf(row);
  return {
    reply(reply) {
      if (!bodies.has(reply.status))
        return [{ message: `Unable to match the returned status code with ${[...bodies.keys()].join(",")}` }];
      const schema = bodies.get(reply.status);
      if (!schema) return [];
      const errors = compare(schema, reply.body);
      return [...unexpectedMedia(row, reply), ...diagnosticsOf(errors, "Response", "body")];
    },
    request: (request) => [
      ...problemsOfBody(row, bodyField, request, compare),
      ...diagnosticsOf(compare(parameters.header, request.headers), "Request", "header"),
      ...diagnosticsOf(coercing(parameters.query, queryIn(row, request)), "Request", "query"),
      ...diagnosticsOf(coercing(parameters.path, { ...request.pathParameters }), "Request", "path"),
    ],
  };
}

/** Schemas of the bodies by status; undefined where a reply has none. */
function bodiesOf(rows: Endpoint["rows"]): ReadonlyMap<number, Field<unknown> | undefined> {
  const bodies = new Map<number, readonly Field<unknown>[]>();
  for (const row of rows) {
    const { status, body, or } = row.reply;
    const add = (at: number, schema: Field<unknown> | undefined) =>
      bodies.set(at, [...(bodies.get(at) ?? []), ...(schema ? [schema] : [])]);
    add(status, body);
    if (or) add(or.status, or.body);
    for (const refusal of row.refusals) add(refusal, ERRORS[errorSchemaOf(row)]);
  }
  return new Map([...bodies].map(([status, schemas]) => [status, eitherOf(schemas)]));
}

/** Where the body of a request decides between rows, the document has what any of them takes and answers. */
function eitherOf(schemas: readonly Field<unknown>[]): Field<unknown> | undefined {
  return schemas.length > 1 ? { anyOf: schemas } : schemas[0];
}

function unexpectedMedia({ reply }: Operation, { status, media }: ReadReply): readonly Diagnostic[] {
  const expected = (status === reply.status && reply.media) || "application/json";
  if (media !== undefined && isOf(media, expected)) return [];
  const message = `The received media type "${media ?? ""}" does not match the one specified in the current response`;
  return [{ message: `${message}: ${expected}` }];
}

function problemsOfBody(
  { bodyRequired = true, bodyMedia = ["application/json"] }: Operation,
  schema: Field<unknown> | undefined,
  { headers, text: bodyField, body }: ReadRequest,
  compare: Compare,
): readonly Diagnostic[] {
  if (!bodyField) {
    const isMissing = schema !== undefined && bodyRequired;
    return isMissing ? [{ code: "required", message: "Body parameter is required" }] : [];
  }
  if (!schema)
    return [{ code: 415, message: "No supported content types, but request included a non-empty body" }];
  const { "content-type": type } = headers;
  const media = mediaOf(headers) ?? (type === undefined ? bodyMedia[0] : undefined);
  const validators = bodyMedia.find((each) => media !== undefined && isOf(media, each));
  if (validators === undefined)
    return [{ code: 415, message: `Supported content types: ${bodyMedia.join(",")}` }];
  if (validators === "application/json") return diagnosticsOf(compare(schema, body), "Request", "body");
  const isCut = validators !== "multipart/form-data" || type === undefined || /;\s*boundary=/i.test(type);
  return isCut ? [] : [{ code: 415, message: "The boundary of multipart/form-data is not defined" }];
}

/** Whether a media type is the expected one, or one of a structured syntax with its suffix. */
function isOf(media: string, expected: string): boolean {
  return media.replace(/\/.+\+/, "/") === expected;
}

const IDENTITIES: Readonly<Record<Operation["workspace"], Fields>> = {
  required: { "x-tenant-id": uuid(), "x-user-id": optional(text()) },
  key: { "x-tenant-id": optional(uuid()), "x-user-id": optional(text()) },
  optional: { "x-tenant-id": optional(uuid()), "x-user-id": optional(text()) },
  none: {},
};

function parametersOf({ workspace, query = {}, pathParameters = {} }: Operation) {
  return {
    header: object(IDENTITIES[workspace]),
    query: object(query),
    path: object(pathParameters),
  };
}

/** The parameters of a query; one that is a list may be given once. */
function queryIn({ query: fields = {} }: Operation, { query }: ReadRequest): ReadRequest["query"] {
  const parameters = Object.entries(query).filter(([, value]) => value !== "");
  return Object.fromEntries(
    parameters.map(([name, value]) => [name, isList(fields[name]) ? [value].flat() : value]),
  );
}

function isList(field: Fields[string] | undefined): boolean {
  const { optional: inner = field } = (field ?? {}) as { readonly optional?: Field<unknown> };
  return (inner as Field<unknown> | undefined)?.type === "array";
}

type Place = "body" | "header" | "query" | "path";

/** Ajv's errors in the words in which Prism puts them. */
function diagnosticsOf(
  errors: readonly ErrorObject[],
  side: "Request" | "Response",
  place: Place,
): readonly Diagnostic[] {
  return errors.map(({ instancePath, keyword, params, message = "" }) => {
    const steps = instancePath.split("/").slice(1);
    const kind = place === "body" ? "property" : "parameter";
    const at = steps.length > 0 ? `${kind} ${steps.join(".")} ` : "";
    const allowed = keyword === "enum" ? `: ${(params.allowedValues as readonly unknown[]).join(", ")}` : "";
    const propertyText = keyword === "additionalProperties" ? `; found '${params.additionalProperty}'` : "";
    return {
      path: [place, ...steps],
      code: keyword,
      message: `${side} ${place} ${at}${message}${allowed}${propertyText}`,
    };
  });
}
