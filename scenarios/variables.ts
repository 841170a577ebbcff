import { textOrJson } from "../contracts/spec/exact-json.ts";
import { ABSENT, valueAt } from "./paths.ts";

/** The variables captured so far. */
export type Variables = Record<string, unknown>;

/** A reference to a variable that is not set. */
class UnknownVariable extends Error {
  override readonly name = "UnknownVariable";
}

/** A reference may contain references: `${urls.${round}}`. */
const NAME = String.raw`((?:[^{}]|\$\{[^{}]+\})+)`;
const REFERENCE = new RegExp(String.raw`\$(\$?)\{${NAME}\}`, "g");
const ALONE = new RegExp(String.raw`^\$\{${NAME}\}$`);

/** Replaces references in every text of a value; a text that is one reference becomes its value. */
export function filled<T>(value: T, variables: Variables): T {
  return withTexts(value, (text) => filledText(text, variables)) as T;
}

/** The inverse of `filled`: escapes texts that look like references. */
export function verbatim(value: unknown): unknown {
  return withTexts(value, (text) => text.replace(REFERENCE, (reference) => `$${reference}`));
}

/** Maps every text in a value, member names included. */
function withTexts(value: unknown, other: (text: string) => unknown): unknown {
  if (typeof value === "string") return other(value);
  if (Array.isArray(value)) return value.map((item) => withTexts(item, other));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [textOrJson(other(name)), withTexts(member, other)]),
  );
}

function filledText(text: string, variables: Variables): unknown {
  const [, alone] = ALONE.exec(text) ?? [];
  if (alone !== undefined) return variableOf(alone, variables);
  return text.replace(REFERENCE, (whole, escape: string, name: string) =>
    escape === "$" ? whole.slice(1) : textOrJson(variableOf(name, variables)),
  );
}

function variableOf(path: string, variables: Variables): unknown {
  const value = valueAt(variables, String(filledText(path.trim(), variables)));
  if (value !== ABSENT) return value;
  const variableNames = Object.keys(variables).join(", ");
  throw new UnknownVariable(
    `\${${path}} is not set; set are ${variableNames === "" ? "none" : variableNames}`,
  );
}
