import { declaredNumber, plainName } from "../../contracts/spec/exact-json.ts";
import type { Field } from "../../contracts/spec/fields.ts";

interface Schema {
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Field<unknown>>>;
  readonly items?: Field<unknown>;
  readonly additionalProperties?: Field<unknown> | boolean;
  readonly anyOf?: readonly Field<unknown>[];
}

/**
 * A parsed value with doubles for the marked numbers (`exact-json.ts`), NaN for those that are not doubles, except in what its
 * field leaves open, which is only stored. Changes the value in place.
 */
export function withDeclaredNumbers(value: unknown, field: Field<unknown>): unknown {
  if (isOpen(field)) return value;
  if (typeof value !== "object" || value === null) return declaredNumber(value);
  const { items, anyOf = [] } = field as Schema;
  for (const alternative of anyOf) withDeclaredNumbers(value, alternative);
  if (Array.isArray(value)) changeItems(value, items ?? {});
  else changeMembers(value as Record<string, unknown>, field);
  return value;
}

function changeItems(list: unknown[], field: Field<unknown>): void {
  if (isOpen(field)) return;
  for (const index of list.keys()) list[index] = withDeclaredNumbers(list[index], field);
}

/** Names are marked like numbers. Those of an object without declared members are only stored. */
function changeMembers(members: Record<string, unknown>, field: Field<unknown>): void {
  const { properties, additionalProperties } = field as Schema;
  const others = typeof additionalProperties === "object" ? additionalProperties : {};
  if (!properties && isOpen(others)) return;
  for (const [name, value] of Object.entries(members)) {
    const plain = plainName(name);
    if (plain !== name) delete members[name];
    const memberField = properties && Object.hasOwn(properties, plain) ? properties[plain] : undefined;
    members[plain] = withDeclaredNumbers(value, memberField ?? others);
  }
}

/** Whether any JSON value fits. */
function isOpen(field: Field<unknown>): boolean {
  const { type, anyOf, enum: values, const: only } = field as Schema;
  const isAnyType = type === undefined && values === undefined && only === undefined;
  return isAnyType && (anyOf === undefined || anyOf.some(isOpen));
}
