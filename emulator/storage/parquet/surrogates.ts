/**
 * A lone surrogate can occur in a JavaScript string and, as an escape, in a JSON text, but not in UTF-8. Some
 * readers refuse a whole file because of one such escape, so files contain U+FFFD instead.
 */
const LONE = /\p{Surrogate}/u;
const ESCAPES = /\\(u[dD][89a-fA-F][0-9a-fA-F]{2}|.)/gs;
const ESCAPE_START = Buffer.from("\\ud");

/** The text with U+FFFD in place of every lone surrogate. */
export function wellFormedText(text: string): string {
  return LONE.test(text) ? Buffer.from(text, "utf8").toString("utf8") : text;
}

/** The same for the output of `JSON.stringify`, which escapes only lone surrogates. */
export function wellFormedJson(json: string): string {
  if (!json.includes("\\ud")) return json;
  return json.replace(ESCAPES, (escape, escaped: string) => (escaped.length > 1 ? "\ufffd" : escape));
}

/** The same for a JSON text in UTF-8. */
export function wellFormedJsonBytes(json: Buffer): Uint8Array {
  return json.includes(ESCAPE_START) ? Buffer.from(wellFormedJson(json.toString("utf8")), "utf8") : json;
}
