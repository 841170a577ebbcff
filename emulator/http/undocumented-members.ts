import type { Field } from "../../contracts/spec/fields.ts";
import type { Operation } from "../../contracts/spec/operation.ts";
import type { Cause } from "../kernel/commit.ts";

/** Where to look in a reply for members that the specification does not define. */
interface SchemaNode {
  readonly name: string;
  /** All of it is beyond the specification, whatever it holds. */
  readonly isUndocumented: boolean;
  readonly items?: SchemaNode;
  /** The members that are defined; undefined behind a name means that there is nothing to look for in it. */
  readonly members?: ReadonlyMap<string, SchemaNode | undefined>;
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

interface Prepared {
  readonly node: SchemaNode | undefined;
  latest: readonly string[];
}

const preparedFields = new WeakMap<Field<unknown>, Prepared>();

/** Paths of the members of a success that the specification does not define, such as `body[].finished_at`. */
export function undocumentedMembers(
  { reply }: Operation,
  body: unknown,
  isOutcome = false,
): readonly string[] {
  const field = (isOutcome && reply.or?.body) || reply.body;
  if (!field) return NOTHING;
  const known = preparedFields.get(field) ?? prepare(field);
  // Nothing to look for, or all of it.
  if (!known.node || known.node.isUndocumented) return known.latest;
  const found: string[] = [];
  read(known.node, body, found);
  // Replies of one operation mostly have the same members, and the journal keeps many of them.
  if (!isSame(found, known.latest)) known.latest = found;
  return known.latest;
}

function prepare(field: Field<unknown>): Prepared {
  const node = schemaNodeOf(field, "body");
  const prepared = { node, latest: node?.isUndocumented ? [node.name] : NOTHING };
  preparedFields.set(field, prepared);
  return prepared;
}

/** Undefined where every member is defined, or may be anything. */
function schemaNodeOf(field: Field<unknown>, name: string): SchemaNode | undefined {
  const { "x-beyond": markedBeyond, "x-requirement": requirement, items, properties } = field as Schema;
  if (markedBeyond || requirement?.startsWith("X-")) return { name, isUndocumented: true };
  if (items) {
    const inner = schemaNodeOf(items, `${name}[]`);
    return inner && { name, isUndocumented: false, items: inner };
  }
  if (!properties) return undefined;
  const members = new Map(
    Object.entries(properties).map(([member, inner]) => [member, schemaNodeOf(inner, `${name}.${member}`)]),
  );
  return { name, isUndocumented: false, members };
}

function read({ name, isUndocumented, items, members }: SchemaNode, value: unknown, found: string[]): void {
  if (isUndocumented) return add(found, name);
  if (Array.isArray(value)) {
    const count = items ? Math.min(value.length, ITEMS_READ) : 0;
    for (let index = 0; index < count; index += 1) read(items as SchemaNode, value[index], found);
    return;
  }
  if (!members || typeof value !== "object" || value === null) return;
  const object = value as Readonly<Record<string, unknown>>;
  for (const member in object) {
    if (object[member] === undefined) continue;
    const inner = members.get(member);
    if (inner) read(inner, object[member], found);
    else if (!members.has(member)) add(found, `${name}.${member}`);
  }
}

function add(found: string[], name: string): void {
  if (found.length < MAX_NAMES && !found.includes(name)) found.push(name);
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false;
  return true;
}

/** Under a symbol, which JSON passes over: the store's bytes stay as they are. */
const UNDOCUMENTED = Symbol("answered beyond the specification");

type AnnotatedCause = Cause & { [UNDOCUMENTED]?: readonly string[] };

/** Says of the turn of a request what its reply had beyond the specification; a later turn may have answered it. */
export function noteUndocumented(cause: Cause, names: readonly string[]): void {
  if (names.length > 0) (cause as AnnotatedCause)[UNDOCUMENTED] = names;
}

/** What was noted of the reply to the request of this turn. */
export function undocumentedOf(cause: Cause): readonly string[] | undefined {
  return (cause as AnnotatedCause)[UNDOCUMENTED];
}
