import { excerpt, FilterMistake } from "./problem.ts";

export type Token =
  | { readonly kind: "word" | "text" | "time"; readonly value: string; readonly at: number }
  | { readonly kind: "number"; readonly value: number; readonly numeral: string; readonly at: number }
  | { readonly kind: "boolean"; readonly value: boolean; readonly at: number }
  | { readonly kind: "mark"; readonly value: string; readonly at: number }
  | { readonly kind: "end"; readonly value: ""; readonly at: number };

const SPACE = /\s*/y;
/** Dots are not valid in names; they are included so that messages show the whole word. */
const WORD = /[A-Za-z_][\w.]*/y;
const TIME = /\d{4}-\d\d-\d\d(?:[Tt]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)?)?/y;
const NUMBER = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const REST = /[\w.:+-]*/y;

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["True", true],
  ["TRUE", true],
  ["false", false],
  ["False", false],
  ["FALSE", false],
]);

/** The tokens of a text; the last one is of kind `end`. Throws `FilterMistake`. */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    at += matchAt(SPACE, text, at).length;
    if (at >= text.length) return [...tokens, { kind: "end", value: "", at }];
    const { token, end } = readToken(text, at);
    tokens.push(token);
    at = end;
  }
}

function readToken(text: string, at: number): { readonly token: Token; readonly end: number } {
  const first = text.charAt(at);
  if ("()[],".includes(first)) return { token: { kind: "mark", value: first, at }, end: at + 1 };
  if (first === "'" || first === '"') {
    const { value, end } = readQuoted(text, at);
    return { token: { kind: "text", value, at }, end };
  }
  const word = matchAt(WORD, text, at);
  if (word !== "") return { token: wordToken(word, at), end: at + word.length };
  if (/[\d.+-]/.test(first)) return readFigure(text, at);
  throw new FilterMistake(
    at,
    `unexpected ${String.fromCodePoint(text.codePointAt(at) ?? 0)}`,
    strayHint(text, at),
  );
}

function wordToken(word: string, at: number): Token {
  const value = BOOLEANS.get(word);
  return value === undefined ? { kind: "word", value: word, at } : { kind: "boolean", value, at };
}

/** Reads a number, a date or a time; trailing characters make it invalid. */
function readFigure(text: string, at: number): { readonly token: Token; readonly end: number } {
  const time = matchAt(TIME, text, at);
  const figure = time === "" ? matchAt(NUMBER, text, at) : time;
  const end = at + figure.length;
  const rest = matchAt(REST, text, end);
  if (figure === "" || rest !== "") {
    const whole = figure + rest || text.charAt(at);
    throw new FilterMistake(
      at,
      `${excerpt(whole)} is not a number, a date or a time`,
      `Put it in quotes: ${excerpt(whole)}.`,
    );
  }
  if (time !== "") return { token: { kind: "time", value: time, at }, end };
  // Adding zero turns -0 into 0.
  const value = Number(figure) + 0;
  if (!Number.isFinite(value)) throw new FilterMistake(at, `${excerpt(figure)} is out of range`);
  return { token: { kind: "number", value, numeral: figure, at }, end };
}

const CURLY_QUOTES = "“”„‘’‚«»`´";

function strayHint(text: string, at: number): string | undefined {
  const first = text.charAt(at);
  if (first === "\\")
    return 'The quotes are escaped once too often: the filter itself must read "…", not \\"…\\".';
  if (first !== "" && CURLY_QUOTES.includes(first)) return `Write straight quotes, " or '.`;
  if (/[=<>!&|~]/.test(first))
    return 'Write a condition as a function: eq(name, "x"), gt(latency, 2), and(…, …).';
  if (first === "{")
    return `A filter is a condition such as eq(status, "error"). A JSON object is possible only in single quotes: has(metadata, '{"key": "value"}').`;
  return undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

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
function readQuoted(text: string, at: number): { readonly value: string; readonly end: number } {
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
