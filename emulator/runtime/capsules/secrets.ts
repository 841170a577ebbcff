import { parseDocument } from "yaml";
import { hideIn, hideWith } from "../../../contracts/spec/secrets.ts";
import { DEFAULT_API_KEY } from "../../client/values.ts";

const MARK = "\u0000";
const hide = hideWith(MARK);
/** Shorter texts stand in too many places. */
const LEAST_LENGTH = 4;
/** Of every fresh world; no secrets. */
const STANDARD = new Set([DEFAULT_API_KEY, "emulator", "emulator-secret"]);

/** Texts without the secrets in them; the same secret has the same substitute everywhere. */
export function withoutSecrets(texts: readonly string[]): {
  readonly texts: readonly string[];
  readonly count: number;
} {
  const substitutes = new Map<string, string>();
  for (const text of texts) for (const [secret, rest] of secretsIn(text)) note(substitutes, secret, rest);
  const longest = [...substitutes].sort(([one], [other]) => other.length - one.length);
  return {
    count: longest.length,
    texts: texts.map((text) =>
      longest.reduce((shown, [secret, substitute]) => shown.replaceAll(secret, substitute), text),
    ),
  };
}

function note(substitutes: Map<string, string>, secret: string, rest: string): void {
  if (substitutes.has(secret)) return;
  substitutes.set(secret, rest.replaceAll(MARK, `left-out-${substitutes.size + 1}`));
}

/** Texts of which all or a part is secret, with a mark in place of it; references and matchers are none. */
function secretsIn(text: string): readonly (readonly [string, string])[] {
  const found: [string, string][] = [];
  for (const value of valuesOf(text))
    hideIn(value, (at, leaf) => {
      const shown = hide(at, leaf);
      const isMeant = typeof leaf === "string" && leaf.length >= LEAST_LENGTH && !leaf.startsWith("$");
      if (shown !== leaf && isMeant && !STANDARD.has(leaf)) found.push([leaf, String(shown)]);
      return leaf;
    });
  return found;
}

/** The values of YAML, or of JSON with one value a line. */
function valuesOf(text: string): readonly unknown[] {
  if (!text.trimStart().startsWith("{"))
    return [parseDocument(text, { prettyErrors: false }).toJS() as unknown];
  return text.split("\n").flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line) as unknown];
    } catch {
      return [];
    }
  });
}
