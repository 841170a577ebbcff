import { canonicalNumeral, markedNumeral, plainNumber } from "../../../contracts/spec/exact-json.ts";
import {
  type FieldReader,
  type FieldsRead,
  fieldAt,
  fieldReader,
  json,
  jsonObject,
  readFields,
  text,
  time,
  uuid,
} from "../traces/field-readers.ts";
import { isJsonObject } from "../traces/json.ts";

const MAX_KEY_LENGTH = 180;
const KEY_PROBLEM = `is required: a text of 1 to ${MAX_KEY_LENGTH} characters`;

const key = fieldReader(KEY_PROBLEM, (value) =>
  typeof value === "string" && value !== "" && value.length <= MAX_KEY_LENGTH ? value : undefined,
);

/** It is computed with, so digits that a double does not have are refused. */
const score: FieldReader<number | boolean> = (value, reportProblem) => {
  const number = plainNumber(value);
  if (typeof number === "boolean") return number;
  if (typeof number !== "number" || !Number.isFinite(number))
    return void reportProblem("must be a number or a boolean");
  if (canonicalNumeral(value) === canonicalNumeral(number)) return number;
  return void reportProblem(
    `must be a number with at most 17 digits, not ${markedNumeral(value)?.slice(0, 40)}`,
  );
};

const READERS = {
  id: uuid,
  run_id: uuid,
  trace_id: uuid,
  session_id: uuid,
  key,
  score,
  value: json,
  comment: text,
  correction: json,
  feedback_source: jsonObject,
  extra: jsonObject,
  created_at: time,
} as const satisfies Readonly<Record<string, FieldReader>>;
const READERS_BY_NAME: ReadonlyMap<string, FieldReader> = new Map(Object.entries(READERS));

/** Validated feedback in stored form; null for members that were not sent. */
export type FeedbackInput = Required<Omit<FieldsRead<typeof READERS>, "id" | "key">> & {
  readonly id?: string;
  readonly key: string;
};

/** The members that an update may change. */
export type FeedbackChange = Partial<Pick<FeedbackInput, "score" | "value" | "comment" | "correction">>;

const EMPTY_FEEDBACK = {
  run_id: null,
  trace_id: null,
  session_id: null,
  score: null,
  value: null,
  comment: null,
  correction: null,
  feedback_source: null,
  extra: null,
  created_at: null,
};

/** Validates one feedback entry, or returns all problems. */
export function readFeedback(
  value: unknown,
  where: string,
): { readonly input: FeedbackInput } | { readonly problems: readonly string[] } {
  if (!isJsonObject(value)) return { problems: [`${where}: must be a JSON object`] };
  const { values, problems } = readFields<typeof READERS>(value, where, READERS_BY_NAME);
  const { id, key, ...members } = values;
  if (value.key == null) problems.push(`${fieldAt(where, "key")}: ${KEY_PROBLEM}`);
  else if (members.run_id == null && members.session_id == null && problems.length === 0)
    problems.push(`${fieldAt(where, "run_id")}: is required, or session_id for feedback on a project`);
  if (key == null || problems.length > 0) return { problems };
  return { input: { ...EMPTY_FEEDBACK, ...members, ...(id != null && { id }), key } };
}
