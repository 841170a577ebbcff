import type { Field } from "../../contracts/spec/fields.ts";

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Field<unknown>>>;
  readonly items?: Field<unknown>;
  readonly additionalProperties?: unknown;
}

const MAX_NAMES = 50;

/**
 * Paths of members that the field does not define, up to 50. Objects without defined members admit anything; those that admit
 * no others are left to the check of the field, which refuses them.
 */
export function unknownFields(value: unknown, field: Field<unknown>, where: string): readonly string[] {
  const found: string[] = [];
  addUnknown(found, value, field, where);
  return found;
}

function addUnknown(found: string[], value: unknown, field: Field<unknown>, where: string): void {
  const { properties, items, additionalProperties } = field as ObjectSchema;
  if (Array.isArray(value)) return items && addUnknownInItems(found, value, items, where);
  if (!properties || typeof value !== "object" || value === null) return;
  for (const name in value) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known) addUnknown(found, (value as Record<string, unknown>)[name], known, `${where}.${name}`);
    else if (additionalProperties !== false && found.length < MAX_NAMES) found.push(`${where}.${name}`);
  }
}

function addUnknownInItems(
  found: string[],
  value: readonly unknown[],
  items: Field<unknown>,
  where: string,
): void {
  // Items that admit anything are not looked at one by one: a batch has thousands of them.
  if (!("properties" in items || "items" in items)) return;
  for (let index = 0; index < value.length && found.length < MAX_NAMES; index += 1)
    addUnknown(found, value[index], items, `${where}[${index}]`);
}
