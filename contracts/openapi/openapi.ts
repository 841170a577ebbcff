import { ASSUMPTIONS, type AssumptionId } from "../spec/assumptions.ts";
import type { Field, OptionalField } from "../spec/fields.ts";
import type { LimitTable } from "../spec/limit.ts";
import { LIMITS, TIMINGS } from "../spec/limits.ts";
import { type Operation, operationUnder } from "../spec/operation.ts";
import { OPERATIONS } from "../spec/operations.ts";
import { AGENT_API_VERSION, DEFAULT_VERSIONS } from "../spec/versions.ts";
import {
  type AssumptionValues,
  errorSchemas,
  namedSchemas,
  type SchemaWriter,
  schemaWriter,
} from "./schemas.ts";

/** What differs in the document from one server to the next. */
export interface OpenApiOptions {
  readonly versions?: Readonly<Record<keyof typeof DEFAULT_VERSIONS, string>>;
  /** Base addresses of the two regions (§1). */
  readonly regions?: { readonly us: string; readonly eu: string };
  readonly assumptions?: AssumptionValues;
  /** Schemas are written where they are used, for readers that take long to follow references. */
  readonly inPlace?: true;
}

type Json = Readonly<Record<string, unknown>>;

const REFUSALS: Readonly<Record<number, string>> = {
  400: "The object store refused the destination, or the OTLP body cannot be decoded.",
  401: "The key is missing or unknown.",
  403: "The key does not belong to the workspace.",
  404: "The workspace has no resource with this id.",
  409: "The state of the resource does not allow the operation.",
  413: "The body exceeds the size limit.",
  415: "The body is not JSON.",
  422: "The request does not match the schema.",
  429: "The rate limit is exceeded.",
};

const WORKSPACE_PARAMETER = {
  required: { $ref: "#/components/parameters/Workspace" },
  key: { $ref: "#/components/parameters/WorkspaceOfKey" },
  optional: { $ref: "#/components/parameters/WorkspaceOfKey" },
} as const;

const SECURITY: Readonly<Record<Operation["workspace"], readonly Json[]>> = {
  required: [{ apiKey: [] }],
  key: [{ apiKey: [] }, { user: [] }],
  optional: [{}, { apiKey: [] }],
  none: [],
};

/** The OpenAPI 3.1 document of every operation, derived from the tables. */
export function openApiDocument(options: OpenApiOptions = {}): Json {
  const { versions = DEFAULT_VERSIONS } = options;
  const schemaOf = schemaWriter(options.assumptions ?? {}, options.inPlace && new Map());
  return {
    openapi: "3.1.0",
    info: {
      title: "Trace Platform API",
      // §9: a document has one version; the other versions are in an extension.
      version: AGENT_API_VERSION,
      description:
        "The API of the emulator. Entries under x-emulator name the sections of the specification and the assumptions.",
      "x-emulator": { versions },
    },
    jsonSchemaDialect: "https://json-schema.org/draft/2020-12/schema",
    servers: serversOf(options.regions ?? { us: "http://127.0.0.1:4700", eu: "http://127.0.0.1:4701" }),
    paths: pathsOf(schemaOf, options.assumptions ?? {}),
    components: {
      schemas: {
        ...(options.inPlace ? {} : namedSchemas(schemaOf)),
        ...errorSchemas(options.assumptions ?? {}),
      },
      parameters: IDENTITY_PARAMETERS,
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
        user: { type: "apiKey", in: "header", name: "x-user-id" },
      },
    },
    "x-emulator": {
      limits: { ...limitsIn("limits", LIMITS), ...limitsIn("timings", TIMINGS) },
      assumptions: assumptionsInForce(options.assumptions ?? {}),
    },
  };
}

const workspace = { name: "X-Tenant-Id", in: "header", schema: { type: "string", format: "uuid" } } as const;

const IDENTITY_PARAMETERS = {
  Workspace: { ...workspace, required: true, description: "Workspace of the call (§5)." },
  WorkspaceOfKey: { ...workspace, description: "Workspace of the call (default: the workspace of the key)." },
  User: {
    name: "x-user-id",
    in: "header",
    description: "An interactive user. Rate limits count the user together with the address (§5).",
    schema: { type: "string" },
  },
} as const;

function serversOf({ us, eu }: { us: string; eu: string }): readonly Json[] {
  return [
    { url: "{base_url}", description: "US region", variables: { base_url: { default: us } } },
    { url: "{eu_base_url}", description: "EU region", variables: { eu_base_url: { default: eu } } },
  ];
}

function pathsOf(schemaOf: SchemaWriter, assumptions: AssumptionValues): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [id, operation] of Object.entries<Operation>(OPERATIONS)) {
    const row = operationUnder(operation, assumptions);
    [row.path, ...(row.alsoAt ?? [])].forEach((path, place) => {
      const operationId = place === 0 ? id : `${id}_${place + 1}`;
      const method = row.method.toLowerCase();
      const existing = paths[path]?.[method] as Json | undefined;
      const operation = {
        ...operationOf(row, operationId, id, schemaOf),
        // The specification shows one path of an operation.
        ...(row.shown && place === 0 ? {} : { "x-beyond": true }),
      };
      paths[path] = { ...paths[path], [method]: existing ? mergeOperations(existing, operation) : operation };
    });
  }
  return paths;
}

/** Two rows of one method and path, of which the body decides: either body, and the replies of both. */
function mergeOperations(first: Json, second: Json): Json {
  const bodies = [first, second].map((operation) => {
    const { content } = operation.requestBody as { content: { "application/json": { schema: unknown } } };
    return content["application/json"].schema;
  });
  const emulator = first["x-emulator"] as Json;
  return {
    ...first,
    requestBody: { required: true, content: json({ anyOf: bodies }) },
    responses: eitherOf(first.responses as Json, second.responses as Json),
    security: SECURITY.optional,
    "x-emulator": { ...emulator, or: second["x-emulator"] },
  };
}

function eitherOf(first: Json, second: Json): Json {
  const shared = Object.keys(first).filter((status) => status in second);
  const schemaIn = (responses: Json, status: string) =>
    (responses[status] as { content: { "application/json": { schema: unknown } } }).content[
      "application/json"
    ].schema;
  const both = shared.map((status) => {
    const anyOf = [schemaIn(first, status), schemaIn(second, status)];
    return [status, { ...(first[status] as Json), content: json({ anyOf }) }];
  });
  return { ...second, ...first, ...Object.fromEntries(both) };
}

function operationOf(row: Operation, operationId: string, id: string, schemaOf: SchemaWriter): Json {
  const { section, requirements, shown } = row;
  return {
    operationId,
    tags: [row.server],
    summary: row.summary,
    parameters: parametersOf(row, schemaOf),
    ...(row.body === undefined
      ? {}
      : { requestBody: { required: row.bodyRequired ?? true, content: bodyOf(row, schemaOf(row.body)) } }),
    responses: responsesOf(row, schemaOf),
    security: SECURITY[row.workspace],
    "x-emulator": { operation: id, section, requirements, shown },
  };
}

function parametersOf(row: Operation, schemaOf: SchemaWriter): readonly Json[] {
  const inPath = Object.entries(row.pathParameters ?? {}).map(([name, field]) =>
    parameter(name, "path", true, schemaOf(field)),
  );
  const inQuery = Object.entries(row.query ?? {}).map(([name, field]) => {
    const { optional } = field as Partial<OptionalField<unknown>>;
    return parameter(name, "query", optional === undefined, schemaOf(optional ?? (field as Field<unknown>)));
  });
  const identity =
    row.workspace === "none"
      ? []
      : [WORKSPACE_PARAMETER[row.workspace], { $ref: "#/components/parameters/User" }];
  return [...inPath, ...inQuery, ...identity];
}

function parameter(name: string, place: "path" | "query", required: boolean, operation: unknown): Json {
  const { description, ...schema } = operation as Json;
  // Readers of the document would otherwise take a list as one text with commas.
  const style = schema.type === "array" ? { style: "form", explode: true } : {};
  return { name, in: place, required, ...(description ? { description } : {}), ...style, schema };
}

function responsesOf(row: Operation, schemaOf: SchemaWriter): Json {
  const { status, body, media = "application/json", or } = row.reply;
  const error = { $ref: `#/components/schemas/${errorSchemaOf(row)}` };
  const refusals = row.refusals.map((refusal) => [
    refusal,
    { description: REFUSALS[refusal] ?? "Refused.", content: json(error) },
  ]);
  const success = {
    description: "Done.",
    ...(body === undefined ? {} : { content: { [media]: { schema: schemaOf(body) } } }),
  };
  const other = or ? [[or.status, { description: "Done.", content: json(schemaOf(or.body)) }]] : [];
  return Object.fromEntries([[status, success], ...other, ...refusals]);
}

/** The name of the schema of the errors of an operation, in `errorSchemas`. */
export function errorSchemaOf({ errors, server }: Operation): keyof ReturnType<typeof errorSchemas> {
  if (errors === "otlp") return "OtlpStatus";
  return server === "agent" ? "AgentError" : "PlatformError";
}

/** Protobuf has no schema in this document: it holds what the JSON does. */
function bodyOf({ bodyMedia = ["application/json"] }: Operation, schema: unknown): Json {
  return Object.fromEntries(
    bodyMedia.map((media) => [media, { schema: media === "application/x-protobuf" ? {} : schema }]),
  );
}

function json(schema: unknown): Json {
  return { "application/json": { schema } };
}

/** The rows of a table with the settings that change them. */
function limitsIn(prefix: string, table: LimitTable): Json {
  const rows = Object.entries(table).map(([key, row]) => [key, { ...row, setting: `${prefix}.${key}` }]);
  return Object.fromEntries(rows);
}

function assumptionsInForce(values: AssumptionValues): Json {
  return Object.fromEntries(
    Object.entries(ASSUMPTIONS).map(([id, { section, choice, reason }]) => [
      id,
      { section, value: values[id as AssumptionId] ?? choice, reason },
    ]),
  );
}
