import { type Column, type ColumnType, EXPORT_COLUMNS, type TraceRow } from "../bulk-exports/columns.ts";
import {
  anything,
  boolean,
  dateTime,
  type Field,
  freeForm,
  integer,
  type Keywords,
  listOf,
  maybe,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  uuid,
} from "../fields.ts";
import { extension, filterText, projectStats } from "../queries/resources.ts";

/** A trace row as a client first sends it. Ingest checks its members one by one. */
export const runCreate = freeForm({
  ...extension,
  description: "A trace row: id, name, run_type, start_time and further members.",
});

/** Changes to a trace row. */
export const runUpdate = freeForm({
  ...extension,
  description: "The members of a trace row that change; all others stay unchanged.",
});

/** Rows and changes in one body. */
export const runBatch = object(
  {
    post: maybe(listOf(runCreate, { description: "New trace rows." })),
    patch: maybe(listOf(runUpdate, { description: "Changes, each with the id of its row." })),
  },
  extension,
);

/** One part of a multipart body. */
export interface FormPart {
  readonly name: string;
  /** In lower case, without parameters; empty when none was sent. */
  readonly contentType: string;
  /** What the part says that it has, if it does. */
  readonly length: number | undefined;
  readonly bytes: Uint8Array;
  /** Whether the body is UTF-8 and has no control characters but line breaks. */
  readonly isOfPlainText: boolean;
}

/** Parts `post.<id>`, `patch.<id>` with `.inputs` and so on behind them, `feedback.<id>`, `attachment.<id>.<name>`. */
export const runParts: Field<readonly FormPart[]> = {
  ...extension,
  type: "object",
  additionalProperties: {
    description: "JSON in a separate part, with its length as a parameter of the content type.",
  },
  description: "New trace rows and changes, split so that large members can be streamed.",
};

const scopeSpans = object({
  scope: maybe(freeForm({ description: "Instrumentation scope." })),
  spans: maybe(listOf(freeForm(), { description: "The spans themselves." })),
  schemaUrl: maybe(text()),
});

const resourceSpans = object({
  resource: maybe(freeForm({ description: "The source of the spans." })),
  scopeSpans: maybe(listOf(scopeSpans, { description: "Spans by scope." })),
  schemaUrl: maybe(text()),
});

/** Spans of OpenTelemetry, as OTLP/HTTP sends them. */
export const spanBatch = object(
  { resourceSpans: maybe(listOf(resourceSpans, { description: "Spans by resource and scope." })) },
  extension,
);

/** The reply to spans, with how many of them no row could be made of. */
export const spansTaken = object(
  {
    partialSuccess: optional(
      object({
        rejectedSpans: text({ description: "How many spans were not stored, as OTLP writes large numbers." }),
        errorMessage: text({ description: "Why." }),
      }),
    ),
  },
  extension,
);

/** The reply of ingest; public clients do not read it. */
export const accepted = freeForm({ ...extension, description: "An empty object." });

/** The field of a column's value in a row that the API returns. */
const FIELDS_BY_TYPE: Readonly<Record<ColumnType, (keywords: Keywords) => Field<unknown>>> = {
  string: text,
  json: anything,
  strings: (keywords) => listOf(text(), keywords),
  boolean,
  int64: integer,
  double: number,
  decimal: text,
  timestamp: dateTime,
  local_timestamp: dateTime,
};

function columnField({ v2, nullable: isNullable, v1: _, ...keywords }: Column): Field<unknown> {
  const field = FIELDS_BY_TYPE[v2](keywords);
  return isNullable ? nullable(field) : field;
}

const { tenant_id: _, ...rowColumns } = EXPORT_COLUMNS;
const columnFields = Object.fromEntries(
  Object.entries(rowColumns).map(([name, column]) => [name, columnField(column)]),
) as { readonly [Name in keyof TraceRow]: Field<TraceRow[Name]> };

/** A trace row as the API returns it (§2.7 lists its fields). */
export const traceRun = object(
  {
    ...columnFields,
    thread_id: nullable(text({ description: "Thread from its metadata; null if it has none." })),
    app_path: text({ description: "Path of the row in the platform's web app." }),
  },
  extension,
);

/** The body that creates a project. */
export const projectCreate = object(
  {
    name: text({ minLength: 1, maxLength: 1024, description: "Name, unique in its workspace." }),
    id: maybe(uuid({ description: "Identifier to use instead of a new one." })),
    description: maybe(text({ description: "Purpose of the project." })),
    start_time: maybe(dateTime({ description: "When the project started." })),
    extra: maybe(freeForm({ description: "Data from the client." })),
    reference_dataset_id: maybe(uuid({ description: "Dataset that its rows are run on." })),
  },
  extension,
);

/** What may change in a tracing project; null changes nothing. */
export const projectUpdate = object(
  {
    name: maybe(text({ minLength: 1, maxLength: 1024, description: "Its new name." })),
    description: maybe(text({ description: "Purpose of the project." })),
    extra: maybe(freeForm({ description: "Data from the client." })),
    end_time: maybe(dateTime({ description: "When the project ended." })),
  },
  extension,
);

/** A tracing project, called a session on the wire. */
export const project = object(
  {
    id: uuid({ description: "Identifier, the session_id of its rows and exports." }),
    tenant_id: uuid({ description: "Workspace that owns it." }),
    name: text({ description: "Name, unique in its workspace." }),
    description: nullable(text({ description: "Purpose of the project." })),
    start_time: dateTime({ description: "When the project started." }),
    end_time: nullable(dateTime({ description: "When the project ended; null while it is open." })),
    extra: nullable(freeForm({ description: "Data from the client." })),
    reference_dataset_id: nullable(uuid({ description: "Dataset that its rows were run on, as sent." })),
    ...projectStats,
  },
  extension,
);

/** Filter-query-language expressions to validate (§2.5 filter). */
export const filterQuery = object(
  {
    filter: filterText("Expression for the rows themselves."),
    trace_filter: filterText("Expression for the root row of their trace."),
    tree_filter: filterText("Expression for any row of their trace."),
  },
  extension,
);

/** Whether the expressions of a query can be read. */
export const filterVerdict = object(
  {
    valid: boolean({ description: "Whether all of them are valid." }),
    errors: listOf(
      object({
        field: oneOf(["filter", "trace_filter", "tree_filter"], {
          description: "Member with the invalid expression.",
        }),
        message: text({ description: "The position and a correction." }),
      }),
      { description: "One error for each invalid expression." },
    ),
  },
  extension,
);
