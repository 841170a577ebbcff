import { isJsonObject, type JsonObject, jsonProblem, wellFormed } from "../traces/json.ts";
import { fieldAt, parseUuid } from "../traces/run-input.ts";
import { parseTime } from "../traces/wire-time.ts";

/** Feedback as a client gave it, each value in the form in which it is kept. */
export interface FeedbackInput {
  readonly id?: string;
  readonly run_id: string | null;
  readonly trace_id: string | null;
  readonly session_id: string | null;
  readonly key: string;
  readonly score: number | boolean | null;
  readonly value: unknown;
  readonly comment: string | null;
  readonly correction: unknown;
  readonly feedback_source: JsonObject | null;
  readonly extra: JsonObject | null;
  readonly created_at: string | null;
}

/** What an update may change. */
export type FeedbackChange = Partial<Pick<FeedbackInput, "score" | "value" | "comment" | "correction">>;

const KEY_LENGTH_MAX = 180;

/** Reads one piece of feedback, or names everything that is wrong with it. */
export function readFeedback(
  value: unknown,
  where: string,
): { readonly given: FeedbackInput } | { readonly problems: readonly string[] } {
  if (!isJsonObject(value)) return { problems: [`${where}: must be a JSON object`] };
  const problems: string[] = [];
  const reportProblem = (name: string, problem: string): null => {
    problems.push(`${fieldAt(where, name)}: ${problem}`);
    return null;
  };
  const uuid = (name: string): string | null =>
    value[name] == null ? null : (parseUuid(value[name]) ?? reportProblem(name, "must be a uuid"));
  const object = (name: string): JsonObject | null => {
    const inner = value[name];
    if (inner == null) return null;
    return isJsonObject(inner) ? (json(name) as JsonObject) : reportProblem(name, "must be a JSON object");
  };
  const json = (name: string): unknown => {
    const problem = jsonProblem(value[name]);
    return problem === undefined ? (value[name] ?? null) : reportProblem(name, problem);
  };
  const id = uuid("id");
  const input: FeedbackInput = {
    ...(id !== null && { id }),
    run_id: uuid("run_id"),
    trace_id: uuid("trace_id"),
    session_id: uuid("session_id"),
    key:
      keyOf(value.key) ??
      reportProblem("key", `is required: a text of 1 to ${KEY_LENGTH_MAX} characters`) ??
      "",
    score: isScore(value.score) ? value.score : reportProblem("score", "must be a number or a boolean"),
    value: json("value"),
    comment: isText(value.comment) ? textOf(value.comment) : reportProblem("comment", "must be a string"),
    correction: json("correction"),
    feedback_source: object("feedback_source"),
    extra: object("extra"),
    created_at:
      value.created_at == null
        ? null
        : (parseTime(value.created_at) ?? reportProblem("created_at", "must be an ISO 8601 time")),
  };
  if (input.run_id === null && input.session_id === null && problems.length === 0)
    problems.push(`${fieldAt(where, "run_id")}: is required, or session_id for feedback on a project`);
  return problems.length > 0 ? { problems } : { given: input };
}

function keyOf(key: unknown): string | undefined {
  return typeof key === "string" && key !== "" && key.length <= KEY_LENGTH_MAX ? wellFormed(key) : undefined;
}

function isScore(score: unknown): score is number | boolean | null {
  return score == null || typeof score === "boolean" || (typeof score === "number" && Number.isFinite(score));
}

function isText(text: unknown): text is string | null {
  return text == null || typeof text === "string";
}

function textOf(text: string | null): string | null {
  return text == null ? null : wellFormed(text);
}
