import { FILTER_COMPARATORS, FILTER_OPERATORS } from "../contracts/spec/filter-language.ts";
import { DURATION_EXAMPLES, parseDuration } from "../emulator/kernel/duration.ts";
import { parseInstant, timeProblem } from "../emulator/kernel/instant.ts";
import { hintFor } from "../emulator/kernel/nearest.ts";
import { type Flags, type Invocation, UsageError } from "./command.ts";

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const MILLION = 1_000_000;
/** Bounds of numbers without a bound of their own, such as seeds. */
export const FROM_ZERO = { least: 0, most: Number.MAX_SAFE_INTEGER };

type Flagged = Pick<Invocation, "flags">;

/** The value of a flag that takes one; undefined when it is absent. */
export function textOf({ flags }: Flagged, name: string): string | undefined {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
}

/** The members that are not undefined. */
export function defined<T extends object>(
  members: T,
): { readonly [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    readonly [Key in keyof T]?: Exclude<T[Key], undefined>;
  };
}

/** The values of a flag that may be given several times. */
export function textsOf(invocation: Invocation, name: string): readonly string[] {
  return textOf(invocation, name)?.split("\n") ?? [];
}

/** One of some words given as a flag. Throws `UsageError`. */
export function wordOf<Word extends string>(
  invocation: Flagged,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const text = textOf(invocation, name);
  const word = words.find((each) => each === text);
  if (text === undefined || word !== undefined) return word;
  const choice = words.length === 2 ? words.join(" or ") : `one of ${words.join(", ")}`;
  throw new UsageError(`--${name}: "${text}" is not valid; give ${choice}`);
}

/** A whole number given as a flag. Throws `UsageError`. */
export function countOf(
  invocation: Flagged,
  name: string,
  { least = 1, most = MILLION } = {},
): number | undefined {
  const text = textOf(invocation, name);
  return text === undefined ? undefined : readCount(text, `--${name}`, { least, most });
}

/** A whole number within bounds; `where` names it in the `UsageError`. */
export function readCount(text: string, where: string, { least = 1, most = MILLION } = {}): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (count >= least && count <= most) return count;
  const range = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
  throw new UsageError(`${where}: "${text}" is not valid; give an integer ${range}`);
}

/** The name of a column. Throws `UsageError`. */
export function readColumn(name: string, where: string, columns: readonly string[]): string {
  if (columns.includes(name)) return name;
  throw new UsageError(
    `${where}: no column ${name}; ${hintFor(name, columns, `give some of ${columns.join(", ")}`)}`,
  );
}

/** A duration in ms. Throws `UsageError`. */
export function readDurationMs(text: string, where: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw new UsageError(`${where}: "${text}" is not valid; give a duration such as ${DURATION_EXAMPLES}`);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isId(text: string): boolean {
  return UUID.test(text);
}

/** The id of a record, an export unless something else lists it. Throws `UsageError`. */
export function readId(text: string, where: string, list = "emulator export list"): string {
  if (isId(text)) return text;
  throw new UsageError(
    `${where}: "${text}" is not an id such as 0190a6c0-0000-7000-8000-000000000001; \`${list}\` lists the ids`,
  );
}

/** The same of one that may be left out. */
export function readOptionalId(text: string | undefined, where: string, list?: string): string | undefined {
  return text === undefined ? undefined : readId(text, where, list);
}

/** A duration that was checked; the emulator reads it as it is. Throws `UsageError`. */
export function readDuration(text: string, where: string): string {
  readDurationMs(text, where);
  return text;
}

/** An ISO 8601 time, or a date for its midnight in UTC. Throws `UsageError`. */
export function readTime(text: string, where: string): string {
  const time = DATE.test(text) ? `${text}T00:00:00Z` : text;
  if (parseInstant(time) !== undefined) return time;
  throw new UsageError(
    `${where}: "${text}" ${timeProblem(time, "a date such as 2026-03-01, or a time such as 2026-03-01T06:00:00Z")}`,
  );
}

/** A time or date given as a flag. Throws `UsageError`. */
export function timeOf(invocation: Invocation, name: string): string | undefined {
  const text = textOf(invocation, name);
  return text === undefined ? undefined : readTime(text, `--${name}`);
}

/** The help of a flag for a filter. */
export const FILTER_HELP = `in the filter language of the API, such as 'eq(status, "error")'; functions: ${[...Object.keys(FILTER_OPERATORS), ...Object.keys(FILTER_COMPARATORS)].join(", ")}`;

/** Flags for the two ends of a period, with their descriptions. */
export function windowFlags(from: string, to: string): Flags {
  return {
    from: { value: "<time>", help: `${from}: a date, or an ISO 8601 time` },
    to: { value: "<time>", help: to },
  };
}
