import { textOrJson } from "../../../contracts/spec/exact-json.ts";

const MAX_PREVIEW_CHARACTERS = 200;

/** The beginning of a text, or of the JSON text of a value; undefined for null. */
export function preview(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  const text = textOrJson(value);
  return text.length <= MAX_PREVIEW_CHARACTERS ? text : `${text.slice(0, MAX_PREVIEW_CHARACTERS - 1)}…`;
}
