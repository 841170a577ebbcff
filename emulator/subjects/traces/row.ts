import { COLUMN_NAMES, type TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { lineageOf, type ParentLookup } from "./lineage.ts";
import type { InputFields } from "./run-input.ts";
import { COSTS, completeFigures, explicitFigures, firstTokenTimeIn, TOKENS, usageReports } from "./usage.ts";

/** A trace row without its project. */
export type RowFields = Omit<TraceRow, "session_id">;

/** Columns that `buildRow` derives, or that have a default of their own. Every other column is stored as sent, or null. */
const DERIVED_COLUMNS = [
  "id",
  "trace_id",
  "parent_run_id",
  "parent_run_ids",
  "is_root",
  "dotted_order",
  "name",
  "run_type",
  "start_time",
  "status",
  "tags",
  "total_tokens",
  "prompt_tokens",
  "completion_tokens",
  "total_cost",
  "prompt_cost",
  "completion_cost",
  "first_token_time",
] as const satisfies readonly (keyof RowFields)[];

type DerivedColumn = (typeof DERIVED_COLUMNS)[number];
type DerivedFields = Pick<RowFields, DerivedColumn>;
type SentColumn = Exclude<keyof RowFields, DerivedColumn>;

const NOT_SENT: ReadonlySet<string> = new Set([...DERIVED_COLUMNS, "tenant_id", "session_id"]);

/** Compiled from the column table: a loop over the names would take five times as long. */
const joinColumns = new Function(
  "derived",
  "input",
  `return {${[
    ...DERIVED_COLUMNS.map((name) => `${name}: derived.${name}`),
    ...COLUMN_NAMES.filter((name) => !NOT_SENT.has(name)).map((name) => `${name}: input.${name} ?? null`),
  ].join()}}`,
) as (
  derived: DerivedFields,
  input: InputFields,
) => DerivedFields & { readonly [Name in SentColumn]: NonNullable<InputFields[Name]> | null };

/** The status of a run that was sent without one: derived from error, then from end_time. */
function derivedStatus({ error, end_time }: Pick<InputFields, "error" | "end_time">): string {
  // Clients send an empty string for "no error".
  if (error != null && error !== "") return "error";
  return end_time == null ? "pending" : "success";
}

/** Builds a row from a client's fields and derives the missing ones. */
export function buildRow(id: string, input: InputFields, now: string, parentOf: ParentLookup): RowFields {
  const startTime = input.start_time ?? now;
  const lineage = lineageOf(id, startTime, input, parentOf);
  const { tokens, costs } = figuresOf(input);
  // Listed one by one: spreading `lineage` would take most of the time that a row takes here.
  const derived: DerivedFields = {
    id,
    trace_id: lineage.trace_id,
    parent_run_id: lineage.parent_run_id,
    parent_run_ids: lineage.parent_run_ids,
    is_root: lineage.is_root,
    dotted_order: lineage.dotted_order,
    name: input.name ?? "",
    run_type: input.run_type ?? "",
    start_time: startTime,
    status: input.status ?? derivedStatus(input),
    tags: input.tags ?? [],
    total_tokens: tokens.total,
    prompt_tokens: tokens.prompt,
    completion_tokens: tokens.completion,
    total_cost: costs.total,
    prompt_cost: costs.prompt,
    completion_cost: costs.completion,
    first_token_time: input.first_token_time ?? firstTokenTimeIn(input.events ?? null),
  };
  return joinColumns(derived, input);
}

/** The inverse of `buildRow`: input fields from which `buildRow` builds this row. */
export function inputFieldsOf(row: TraceRow): InputFields {
  const { id, session_id, is_root, ...input } = row;
  const reports = usageReports(row);
  const { total_tokens, prompt_tokens, completion_tokens, total_cost, prompt_cost, completion_cost } = row;
  const shownTokens = { total: total_tokens, prompt: prompt_tokens, completion: completion_tokens };
  const shownCosts = { total: total_cost, prompt: prompt_cost, completion: completion_cost };
  const tokens = explicitFigures(shownTokens, reports, TOKENS);
  const costs = explicitFigures(shownCosts, reports, COSTS);
  return {
    ...input,
    status: row.status === derivedStatus(row) ? null : row.status,
    total_tokens: tokens.total ?? null,
    prompt_tokens: tokens.prompt ?? null,
    completion_tokens: tokens.completion ?? null,
    total_cost: costs.total ?? null,
    prompt_cost: costs.prompt ?? null,
    completion_cost: costs.completion ?? null,
    first_token_time: row.first_token_time === firstTokenTimeIn(row.events) ? null : row.first_token_time,
  };
}

/** Assigns a run to its project, in place: a copy would take as long as building the row. */
export function rowUnder(sessionId: string, fields: RowFields): TraceRow {
  return Object.assign(fields, { session_id: sessionId });
}

/** Figures that the client sent take precedence over those in its outputs and metadata. */
function figuresOf(input: InputFields) {
  const reports = usageReports({ outputs: input.outputs ?? null, extra: input.extra ?? null });
  const tokens = {
    total: input.total_tokens ?? null,
    prompt: input.prompt_tokens ?? null,
    completion: input.completion_tokens ?? null,
  };
  const costs = {
    total: input.total_cost ?? null,
    prompt: input.prompt_cost ?? null,
    completion: input.completion_cost ?? null,
  };
  return {
    tokens: completeFigures(tokens, reports, TOKENS),
    costs: completeFigures(costs, reports, COSTS),
  };
}
