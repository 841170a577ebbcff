import { createHash } from "node:crypto";
import type { FileColumnName } from "../../contracts/spec/bulk-exports/columns.ts";
import { printExact } from "../../contracts/spec/exact-json.ts";
import { isJsonColumn, type StoredRow } from "../storage/rows/lines.ts";
import type { FormatVersion } from "../subjects/bulk-exports/encoder.ts";
import { asBuffer } from "../subjects/bytes.ts";
import { JsonText } from "../subjects/json-text.ts";
import { canonicalValue } from "./canonical-value.ts";
import { shortened } from "./findings.ts";

/** The columns and format requested of an export. */
export interface FileForm {
  readonly columns: readonly FileColumnName[];
  readonly formatVersion: FormatVersion;
  readonly tenantId: string;
}

/** The same for the rows of one project. */
export interface RowForm extends FileForm {
  readonly sessionId: string;
}

/** A row of the store or of a file, in a comparable form. */
export interface ComparableRow {
  /** The id; without an id column, a digest of all values. */
  readonly identity: string;
  /** Null when the file has no such column. */
  readonly start: string | null;
  /** The project and tenant of the row, unless they are those of the export, or unknown. */
  readonly foreign?: string;
  /** A value per column of the form; undefined where the file's column cannot be compared. */
  readonly values: readonly unknown[];
}

type Values = Readonly<Record<string, unknown>>;

const MAX_NAMED_COLUMNS = 3;
// An excerpt starts at the first character of a value unless that would hide the difference.
const MAX_CHARACTERS_BEFORE_DIFFERENCE = 100;
const CONTEXT_CHARACTERS = 40;

function canonicalText(value: unknown): string {
  if (value instanceof JsonText) return canonicalJson(value);
  return typeof value === "bigint" ? String(value) : (JSON.stringify(value) ?? "null");
}

/** Spaces and escapes make no difference. A text in a file may be invalid: then it is compared as it is. */
function canonicalJson(text: JsonText): string {
  try {
    return printExact(text);
  } catch {
    return text.bytes.toString();
  }
}

/** Texts are made, and JSON is parsed, only of values that are not identical, because most rows have nothing to report. */
function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (left instanceof JsonText && right instanceof JsonText && left.bytes.equals(right.bytes)) return true;
  return canonicalText(left) === canonicalText(right);
}

/** All values of a row as text, for digests and names. */
export function textOf({ values }: Pick<ComparableRow, "values">): string {
  return values.map(canonicalText).join("\n");
}

// Memory of a value in addition to its text, in bytes.
const VALUE_BYTES = 24;

/** The memory of a row, about. */
export function bytesOf(row: ComparableRow): number {
  return textOf(row).length + row.values.length * VALUE_BYTES;
}

/** A digest of all values of a row. */
export function digestOf(row: Pick<ComparableRow, "values">): string {
  return createHash("sha256").update(textOf(row)).digest("base64");
}

function identityOf({ columns }: RowForm, id: unknown, values: readonly unknown[]): string {
  return columns.includes("id") ? String(id) : digestOf({ values });
}

function foreignTo(form: RowForm, session: unknown, tenant: unknown): Pick<ComparableRow, "foreign"> {
  if (session === form.sessionId && tenant === form.tenantId) return {};
  return { foreign: `project ${shortened(String(session))} of tenant ${shortened(String(tenant))}` };
}

/** A row of the store in the form in which an export has to write it. JSON columns are not parsed. */
export function comparableStoredRow(form: RowForm, row: StoredRow): ComparableRow {
  const values = form.columns.map((name) => {
    if (name === "tenant_id") return form.tenantId;
    // It may have changed since the export.
    if (name === "feedbacks") return undefined;
    if (!isJsonColumn(name)) return canonicalValue(name, row.value(name), form.formatVersion);
    const json = row.json(name);
    // A copy, because the buffer of the line is used for later rows.
    return json && new JsonText(Buffer.from(json));
  });
  return {
    identity: identityOf(form, row.value("id"), values),
    start: row.value("start_time"),
    values,
    ...foreignTo(form, row.value("session_id"), form.tenantId),
  };
}

/** The columns of a file that have the requested type, so that values can be compared. */
export type Comparable = ReadonlySet<string>;

/** False when a file lacks the columns that identify its rows. */
export function canIdentify({ columns }: RowForm, comparable: Comparable): boolean {
  return columns.includes("id") ? comparable.has("id") : columns.every((name) => comparable.has(name));
}

/** A row of a file; columns of another type than requested are not compared. */
export function comparableFileRow(form: RowForm, row: Values, comparable: Comparable): ComparableRow {
  const values = form.columns.map((name) =>
    comparable.has(name) && name !== "feedbacks" ? fileValue(row[name]) : undefined,
  );
  const start = comparable.has("start_time") && typeof row.start_time === "string" ? row.start_time : null;
  const { session_id = form.sessionId, tenant_id = form.tenantId } = row;
  return {
    identity: identityOf(form, row.id, values),
    start,
    values,
    ...foreignTo(form, session_id, tenant_id),
  };
}

/** JSON texts of a file are read as bytes. */
function fileValue(value: unknown): unknown {
  return value instanceof Uint8Array ? new JsonText(asBuffer(value)) : value;
}

/** The columns in which two rows differ, with both values; undefined when they are equal. */
export function differences(
  form: FileForm,
  storedRow: ComparableRow,
  exportedRow: ComparableRow,
): string | undefined {
  const isDifferent = (fileValue: unknown, at: number) =>
    fileValue !== undefined && !isSame(storedRow.values[at], fileValue);
  if (!exportedRow.values.some(isDifferent)) return undefined;
  const differing = form.columns.flatMap((name, at) => {
    const exportedValue = exportedRow.values[at];
    if (!isDifferent(exportedValue, at)) return [];
    const [inStore, inFile] = [canonicalText(storedRow.values[at]), canonicalText(exportedValue)];
    return [`${name} is ${excerpt(inFile, inStore)} instead of ${excerpt(inStore, inFile)}`];
  });
  const more = differing.length - MAX_NAMED_COLUMNS;
  return (
    differing.slice(0, MAX_NAMED_COLUMNS).join(", ") + (more > 0 ? `, and ${more} more columns differ` : "")
  );
}

/** The part of a long value in which it differs from the other. */
function excerpt(text: string, other: string): string {
  let at = 0;
  while (at < text.length && text[at] === other[at]) at += 1;
  const from = at > MAX_CHARACTERS_BEFORE_DIFFERENCE ? at - CONTEXT_CHARACTERS : 0;
  return from > 0 ? `…${shortened(text.slice(from))}` : shortened(text);
}

/** How a row is named in a report. */
export function nameOf({ columns }: FileForm, row: ComparableRow): string {
  return columns.includes("id")
    ? `row ${row.identity}`
    : `row ${shortened(textOf(row).replaceAll("\n", " "))}`;
}
