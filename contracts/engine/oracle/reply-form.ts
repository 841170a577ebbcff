import type { Field } from "../../spec/fields.ts";
import { isMembers, type Members } from "../json.ts";

/** A reply as the tables have it, and what was done to it. */
export interface ReadForm {
  readonly body: unknown;
  /** `{runs: […]}`, `runId for run_id`. */
  readonly form: string;
}

interface Schema {
  readonly type?: unknown;
  readonly items?: Field<unknown>;
  readonly properties?: Readonly<Record<string, Field<unknown>>>;
}

/** Reads a reply that wraps what it should be, or spells its members otherwise; undefined for any other one. */
export function readForm(field: Field<unknown>, body: unknown): ReadForm | undefined {
  const schema = field as Schema;
  const envelope = schema.type === "array" ? listIn(body) : objectIn(schema, body);
  const inner = envelope ? envelope.value : body;
  const { properties } = (schema.type === "array" ? (schema.items ?? {}) : schema) as Schema;
  const aliases = new Map<string, string>();
  const renamed = (item: unknown) => (properties ? withNames(item, properties, aliases) : item);
  const read = Array.isArray(inner) ? inner.map(renamed) : renamed(inner);
  const forms = [
    ...(envelope ? [envelope.form] : []),
    ...[...aliases].map(([alias, name]) => `${alias} for ${name}`),
  ];
  return forms.length > 0 ? { body: read, form: forms.join(", ") } : undefined;
}

interface Envelope {
  readonly value: unknown;
  readonly form: string;
}

/** The only list in an object, or in its only member. */
function listIn(body: unknown): Envelope | undefined {
  if (!isMembers(body)) return undefined;
  const entries = Object.entries(body);
  const lists = entries.filter(([, value]) => Array.isArray(value));
  const [list] = lists;
  if (list && lists.length === 1) return { value: list[1], form: `{${list[0]}: […]}` };
  const [only] = entries;
  if (!only || entries.length > 1) return undefined;
  const inner = listIn(only[1]);
  return inner && { value: inner.value, form: `{${only[0]}: ${inner.form}}` };
}

/** The object in an envelope: its only object, which has members of the schema where the envelope has none. */
function objectIn({ properties = {} }: Schema, body: unknown): Envelope | undefined {
  if (!isMembers(body) || hasAny(body, properties)) return undefined;
  const objects = Object.entries(body).filter(([, value]) => isMembers(value));
  const [object] = objects;
  if (!object || objects.length > 1 || !hasAny(object[1] as Members, properties)) return undefined;
  return { value: object[1], form: `{${object[0]}: {…}}` };
}

const plain = (name: string) => name.replace(/[^a-z0-9]/gi, "").toLowerCase();

function hasAny(members: Members, properties: NonNullable<Schema["properties"]>): boolean {
  const names = new Set(Object.keys(properties).map(plain));
  return Object.keys(members).some((name) => names.has(plain(name)));
}

/** An object under the names of the schema; only members that differ in case and separators are renamed. */
function withNames(
  item: unknown,
  properties: NonNullable<Schema["properties"]>,
  aliases: Map<string, string>,
): unknown {
  if (!isMembers(item)) return item;
  const missing = new Map(
    Object.keys(properties).flatMap((name) => (name in item ? [] : [[plain(name), name] as const])),
  );
  return Object.fromEntries(
    Object.entries(item).map(([member, value]) => {
      const name = member in properties ? undefined : missing.get(plain(member));
      if (name === undefined) return [member, value];
      aliases.set(member, name);
      return [name, value];
    }),
  );
}
