import { type Column, type ColumnType, EXPORT_COLUMNS, type TraceRow } from "../bulk-exports/columns.ts";
import type { Field, Keywords } from "../fields.ts";
import {
  anything,
  boolean,
  dateTime,
  freeForm,
  integer,
  listOf,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  uuid,
} from "../fields.ts";

const extension = { "x-requirement": "X-1" };

/** A trace row as a client first sends it; its members are judged one by one when it is taken in. */
export const runCreate = freeForm({
  ...extension,
  description: "A trace row: id, name, run_type and start_time, and whatever else the client knows of it.",
});

/** Changes to a trace row. */
export const runUpdate = freeForm({
  ...extension,
  description: "The members of a trace row that change; all others stay as they are.",
});

/** Rows and changes in one body. */
export const runBatch = object(
  {
    post: optional(nullable(listOf(runCreate, { description: "New trace rows." }))),
    patch: optional(nullable(listOf(runUpdate, { description: "Changes, each with the id of its row." }))),
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
    description: "JSON in a part of its own, with its length as a parameter of the content type.",
  },
  description: "New trace rows and changes, taken apart so that large members can be sent as they come.",
};

const maybe = <T>(field: Field<T>) => optional(nullable(field));

const scopeSpans = object({
  scope: maybe(freeForm({ description: "Instrumentation scope." })),
  spans: maybe(listOf(freeForm(), { description: "The spans themselves." })),
  schemaUrl: maybe(text()),
});

const resourceSpans = object({
  resource: maybe(freeForm({ description: "What the spans come from." })),
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
        rejectedSpans: text({ description: "How many spans were not taken, as OTLP writes large numbers." }),
        errorMessage: text({ description: "Why." }),
      }),
    ),
  },
  extension,
);

/** The reply to what was taken in; public clients do not read it. */
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
    thread_id: nullable(text({ description: "Thread named by its metadata; null if it names none." })),
    app_path: text({ description: "Path of the row in the platform's web app." }),
  },
  extension,
);

/** The body that creates a project. */
export const projectCreate = object(
  {
    name: text({ minLength: 1, maxLength: 1024, description: "Name, unique in its workspace." }),
    id: optional(nullable(uuid({ description: "Identifier to use instead of a new one." }))),
    description: optional(nullable(text({ description: "What the project is for." }))),
    start_time: optional(nullable(dateTime({ description: "When the project began." }))),
    extra: optional(nullable(freeForm({ description: "Whatever the client added." }))),
  },
  extension,
);

/** What may change in a tracing project; null changes nothing. */
export const projectUpdate = object(
  {
    name: optional(nullable(text({ minLength: 1, maxLength: 1024, description: "Its new name." }))),
    description: optional(nullable(text({ description: "What the project is for." }))),
    extra: optional(nullable(freeForm({ description: "Whatever the client added." }))),
    end_time: optional(nullable(dateTime({ description: "When the project ended." }))),
  },
  extension,
);

/** A tracing project, called a session on the wire. */
export const project = object(
  {
    id: uuid({ description: "Identifier, the session_id of its rows and exports." }),
    tenant_id: uuid({ description: "Workspace that owns it." }),
    name: text({ description: "Name, unique in its workspace." }),
    description: nullable(text({ description: "What the project is for." })),
    start_time: dateTime({ description: "When the project began." }),
    end_time: nullable(dateTime({ description: "When the project ended; null while it is open." })),
    extra: nullable(freeForm({ description: "Whatever the client added." })),
  },
  extension,
);

const filterText = (description: string) => optional(nullable(text({ ...extension, description })));

/** Filter-query-language expressions to be judged (§2.5 filter). */
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
    valid: boolean({ description: "Whether all of them can be read." }),
    errors: listOf(
      object({
        field: oneOf(["filter", "trace_filter", "tree_filter"], {
          description: "Member that cannot be read.",
        }),
        message: text({ description: "Where it goes wrong, and what to write instead." }),
      }),
      { description: "One error for each that cannot be read." },
    ),
  },
  extension,
);
