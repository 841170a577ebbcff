import type { Field } from "../../contracts/spec/fields.ts";
import type { Operation } from "../../contracts/spec/operation.ts";
import type { Cause } from "../kernel/commit.ts";

/** Where to look in a reply for members that the specification does not define. */
interface Place {
  readonly name: string;
  /** All of it is beyond the specification, whatever it holds. */
  readonly isBeyond: boolean;
  readonly items?: Place;
  /** The members that are defined; undefined behind a name means that there is nothing to look for in it. */
  readonly members?: ReadonlyMap<string, Place | undefined>;
}

interface Schema {
  readonly "x-beyond"?: true;
  readonly "x-requirement"?: string;
  readonly items?: Field<unknown>;
  readonly properties?: Readonly<Record<string, Field<unknown>>>;
}

/** The items of a list are alike: the first ones speak for all. */
const ITEMS_READ = 20;
const MOST_NAMES = 50;
const NOTHING: readonly string[] = [];

interface Prepared {
  readonly place: Place | undefined;
  latest: readonly string[];
}

const places = new WeakMap<Field<unknown>, Prepared>();

/** Paths of the members of a success that the specification does not define, such as `body[].finished_at`. */
export function answeredBeyond({ reply }: Operation, body: unknown, isOutcome = false): readonly string[] {
  const field = (isOutcome && reply.or?.body) || reply.body;
  if (!field) return NOTHING;
  const known = places.get(field) ?? prepare(field);
  // Nothing to look for, or all of it.
  if (!known.place || known.place.isBeyond) return known.latest;
  const found: string[] = [];
  read(known.place, body, found);
  // Replies of one operation mostly have the same members, and the journal keeps many of them.
  if (!isSame(found, known.latest)) known.latest = found;
  return known.latest;
}

function prepare(field: Field<unknown>): Prepared {
  const place = placeOf(field, "body");
  const prepared = { place, latest: place?.isBeyond ? [place.name] : NOTHING };
  places.set(field, prepared);
  return prepared;
}

/** Undefined where every member is defined, or may be anything. */
function placeOf(field: Field<unknown>, name: string): Place | undefined {
  const { "x-beyond": beyond, "x-requirement": requirement, items, properties } = field as Schema;
  if (beyond || requirement?.startsWith("X-")) return { name, isBeyond: true };
  if (items) {
    const inner = placeOf(items, `${name}[]`);
    return inner && { name, isBeyond: false, items: inner };
  }
  if (!properties) return undefined;
  const members = new Map(
    Object.entries(properties).map(([member, inner]) => [member, placeOf(inner, `${name}.${member}`)]),
  );
  return { name, isBeyond: false, members };
}

function read({ name, isBeyond, items, members }: Place, value: unknown, found: string[]): void {
  if (isBeyond) return add(found, name);
  if (Array.isArray(value)) {
    const count = items ? Math.min(value.length, ITEMS_READ) : 0;
    for (let index = 0; index < count; index += 1) read(items as Place, value[index], found);
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
  if (found.length < MOST_NAMES && !found.includes(name)) found.push(name);
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false;
  return true;
}

/** Under a symbol, which JSON passes over: the store's bytes stay as they are. */
const ANSWERED = Symbol("answered beyond the specification");

type Noted = Cause & { [ANSWERED]?: readonly string[] };

/** Says of the turn of a request what its reply had beyond the specification; a later turn may have answered it. */
export function noteAnswered(cause: Cause, names: readonly string[]): void {
  if (names.length > 0) (cause as Noted)[ANSWERED] = names;
}

/** What was noted of the reply to the request of this turn. */
export function answeredOf(cause: Cause): readonly string[] | undefined {
  return (cause as Noted)[ANSWERED];
}
