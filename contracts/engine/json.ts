export { parseExact } from "../spec/exact-json.ts";

/** A JSON object whose members are not checked. */
export type Members = Readonly<Record<string, unknown>>;

/** Parses a JSON text; undefined when it is not JSON. */
export function jsonOf(text: string | undefined): unknown {
  if (text === undefined || text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses a JSON text; returns the text itself when it is not JSON. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Whether the objects and lists of a JSON text are nested more levels deep; recursive code cannot process such a value. */
export function isDeeperThan(levels: number, text: string): boolean {
  // Most texts have fewer brackets than that, and counting them is ten times as fast.
  if (text.split("[").length + text.split("{").length - 2 <= levels) return false;
  let level = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') at = endOfString(text, at);
    else if (sign === "[" || sign === "{") level += 1;
    else if (sign === "]" || sign === "}") level -= 1;
    if (level > levels) return true;
  }
  return false;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

/** Whether a value is a JSON object and not an array. */
export function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
