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
import { isJsonObject, wellFormed } from "../traces/json.ts";

const KEY_LENGTH_MAX = 180;
const KEY_NEEDED = `is required: a text of 1 to ${KEY_LENGTH_MAX} characters`;

const key = fieldReader(KEY_NEEDED, (value) =>
  typeof value === "string" && value !== "" && value.length <= KEY_LENGTH_MAX ? wellFormed(value) : undefined,
);

const score = fieldReader("must be a number or a boolean", (value) =>
  typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value)) ? value : undefined,
);

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

const NOTHING_SAID = {
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

/** Validates one piece of feedback, or returns all problems. */
export function readFeedback(
  value: unknown,
  where: string,
): { readonly given: FeedbackInput } | { readonly problems: readonly string[] } {
  if (!isJsonObject(value)) return { problems: [`${where}: must be a JSON object`] };
  const { values, problems } = readFields<typeof READERS>(value, where, READERS_BY_NAME);
  const { id, key: given, ...said } = values;
  if (value.key == null) problems.push(`${fieldAt(where, "key")}: ${KEY_NEEDED}`);
  else if (said.run_id == null && said.session_id == null && problems.length === 0)
    problems.push(`${fieldAt(where, "run_id")}: is required, or session_id for feedback on a project`);
  if (given == null || problems.length > 0) return { problems };
  return { given: { ...NOTHING_SAID, ...said, ...(id != null && { id }), key: given } };
}
