import type { JsonObject } from "../json.ts";
import type { Attributes } from "./attributes.ts";
import { MAPPINGS } from "./mappings.ts";
import { type Members, plainOf, setMember } from "./members.ts";
import { objectOf } from "./readers.ts";

export interface SpanEvent {
  readonly name: string;
  readonly time: string | null;
  readonly attributes: Attributes;
}

/** What the table makes of a span. */
export interface MappedSpan extends Readonly<Record<"place" | "project" | "row" | "extra", JsonObject>> {
  /** The attributes that are nowhere else. */
  readonly rest: Attributes;
}

/** An attribute or an event that a mapping applies to, with the parts of the name that the pattern leaves open. */
interface Source {
  readonly attribute?: string;
  readonly value?: unknown;
  readonly attributes: Attributes;
  readonly index?: string | number | undefined;
  readonly ending?: string | undefined;
}

/** Contents are not repeated in the metadata, even if another attribute determines the column. */
const CONTENT = /^row\.(?:inputs|outputs)\b/;

const ROWS = MAPPINGS.map((mapping) => ({
  to: mapping.to,
  path: mapping.to.split("."),
  read: mapping.read ?? ((value: unknown) => value),
  sourcesIn: mapping.event === undefined ? attributeFinder(mapping.attribute) : eventFinder(mapping.event),
}));

/** Maps a span's attributes and events to members of a run. */
export function mapSpan(attributes: Attributes, events: readonly SpanEvent[]): MappedSpan {
  const run: Members = new Map();
  const rest = new Map(attributes);
  for (const { to, path, read, sourcesIn } of ROWS)
    for (const { attribute, ...source } of sourcesIn(attributes, events, rest)) {
      const value = read(source.value, source.attributes);
      if (value === undefined) continue;
      const isUsed = put(run, path, value, source) ? to !== "row.run_type" : CONTENT.test(to);
      if (isUsed && attribute !== undefined) rest.delete(attribute);
    }
  const members = (name: string) => objectOf(plainOf(run.get(name))) ?? {};
  return {
    place: members("place"),
    project: members("project"),
    row: members("row"),
    extra: members("extra"),
    rest,
  };
}

/** Returns whether all of the value was put there. */
function put(
  run: Members,
  path: readonly string[],
  value: unknown,
  { index, ending }: Omit<Source, "attribute">,
): boolean {
  if (path.at(-1) === "*" && ending === undefined)
    return Object.entries(objectOf(value) ?? {})
      .map(([name, inner]) => setMember(run, [...path.slice(0, -1), name], inner))
      .every(Boolean);
  const names = path.map((name) => (name === "{n}" ? Number(index) : name === "*" ? (ending ?? "") : name));
  return setMember(run, names, value);
}

/** A pattern only applies to attributes in `rest`, which no earlier mapping has used. */
type Finder = (attributes: Attributes, events: readonly SpanEvent[], rest: Attributes) => Iterable<Source>;

function eventFinder(event: string): Finder {
  return (_, events) =>
    events.flatMap(({ name, attributes }, index) => (name === event ? [{ attributes, index }] : []));
}

function attributeFinder(pattern: string): Finder {
  const [prefix = ""] = pattern.split(/[{*]/, 1);
  if (prefix === pattern)
    return (attributes) =>
      attributes.has(pattern) ? [{ attribute: pattern, value: attributes.get(pattern), attributes }] : [];
  const source = pattern.replaceAll(".", "\\.").replace("{n}", "(?<index>\\d{1,6})");
  const form = new RegExp(`^${source.replace("*", "(?<ending>.+)")}$`, "s");
  return function* (attributes, _, rest) {
    for (const [attribute, value] of rest) {
      const match = attribute.startsWith(prefix) ? form.exec(attribute) : null;
      if (match) yield { attribute, value, attributes, ...match.groups };
    }
  };
}
