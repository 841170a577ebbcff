import { RE2JS } from "re2js";
import { isMembers } from "../contracts/engine/json.ts";
import { isSameScalar, plainName, plainNumber, printExact } from "../contracts/spec/exact-json.ts";
import { parseDuration, parseInstant, parseMicros } from "../emulator/client/values.ts";
import { MAX_SHOWN } from "./bounds.ts";
import { ABSENT, valueAt } from "./paths.ts";

/** The differences between a value and the expected one, each with its path; empty when it matches. */
export function differences(expected: unknown, actual: unknown, where = ""): string[] {
  if (typeof expected === "string" && Object.hasOwn(WORDS, expected))
    return WORDS[expected]?.(plainNumber(actual)) ? [] : [differing(where, expected, actual)];
  if (isMembers(expected)) return objectDifferences(expected, actual, where);
  if (Array.isArray(expected)) return listDifferences(expected, actual, where);
  return isSameScalar(expected, actual) ? [] : [differing(where, printExact(expected), actual)];
}

/** A value as shown in a failure, cut at `MAX_SHOWN` characters. */
export function shownValue(value: unknown): string {
  if (value === ABSENT) return "nothing";
  const text =
    printExact(value, (_, member) => (typeof member === "bigint" ? String(member) : member)) ?? "nothing";
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)` : text;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Matchers without a parameter, such as `$uuid`. */
const WORDS: Readonly<Record<string, (actual: unknown) => boolean>> = {
  $any: (actual) => actual !== ABSENT,
  $absent: (actual) => actual === ABSENT,
  $uuid: (actual) => typeof actual === "string" && UUID.test(actual),
  $time: (actual) => typeof actual === "string" && parseInstant(actual) !== undefined,
  $text: (actual) => typeof actual === "string",
  $number: (actual) => typeof actual === "number",
  $object: (actual) => isMembers(actual),
  $list: (actual) => Array.isArray(actual),
};

/** Matchers with a parameter, written as an object with one member, such as `{$regex: …}`. */
const MATCHERS: Readonly<Record<string, (argument: unknown, actual: unknown, where: string) => string[]>> = {
  $regex: (pattern, actual, where) =>
    typeof actual === "string" && patternTest(pattern)?.(actual)
      ? []
      : [differing(where, `a text like /${String(pattern)}/`, actual)],
  $within: (bounds, actual, where) =>
    isWithin(bounds, actual) ? [] : [differing(where, `a value within ${shownValue(bounds)}`, actual)],
  $length: (expected, actual, where) => {
    if (!Array.isArray(actual) && typeof actual !== "string") return [differing(where, "a list", actual)];
    return differences(expected, actual.length, `${where}.length`);
  },
  $contains: (expected, actual, where) =>
    Array.isArray(actual) && actual.some((item) => differences(expected, item).length === 0)
      ? []
      : [differing(where, `a list with ${shownValue(expected)}`, actual)],
  $every: (expected, actual, where) =>
    Array.isArray(actual)
      ? actual.flatMap((item, index) => differences(expected, item, `${where}[${index}]`))
      : [differing(where, "a list", actual)],
  $unordered: (expected, actual, where) => unorderedDifferences(expected, actual, where),
  $unique: (path, actual, where) => {
    const values = Array.isArray(actual) ? actual.map((item) => shownKey(path, item)) : [];
    const twice = values.find((value, index) => values.indexOf(value) !== index);
    return Array.isArray(actual) && twice === undefined
      ? []
      : [differing(where, "a list without repetitions", twice ?? actual)];
  },
  $oneOf: (choices, actual, where) =>
    (choices as readonly unknown[]).some((choice) => differences(choice, actual).length === 0)
      ? []
      : [differing(where, `one of ${shownValue(choices)}`, actual)],
  $not: (expected, actual, where) =>
    differences(expected, actual).length > 0
      ? []
      : [differing(where, `anything but ${shownValue(expected)}`, actual)],
};

/** Names of matchers without a parameter. */
export const WORD_NAMES: readonly string[] = Object.keys(WORDS);

/** Names of matchers with a parameter. */
export const MATCHER_NAMES: readonly string[] = Object.keys(MATCHERS);

/** Whether a member of an expectation is a path into the value. */
export function isMatcher(name: string): boolean {
  return Object.hasOwn(MATCHERS, name);
}

/** The parameter that a matcher requires, if the given one is wrong; variables are not checked. */
export function problemOfArgument(name: string, argument: unknown): string | undefined {
  if (typeof argument === "string" && argument.includes("${")) return undefined;
  if (name === "$regex" && !patternTest(argument))
    return "a regular expression without lookarounds and back-references";
  if ((name === "$oneOf" || name === "$unordered") && !Array.isArray(argument)) return "a list";
  if (name === "$within" && !isBounds(argument))
    return "[least, most] as numbers or times, or { of: <time>, by: <duration> }";
  return undefined;
}

function isBounds(argument: unknown): boolean {
  if (JSON.stringify(argument).includes("${")) return true;
  if (Array.isArray(argument))
    return argument.length === 2 && ordered(argument[0], argument[1]) !== undefined;
  const { of, by } = (argument ?? {}) as { readonly of?: unknown; readonly by?: unknown };
  return ordered(of, of) !== undefined && typeof of === "string" && parseDuration(String(by)) !== undefined;
}

/** Whether the first of two numbers or times is not greater than the second; undefined if not comparable. */
function ordered(one: unknown, other: unknown): boolean | undefined {
  const [first, second] = [plainNumber(one), plainNumber(other)];
  if (typeof first === "number" && typeof second === "number") return first <= second;
  if (typeof first !== "string" || typeof second !== "string") return undefined;
  const [before, after] = [parseMicros(first), parseMicros(second)];
  return before === undefined || after === undefined ? undefined : before <= after;
}

function shownKey(path: unknown, item: unknown): string {
  return shownValue(typeof path === "string" ? valueAt(item, path) : item);
}

function objectDifferences(
  expected: Readonly<Record<string, unknown>>,
  actual: unknown,
  where: string,
): string[] {
  const [name = "", second] = Object.keys(expected);
  const matcher = second === undefined && Object.hasOwn(MATCHERS, name) ? MATCHERS[name] : undefined;
  if (matcher) return matcher(expected[name], plainNumber(actual), where);
  if (name.startsWith("$")) return [`${where || "the value"}: ${name} is not a matcher`];
  if (typeof actual !== "object" || actual === null) return [differing(where, "an object", actual)];
  return Object.entries(expected).flatMap(([key, member]) => {
    const actualValue = Object.hasOwn(actual, key)
      ? (actual as Record<string, unknown>)[key]
      : valueAt(actual, key);
    return differences(member, actualValue, where === "" ? plainName(key) : `${where}.${plainName(key)}`);
  });
}

function listDifferences(expected: readonly unknown[], actual: unknown, where: string): string[] {
  if (!Array.isArray(actual)) return [differing(where, `a list of ${expected.length}`, actual)];
  const lengths =
    expected.length === actual.length
      ? []
      : [differing(`${where}.length`, String(expected.length), actual.length)];
  const shared = expected.slice(0, actual.length);
  return [
    ...lengths,
    ...shared.flatMap((item, index) => differences(item, actual[index], `${where}[${index}]`)),
  ];
}

function unorderedDifferences(expected: unknown, actual: unknown, where: string): string[] {
  if (!Array.isArray(expected) || !Array.isArray(actual)) return [differing(where, "a list", actual)];
  const unmatchedItems = [...actual];
  const missingItems = expected.filter((item) => {
    const index = unmatchedItems.findIndex((candidate) => differences(item, candidate).length === 0);
    if (index !== -1) unmatchedItems.splice(index, 1);
    return index === -1;
  });
  return [
    ...missingItems.map((item) => `${where || "the list"}: ${shownValue(item)} is missing`),
    ...unmatchedItems.map((item) => `${where || "the list"}: ${shownValue(item)} is unexpected`),
  ];
}

/** Whether a number or time is between two bounds, or a time is within a duration of another. */
function isWithin(bounds: unknown, actual: unknown): boolean {
  if (Array.isArray(bounds))
    return ordered(bounds[0], actual) === true && ordered(actual, bounds[1]) === true;
  const { of, by } = bounds as { readonly of?: unknown; readonly by?: unknown };
  const [middle, actualMicros] = [of, actual].map((time) =>
    typeof time === "string" ? parseMicros(time) : undefined,
  );
  const reachMs = parseDuration(String(by));
  if (middle === undefined || actualMicros === undefined || reachMs === undefined) return false;
  const distance = middle > actualMicros ? middle - actualMicros : actualMicros - middle;
  return distance <= reachMs * 1000;
}

function differing(where: string, expected: string, actual: unknown): string {
  return `${where || "the value"}: expected ${expected}, found ${shownValue(actual)}`;
}

const BACKREFERENCE = /\\[k1-9]/;

/**
 * Tests texts with a regular expression of a scenario, in time linear in the text: whoever writes one cannot stop a
 * replay. Undefined for what is not one; lookarounds and back-references do not exist in this syntax (RE2).
 */
function patternTest(pattern: unknown): ((text: string) => boolean) | undefined {
  if (typeof pattern !== "string" || BACKREFERENCE.test(pattern.replaceAll("\\\\", ""))) return undefined;
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return (text) => compiled.matcher(text).find();
  } catch {
    return undefined;
  }
}
