import { RE2JS } from "re2js";

const BACKREFERENCE = /\\[k1-9]/;

/**
 * Tests texts with a regular expression of a scenario, in time linear in the text: whoever writes one cannot stop a
 * replay. Undefined for what is not one; lookarounds and back-references do not exist in this syntax (RE2).
 */
export function patternTest(pattern: unknown): ((text: string) => boolean) | undefined {
  if (typeof pattern !== "string" || BACKREFERENCE.test(pattern.replaceAll("\\\\", ""))) return undefined;
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return (text) => compiled.matcher(text).find();
  } catch {
    return undefined;
  }
}
