import { parseStorable } from "../../contracts/spec/exact-json.ts";

/** The value of a JSON text; undefined if the text is not JSON. */
export function jsonOf(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** The value of a JSON text; the text itself if it is not JSON. */
export function jsonOrText(text: string): unknown {
  return valueOrText(jsonOf(text), text);
}

/** The same for a document that a user sent, with marks; undefined, too, if it cannot be stored. */
export function documentOf(text: string): unknown {
  return jsonOf(text, (document) => parseStorable(document, ""));
}

/** The document of a JSON text; the text itself if it is not JSON. */
export function documentOrText(text: string): unknown {
  return valueOrText(documentOf(text), text);
}

function valueOrText(value: unknown, text: string): unknown {
  return value === undefined ? text : value;
}
