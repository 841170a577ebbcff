import { FilterMistake } from "./problem.ts";

/** Escapes in double quotes, as in JSON. */
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

const CODE = /^[0-9a-fA-F]{4}$/;

/**
 * Reads the quoted text that starts at `at`. Double quotes allow the escapes of JSON, single quotes (which
 * often contain JSON) only \' and \\. Any other backslash is kept, for the patterns of `like`.
 */
export function readQuoted(text: string, at: number): { readonly value: string; readonly end: number } {
  const quote = text.charAt(at);
  let value = "";
  let from = at + 1;
  for (let next = from; next < text.length; next++) {
    const character = text.charAt(next);
    if (character === quote) return { value: value + text.slice(from, next), end: next + 1 };
    if (character !== "\\") continue;
    const escape = quote === '"' ? escapeIn(text, next + 1) : plainEscapeIn(text, next + 1);
    if (escape === undefined) continue;
    value += text.slice(from, next) + escape.value;
    from = next + 1 + escape.length;
    next = from - 1;
  }
  throw new FilterMistake(at, "the text that begins here has no end", `Close it with ${quote}.`);
}

interface Escape {
  readonly value: string;
  /** Number of characters after the backslash. */
  readonly length: number;
}

function escapeIn(text: string, at: number): Escape | undefined {
  const letter = text.charAt(at);
  const code = text.slice(at + 1, at + 5);
  if (letter === "u" && CODE.test(code))
    return { value: String.fromCharCode(Number.parseInt(code, 16)), length: 5 };
  const value = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
  return value === undefined ? undefined : { value, length: 1 };
}

function plainEscapeIn(text: string, at: number): Escape | undefined {
  const letter = text.charAt(at);
  return letter === "'" || letter === "\\" ? { value: letter, length: 1 } : undefined;
}
