import { parseStorable } from "../../contracts/spec/exact-json.ts";

/** The value of a JSON text; undefined if the text is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value of a JSON text; the text itself if it is not JSON. */
export function jsonOrText(text: string): unknown {
  const value = jsonOf(text);
  return value === undefined ? text : value;
}

/** The same for a document that a user sent, with marks; undefined, too, if it cannot be stored. */
export function documentOf(text: string): unknown {
  try {
    return parseStorable(text, "");
  } catch {
    return undefined;
  }
}

/** The document of a JSON text; the text itself if it is not JSON. */
export function documentOrText(text: string): unknown {
  const value = documentOf(text);
  return value === undefined ? text : value;
}
