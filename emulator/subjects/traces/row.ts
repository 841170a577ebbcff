import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import type { GivenFields } from "./given.ts";
import { lineageOf, type ParentLookup } from "./lineage.ts";
import { costsOf, explicitCosts, explicitTokens, firstTokenTimeIn, tokensOf } from "./usage.ts";

/** A trace row before its project is known. */
export type RowFields = Omit<TraceRow, "session_id">;

/** A run's status when nobody has said it: an error, else the end, decides. */
function derivedStatus(row: Pick<TraceRow, "error" | "end_time">): string {
  // An empty text is what clients send when there was no error.
  if (row.error !== null && row.error !== "") return "error";
  return row.end_time === null ? "pending" : "success";
}

/** The row that follows from what was said of it, with every value that was left out worked out. */
export function buildRow(id: string, given: GivenFields, now: string, parentOf: ParentLookup): RowFields {
  const startTime = given.start_time ?? now;
  const error = given.error ?? null;
  const endTime = given.end_time ?? null;
  const content = {
    inputs: given.inputs ?? null,
    outputs: given.outputs ?? null,
    extra: given.extra ?? null,
    events: given.events ?? null,
    feedback_stats: given.feedback_stats ?? null,
  };
  return {
    id,
    ...lineageOf(id, startTime, given, parentOf),
    reference_example_id: given.reference_example_id ?? null,
    name: given.name ?? "",
    run_type: given.run_type ?? "",
    start_time: startTime,
    end_time: endTime,
    status: given.status ?? derivedStatus({ error, end_time: endTime }),
    trace_tier: given.trace_tier ?? null,
    error,
    tags: given.tags ?? [],
    ...figuresOf(given, content),
    first_token_time: given.first_token_time ?? firstTokenTimeIn(content.events),
    ...content,
  };
}

/** What must have been said of a row for it to be as it is: `buildRow` makes the same row of it. */
export function givenOf(row: TraceRow): GivenFields {
  const { id, session_id, is_root, ...given } = row;
  const tokens = explicitTokens(
    { total: row.total_tokens, prompt: row.prompt_tokens, completion: row.completion_tokens },
    row,
  );
  const costs = explicitCosts(
    { total: row.total_cost, prompt: row.prompt_cost, completion: row.completion_cost },
    row,
  );
  return {
    ...given,
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

/** Puts a run under its project. */
export function rowUnder(sessionId: string, fields: RowFields): TraceRow {
  const { id, ...rest } = fields;
  return { id, session_id: sessionId, ...rest };
}

type FigureFields = Pick<
  TraceRow,
  "total_tokens" | "prompt_tokens" | "completion_tokens" | "total_cost" | "prompt_cost" | "completion_cost"
>;

function figuresOf(
  given: GivenFields,
  content: Pick<TraceRow, "outputs" | "extra" | "events">,
): FigureFields {
  const tokens = tokensOf(
    {
      total: given.total_tokens ?? null,
      prompt: given.prompt_tokens ?? null,
      completion: given.completion_tokens ?? null,
    },
    content,
  );
  const costs = costsOf(
    {
      total: given.total_cost ?? null,
      prompt: given.prompt_cost ?? null,
      completion: given.completion_cost ?? null,
    },
    content,
  );
  return {
    total_tokens: tokens.total,
    prompt_tokens: tokens.prompt,
    completion_tokens: tokens.completion,
    total_cost: costs.total,
    prompt_cost: costs.prompt,
    completion_cost: costs.completion,
  };
}
