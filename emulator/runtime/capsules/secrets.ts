import { parseDocument } from "yaml";
import { hideIn, hideWith } from "../../../contracts/spec/secrets.ts";
import { DEFAULT_API_KEY } from "../../client/values.ts";

const MARK = "\u0000";
const hide = hideWith(MARK);
/** Shorter texts occur in too many places. */
const MIN_SECRET_LENGTH = 4;
/** Public values of every new world. */
const PUBLIC_VALUES = new Set([DEFAULT_API_KEY, "emulator", "emulator-secret"]);

/** Replaces the secrets in texts; the same secret has the same substitute everywhere. */
export function replaceSecrets(texts: readonly string[]): {
  readonly texts: readonly string[];
  readonly count: number;
} {
  const substitutes = new Map<string, string>();
  for (const text of texts)
    for (const [secret, rest] of secretsIn(text)) addSubstitute(substitutes, secret, rest);
  const longestFirst = [...substitutes].sort(([one], [other]) => other.length - one.length);
  return {
    count: longestFirst.length,
    texts: texts.map((text) =>
      longestFirst.reduce((result, [secret, substitute]) => result.replaceAll(secret, substitute), text),
    ),
  };
}

function addSubstitute(substitutes: Map<string, string>, secret: string, rest: string): void {
  if (substitutes.has(secret)) return;
  substitutes.set(secret, rest.replaceAll(MARK, `left-out-${substitutes.size + 1}`));
}

/** Texts that contain a secret, each with the same text in which a mark replaces the secret. References and matchers are not secrets. */
function secretsIn(text: string): readonly (readonly [string, string])[] {
  const secrets: [string, string][] = [];
  for (const value of valuesOf(text))
    hideIn(value, (at, leaf) => {
      const masked = hide(at, leaf);
      const mayBeSecret =
        typeof leaf === "string" && leaf.length >= MIN_SECRET_LENGTH && !leaf.startsWith("$");
      if (masked !== leaf && mayBeSecret && !PUBLIC_VALUES.has(leaf)) secrets.push([leaf, String(masked)]);
      return leaf;
    });
  return secrets;
}

/** The values of a YAML text, or of a JSON text with one value in each line. */
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
