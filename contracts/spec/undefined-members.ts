import type { Field } from "./fields.ts";

/** Names the members of a value that a schema does not define, such as `body[].finished_at`: each name once. */
export type MemberFinder = (value: unknown) => readonly string[];

/** Where to look in a value for members that its schema does not define. */
interface SchemaNode {
  readonly name: string;
  /** All of it goes beyond the specification, whatever it holds. */
  readonly isAddition: boolean;
  readonly items?: SchemaNode;
  /** The members that are defined; null behind a name means that there is nothing to look for in it. */
  readonly members?: ReadonlyMap<string, SchemaNode | null>;
}

interface Schema {
  readonly "x-beyond"?: true;
  readonly "x-requirement"?: string;
  readonly items?: Field<unknown>;
  readonly properties?: Readonly<Record<string, Field<unknown>>>;
}

/** The items of a list are alike: the first ones speak for all. */
const ITEMS_READ = 20;
const MAX_NAMES = 50;
const NOTHING: readonly string[] = [];

/** Prepared once for a schema. `withAdditions` also names what the schema marks as beyond the specification. */
export function memberFinder(field: Field<unknown>, withAdditions = false): MemberFinder {
  const node = schemaNodeOf(field, "body", withAdditions);
  if (!node) return () => NOTHING;
  const all = [node.name];
  if (node.isAddition) return () => all;
  return (value) => {
    const names: string[] = [];
    read(node, value, names);
    return names;
  };
}

/** Undefined where every member is defined, or may be anything. */
function schemaNodeOf(field: Field<unknown>, name: string, withAdditions: boolean): SchemaNode | undefined {
  const { "x-beyond": isBeyond, "x-requirement": requirement, items, properties } = field as Schema;
  if (withAdditions && (isBeyond || requirement?.startsWith("X-"))) return { name, isAddition: true };
  if (items) {
    const inner = schemaNodeOf(items, `${name}[]`, withAdditions);
    return inner && { name, isAddition: false, items: inner };
  }
  if (!properties) return undefined;
  const members = Object.entries(properties).map(
    ([member, inner]) => [member, schemaNodeOf(inner, `${name}.${member}`, withAdditions) ?? null] as const,
  );
  return { name, isAddition: false, members: new Map(members) };
}

function read({ name, isAddition, items, members }: SchemaNode, value: unknown, names: string[]): void {
  if (isAddition) return add(names, name);
  if (Array.isArray(value)) {
    const count = items ? Math.min(value.length, ITEMS_READ) : 0;
    for (let index = 0; index < count; index += 1) read(items as SchemaNode, value[index], names);
    return;
  }
  if (!members || typeof value !== "object" || value === null) return;
  const object = value as Readonly<Record<string, unknown>>;
  for (const member in object) {
    const inner = members.get(member);
    if (inner === null || object[member] === undefined) continue;
    if (inner) read(inner, object[member], names);
    else add(names, `${name}.${member}`);
  }
}

function add(names: string[], name: string): void {
  if (names.length < MAX_NAMES && !names.includes(name)) names.push(name);
}
