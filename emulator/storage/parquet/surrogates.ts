/**
 * Half a surrogate pair can stand in a JavaScript string and, as an escape, in a JSON text, but not in
 * UTF-8; some readers refuse a whole file for one such escape. In files each becomes U+FFFD.
 */
const LONE = /\p{Surrogate}/u;
const ESCAPES = /\\(u[dD][89a-fA-F][0-9a-fA-F]{2}|.)/gs;
const ESCAPE_START = Buffer.from("\\ud");

/** The text with U+FFFD for every half of a pair that stands alone. */
export function wellFormedText(text: string): string {
  return LONE.test(text) ? Buffer.from(text, "utf8").toString("utf8") : text;
}

/** The same for a JSON text as `JSON.stringify` writes it, which escapes only halves of pairs. */
export function wellFormedJson(json: string): string {
  if (!json.includes("\\ud")) return json;
  return json.replace(ESCAPES, (escape, escaped: string) => (escaped.length > 1 ? "\ufffd" : escape));
}

/** The same for a JSON text in UTF-8. */
export function wellFormedJsonBytes(json: Buffer): Uint8Array {
  return json.includes(ESCAPE_START) ? Buffer.from(wellFormedJson(json.toString("utf8")), "utf8") : json;
}
