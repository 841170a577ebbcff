import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { lineageOf, type ParentLookup } from "./lineage.ts";
import type { InputFields } from "./run-input.ts";
import { costsOf, explicitCosts, explicitTokens, firstTokenTimeIn, tokensOf, usageReports } from "./usage.ts";

/** A trace row without its project. */
export type RowFields = Omit<TraceRow, "session_id">;

/** The status of a run that was sent without one: derived from error, then from end_time. */
function derivedStatus(row: Pick<TraceRow, "error" | "end_time">): string {
  // Clients send an empty string for "no error".
  if (row.error !== null && row.error !== "") return "error";
  return row.end_time === null ? "pending" : "success";
}

/** Builds a row from a client's fields and derives the missing ones. */
export function buildRow(id: string, input: InputFields, now: string, parentOf: ParentLookup): RowFields {
  const startTime = input.start_time ?? now;
  const error = input.error ?? null;
  const endTime = input.end_time ?? null;
  const outputs = input.outputs ?? null;
  const extra = input.extra ?? null;
  const events = input.events ?? null;
  const lineage = lineageOf(id, startTime, input, parentOf);
  const { tokens, costs } = figuresOf(input, { outputs, extra });
  // Named one by one: to copy them from these objects would take most of the time that a row takes here.
  return {
    id,
    trace_id: lineage.trace_id,
    parent_run_id: lineage.parent_run_id,
    parent_run_ids: lineage.parent_run_ids,
    is_root: lineage.is_root,
    dotted_order: lineage.dotted_order,
    reference_example_id: input.reference_example_id ?? null,
    name: input.name ?? "",
    run_type: input.run_type ?? "",
    start_time: startTime,
    end_time: endTime,
    status: input.status ?? derivedStatus({ error, end_time: endTime }),
    trace_tier: input.trace_tier ?? null,
    error,
    tags: input.tags ?? [],
    total_tokens: tokens.total,
    prompt_tokens: tokens.prompt,
    completion_tokens: tokens.completion,
    total_cost: costs.total,
    prompt_cost: costs.prompt,
    completion_cost: costs.completion,
    first_token_time: input.first_token_time ?? firstTokenTimeIn(events),
    inputs: input.inputs ?? null,
    outputs,
    extra,
    events,
    feedback_stats: input.feedback_stats ?? null,
  };
}

/** The inverse of `buildRow`: input fields from which `buildRow` builds this row. */
export function inputFieldsOf(row: TraceRow): InputFields {
  const { id, session_id, is_root, ...input } = row;
  const reports = usageReports(row);
  const tokens = explicitTokens(
    { total: row.total_tokens, prompt: row.prompt_tokens, completion: row.completion_tokens },
    reports,
  );
  const costs = explicitCosts(
    { total: row.total_cost, prompt: row.prompt_cost, completion: row.completion_cost },
    reports,
  );
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

/** Assigns a run to its project, in place: a copy would cost as much as what made the row. */
export function rowUnder(sessionId: string, fields: RowFields): TraceRow {
  return Object.assign(fields, { session_id: sessionId });
}

/** Those that were sent take precedence over those that its outputs and metadata report. */
function figuresOf(input: InputFields, content: Pick<TraceRow, "outputs" | "extra">) {
  const reports = usageReports(content);
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
  return { tokens: tokensOf(tokens, reports), costs: costsOf(costs, reports) };
}
