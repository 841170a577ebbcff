import { FILTER_BOUNDS } from "../../../contracts/spec/filter-language.ts";
import { excerpt, FilterMistake } from "./problem.ts";
import { type Token, tokensOf } from "./tokens.ts";

/** The syntax tree of a filter; names are not resolved. */
export interface Call {
  readonly kind: "call";
  readonly name: string;
  readonly at: number;
  readonly arguments: readonly Argument[];
}

interface List {
  readonly kind: "list";
  readonly at: number;
  readonly items: readonly Argument[];
}

/** A value, or a word that may name a field. */
export type Atom = Exclude<Token, { readonly kind: "mark" | "end" }>;

export type Argument = Call | List | Atom;

interface Reading {
  readonly tokens: readonly Token[];
  next: number;
}

const { characters, nesting, listItems } = FILTER_BOUNDS;

/** Parses a filter text, which is a single call. Throws `FilterMistake`. */
export function readSyntax(text: string): Call {
  if (text.length > characters)
    throw new FilterMistake(
      characters,
      `a filter has at most ${characters} characters, this one has ${text.length}`,
    );
  const reading: Reading = { tokens: tokensOf(text), next: 0 };
  const first = peek(reading);
  if (first.kind === "end")
    throw new FilterMistake(0, "the filter is empty", "Leave it out to select every row.");
  const whole = readArgument(reading, 0);
  if (whole.kind !== "call") throw noCondition(first);
  const after = peek(reading);
  if (after.kind !== "end")
    throw new FilterMistake(
      after.at,
      `${nameOf(after)} comes after the end of the condition`,
      isMark(after, ")")
        ? "There is one bracket too many."
        : "Join several conditions: and(…, …) or or(…, …).",
    );
  return whole;
}

function noCondition(first: Token): FilterMistake {
  const isWhole = first.kind === "text" && /^\s*\w+\s*\(/.test(first.value);
  return new FilterMistake(
    first.at,
    `${nameOf(first)} is not a condition`,
    isWhole ? "Leave out the quotes around the whole filter." : 'A condition looks like eq(status, "error").',
  );
}

function readArgument(reading: Reading, depth: number): Argument {
  const token = take(reading);
  if (isMark(token, "[")) return { kind: "list", at: token.at, items: readItems(reading, token, "]", depth) };
  if (token.kind === "end")
    throw new FilterMistake(
      token.at,
      "the filter ends too early",
      "A closing bracket or a value is missing.",
    );
  if (token.kind === "mark")
    throw new FilterMistake(token.at, `${nameOf(token)} stands where a value is expected`);
  const opening = peek(reading);
  if (token.kind !== "word" || !isMark(opening, "(")) return token;
  take(reading);
  return {
    kind: "call",
    name: token.value,
    at: token.at,
    arguments: readItems(reading, opening, ")", depth),
  };
}

/** Parses the items up to the closing bracket; the opening one is already consumed. */
function readItems(reading: Reading, opening: Token, closing: ")" | "]", depth: number): readonly Argument[] {
  if (depth >= nesting)
    throw new FilterMistake(opening.at, `conditions and lists are nested at most ${nesting} deep`);
  const most = closing === ")" ? FILTER_BOUNDS.arguments : listItems;
  const items: Argument[] = [];
  if (isMark(peek(reading), closing)) {
    take(reading);
    return items;
  }
  for (;;) {
    if (items.length === most)
      throw new FilterMistake(
        peek(reading).at,
        `at most ${most} ${closing === ")" ? "arguments" : "values"} are taken`,
      );
    items.push(readArgument(reading, depth + 1));
    const mark = take(reading);
    if (isMark(mark, closing)) return items;
    if (!isMark(mark, ",")) throw noComma(mark, opening, closing);
  }
}

function noComma(token: Token, opening: Token, closing: string): FilterMistake {
  if (token.kind === "end")
    return new FilterMistake(
      token.at,
      "the filter ends too early",
      `The bracket at character ${opening.at + 1} is not closed: ${closing} is missing.`,
    );
  return new FilterMistake(token.at, `${nameOf(token)} stands where a comma or ${closing} is expected`);
}

function peek({ tokens, next }: Reading): Token {
  return tokens[Math.min(next, tokens.length - 1)] as Token;
}

function take(reading: Reading): Token {
  const token = peek(reading);
  reading.next++;
  return token;
}

function isMark(token: Token, mark: string): boolean {
  return token.kind === "mark" && token.value === mark;
}

/** The display form of a token in messages. */
function nameOf({ kind, value }: Token): string {
  if (kind === "end") return "the end";
  return kind === "text" ? `the text ${excerpt(value)}` : excerpt(String(value));
}
