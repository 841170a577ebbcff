import { nearest } from "../emulator/client/values.ts";
import type { Keys } from "../emulator/validation/misfits.ts";
import type { GivenStep, Verb } from "./definition.ts";
import { isMatcher, MATCHER_NAMES, problemOfTaken, WORD_NAMES } from "./matching.ts";

/** A defect of an expectation: it could never fail, or never pass. */
export interface ExpectationProblem {
  readonly path: Keys;
  readonly text: string;
}

const SELECTORS = new Set(["bucket", "prefix", "export", "where"]);

/** Whether a member of an expectation is a parameter (where to look), not an expected value. */
export function isSelector(source: string, name: string): boolean {
  return source !== "variables" && SELECTORS.has(name);
}

/** Problems of the matchers in an expected value: an unknown matcher would never match. */
export function matcherProblems(expected: unknown): readonly string[] {
  return problemsIn(expected, []).map(({ path, text }) => `${path.join(".") || "the value"}: ${text}`);
}

/** Problems of a step's expectations, each with its path in the step. */
export function expectationProblems(verb: Verb, given: GivenStep): readonly ExpectationProblem[] {
  const { expect, until } = given as { readonly expect?: unknown; readonly until?: unknown };
  const vacant = verb === "expect" ? vacantSources(expect) : [];
  return [...vacant, ...problemsIn(expect, ["expect"]), ...problemsIn(until, ["until"])];
}

/** An expectation without expected values would always pass. */
function vacantSources(expect: unknown): readonly ExpectationProblem[] {
  const sources = Object.entries(expect as Readonly<Record<string, object>>);
  if (sources.length === 0) return [{ path: ["expect"], text: "it expects nothing" }];
  return sources.flatMap(([source, asked]) => {
    const isVacant = Object.keys(asked).every((name) => isSelector(source, name));
    return isVacant
      ? [{ path: ["expect", source], text: "it expects nothing there; give the expected value" }]
      : [];
  });
}

function problemsIn(value: unknown, path: Keys): readonly ExpectationProblem[] {
  if (typeof value === "string") return wordProblems(value, path);
  if (typeof value !== "object" || value === null) return [];
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  const within = members.flatMap(([name, member]) =>
    name === "$regex" || name === "$unique" ? [] : problemsIn(member, [...path, name]),
  );
  return Array.isArray(value) ? within : [...problemsOf(value, path), ...within];
}

function problemsOf(value: object, path: Keys): readonly ExpectationProblem[] {
  const names = Object.keys(value);
  const [name] = names.filter((each) => isMatcher(each));
  const strange = names[0]?.startsWith("$") && !names[0].startsWith("${") ? names[0] : undefined;
  if (name === undefined && strange === undefined) return [];
  if (name === undefined) return [{ path, text: noMatcher(String(strange), MATCHER_NAMES) }];
  if (names.length > 1)
    return [{ path, text: `${name} stands for the whole value; remove the other members` }];
  const text = problemOfTaken(name, Object.values(value)[0]);
  return text === undefined ? [] : [{ path: [...path, name], text: `${name} takes ${text}` }];
}

function wordProblems(value: string, path: Keys): readonly ExpectationProblem[] {
  if (!/^\$[A-Za-z]+$/.test(value) || WORD_NAMES.includes(value)) return [];
  return [{ path, text: noMatcher(value, WORD_NAMES) }];
}

function noMatcher(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return `${name} is not a matcher; ${meant === undefined ? `give ${known.join(", ")}` : `did you mean ${meant}?`}`;
}
