import { markedName } from "../../../../contracts/spec/exact-json.ts";
/** Members of an object by name, or of a list by index; values that are not such a map are complete. */
export type Members = Map<string | number, unknown>;

type Path = readonly (string | number)[];

/** Sets a member, unless it or a complete value around it is set. Returns whether it was set. */
export function setMember(members: Members, [name = "", ...rest]: Path, value: unknown): boolean {
  if (rest.length === 0) return !members.has(name) && members.set(name, value).has(name);
  const inner = members.get(name) ?? new Map();
  if (!(inner instanceof Map)) return false;
  members.set(name, inner);
  return setMember(inner, rest, value);
}

/** The object or list of members, without gaps; any other value is itself. */
export function plainOf(value: unknown): unknown {
  if (!(value instanceof Map)) return value;
  const entries = [...(value as Members)].map(
    ([name, inner]) => [typeof name === "string" ? markedName(name) : name, plainOf(inner)] as const,
  );
  if (entries.length > 0 && entries.every(([name]) => typeof name === "number"))
    return entries.sort(([left], [right]) => Number(left) - Number(right)).map(([, inner]) => inner);
  return Object.fromEntries(entries);
}
