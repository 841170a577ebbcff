import type { Field } from "../../contracts/spec/fields.ts";

interface ObjectSchema {
  readonly "x-newer"?: true;
  readonly "x-newer-values"?: readonly unknown[];
  readonly "x-ignored"?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Field<unknown>>>;
  readonly items?: Field<unknown>;
  readonly additionalProperties?: unknown;
}

const MAX_NAMES = 50;

/**
 * Paths of members that the field does not define, or that have no effect, up to 50. Objects without defined members admit
 * anything; those that admit no others are left to the check of the field, which refuses them.
 */
export function unknownFields(value: unknown, field: Field<unknown>, where: string): readonly string[] {
  const names: string[] = [];
  addUnknown(names, value, field, where);
  return names;
}

function addUnknown(names: string[], value: unknown, field: Field<unknown>, where: string): void {
  const { properties, items, additionalProperties, "x-ignored": needless } = field as ObjectSchema;
  if (needless && value !== null && !needless.includes(value)) return add(names, where);
  if (Array.isArray(value)) return items && addUnknownInItems(names, value, items, where);
  if (!properties || typeof value !== "object" || value === null) return;
  for (const name in value) {
    const memberField = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (memberField)
      addUnknown(names, (value as Record<string, unknown>)[name], memberField, `${where}.${name}`);
    else if (additionalProperties !== false) add(names, `${where}.${name}`);
  }
}

function add(names: string[], name: string): void {
  if (names.length < MAX_NAMES) names.push(name);
}

function addUnknownInItems(
  names: string[],
  value: readonly unknown[],
  items: Field<unknown>,
  where: string,
): void {
  // Items that admit anything are not looked at one by one: a batch has thousands of them.
  if (!("properties" in items || "items" in items || "x-ignored" in items)) return;
  for (let index = 0; index < value.length && names.length < MAX_NAMES; index += 1)
    addUnknown(names, value[index], items, `${where}[${index}]`);
}

/** Paths of members and values that are newer than the specification; null and false mean that none is requested. */
export function newerMembers(value: unknown, field: Field<unknown>, where: string): readonly string[] {
  const { properties = {}, items, "x-newer": isNewer, "x-newer-values": newerValues } = field as ObjectSchema;
  if (value === undefined || value === null || value === false) return [];
  if (isNewer) return [where];
  if (newerValues?.includes(value)) return [`${where}: ${JSON.stringify(value)}`];
  if (Array.isArray(value))
    return items ? value.flatMap((item, index) => newerMembers(item, items, `${where}[${index}]`)) : [];
  if (typeof value !== "object") return [];
  return Object.entries(properties).flatMap(([name, member]) =>
    newerMembers((value as Record<string, unknown>)[name], member, `${where}.${name}`),
  );
}
