import {
  COLUMN_NAMES,
  type Column,
  EXPORT_COLUMNS,
  type TraceRow,
} from "../../../contracts/spec/bulk-exports/columns.ts";
import { isText, markedNumeral } from "../../../contracts/spec/exact-json.ts";
import { parseDecimal } from "./decimal.ts";
import {
  type FieldReader,
  fieldReader,
  json,
  listOf,
  parseUuid,
  readFields,
  text,
  time,
  uuid,
} from "./field-readers.ts";
import type { JsonObject } from "./json.ts";
import { MAX_DOTTED_ORDER_SEGMENTS, parseDottedOrder } from "./lineage.ts";
import { parseCount } from "./usage.ts";

/** The run types that public clients send; any other is kept as sent. */
export const RUN_TYPES = ["chain", "llm", "tool", "retriever", "embedding", "prompt", "parser"] as const;

/** The fields a client sent for a row, in stored form; null where it sent null. */
export type InputFields = {
  readonly [Name in keyof Omit<TraceRow, "id" | "session_id" | "is_root">]?: TraceRow[Name] | null;
};

/** A reference to the project of a run. */
export type ProjectReference = { readonly sessionId: string } | { readonly sessionName: string };

/** One validated run of a request body. */
export interface ParsedRun {
  readonly id: string | undefined;
  readonly project: ProjectReference | undefined;
  /** With those of the identity, if they were sent. */
  readonly fields: InputFields & Identity;
  /** Names of unknown fields, for a warning. */
  readonly unknownFields: readonly string[];
  readonly problems: readonly string[];
}

const count = fieldReader("must be a whole number from 0 to 9007199254740991", parseCount);
const decimal = fieldReader("must be a decimal number of at most 25 digits before the point", parseDecimal);
const cost: FieldReader = (value, reportProblem) => decimal(markedNumeral(value) ?? value, reportProblem);
const uuids = fieldReader(
  `must be a list of at most ${MAX_DOTTED_ORDER_SEGMENTS} uuids`,
  listOf(MAX_DOTTED_ORDER_SEGMENTS, parseUuid),
);
const texts = fieldReader(
  "must be a list of strings",
  listOf(Number.POSITIVE_INFINITY, (value) => (isText(value) ? value : undefined)),
);
const dottedOrder = fieldReader(
  `must be at most ${MAX_DOTTED_ORDER_SEGMENTS} segments <YYYYMMDDTHHMMSSffffffZ><uuid> joined by dots`,
  (value) => (typeof value === "string" ? parseDottedOrder(value) : undefined),
);

/** Columns that identify the row and its project, or that are derived from other columns. */
const NOT_INPUT: ReadonlySet<string> = new Set(["id", "tenant_id", "session_id", "is_root"]);

type InputColumn = keyof InputFields;

/** The reader of a column, by its type in `v2_beta`. */
const READERS_BY_TYPE: Readonly<Record<(typeof EXPORT_COLUMNS)[InputColumn]["v2"], FieldReader>> = {
  string: text,
  strings: texts,
  json,
  timestamp: time,
  int64: count,
  decimal: cost,
};

/** Columns that accept fewer values than their type does. */
const OWN_READERS: Readonly<Partial<Record<InputColumn, FieldReader>>> = {
  parent_run_ids: uuids,
  dotted_order: dottedOrder,
};

function readerOf(name: InputColumn): FieldReader {
  const column: Column = EXPORT_COLUMNS[name];
  return column.format === "uuid" ? uuid : (OWN_READERS[name] ?? READERS_BY_TYPE[EXPORT_COLUMNS[name].v2]);
}

const INPUT_COLUMNS = COLUMN_NAMES.filter((name): name is InputColumn => !NOT_INPUT.has(name));

const FIELD_READERS: Readonly<Record<string, FieldReader>> = Object.fromEntries(
  INPUT_COLUMNS.map((name) => [name, readerOf(name)]),
);

/**
 * Known fields of clients that are not stored in a column. `serialized` is one of them: moving it into
 * `extra` would export an `extra` that the client did not send.
 */
const UNUSED_FIELDS: ReadonlySet<string> = new Set([
  "app_path",
  "attachments",
  "child_execution_order",
  "child_run_ids",
  "child_runs",
  "direct_child_run_ids",
  "execution_order",
  "in_dataset",
  "input_attachments",
  "is_root",
  "last_queued_at",
  "manifest_id",
  "output_attachments",
  "serialized",
  "share_token",
  "tenant_id",
]);

/** The fields that identify a run and its project. */
const FIELDS: ReadonlyMap<string, FieldReader> = new Map(
  Object.entries({ ...FIELD_READERS, id: uuid, session_id: uuid, session_name: text }),
);

type Identity = Partial<Record<"id" | "session_id" | "session_name", string | null>>;

/** Reads a run of a request body; `where` prefixes its field names in problems. */
export function readRun(value: JsonObject, where: string): ParsedRun {
  const { values, unread, problems } = readFields(value, where, FIELDS);
  const fields = values as InputFields & Identity;
  return {
    id: fields.id ?? undefined,
    project: projectOf(fields.session_id ?? undefined, fields.session_name ?? undefined),
    fields,
    unknownFields: unread.filter((name) => !UNUSED_FIELDS.has(name)),
    problems,
  };
}

/** Whether clients send this column; false for the ids of the run and its project. */
export function isInputColumn(name: string): boolean {
  return Object.hasOwn(FIELD_READERS, name);
}

function projectOf(
  sessionId: string | undefined,
  sessionName: string | undefined,
): ProjectReference | undefined {
  if (sessionId !== undefined) return { sessionId };
  return sessionName === undefined ? undefined : { sessionName };
}
