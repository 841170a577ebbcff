import { markedName, plainName } from "../contracts/spec/exact-json.ts";

/** The result for a path that is absent, as opposed to null. */
export const ABSENT = Symbol("absent");

/** `runs.0.id`, `[0].id`, `errors.retry_0`; `*` stands for every member, and makes a list; negative numbers count from the end. */
export function valueAt(value: unknown, path: string): unknown {
  if (path === "" || path === ".") return value;
  const keys = path
    .replace(/\[(-?\d+|\*)\]/g, ".$1")
    .split(".")
    .filter((key) => key !== "");
  return follow(value, keys);
}

function follow(value: unknown, keys: readonly string[]): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  if (typeof value !== "object" || value === null) return ABSENT;
  if (key === "*") return Object.values(value).flatMap((member) => presentOnly(follow(member, rest), rest));
  if (Array.isArray(value) && key === "length") return value.length;
  const name = Array.isArray(value) ? indexOf(value, key) : markedName(key);
  return Object.hasOwn(value, name) ? follow((value as Record<string, unknown>)[name], rest) : ABSENT;
}

function indexOf(list: readonly unknown[], key: string): string {
  return /^-\d+$/.test(key) ? String(list.length + Number(key)) : plainName(key);
}

/** Two stars in a path make one flat list. */
function presentOnly(value: unknown, rest: readonly string[]): readonly unknown[] {
  if (value === ABSENT) return [];
  return rest.includes("*") && Array.isArray(value) ? value : [value];
}
