import type { Field } from "../../contracts/spec/fields.ts";

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Field<unknown>>>;
  readonly items?: Field<unknown>;
  readonly additionalProperties?: unknown;
}

/**
 * Paths of members that the field does not define. Objects without defined members admit anything; those that admit
 * no others are left to the check of the field, which refuses them.
 */
export function unknownFields(value: unknown, field: Field<unknown>, where: string): readonly string[] {
  const { properties, items, additionalProperties } = field as ObjectSchema;
  if (Array.isArray(value)) {
    // Items that admit anything are not looked at one by one: a batch has thousands of them.
    if (!items || !("properties" in items || "items" in items)) return [];
    return value.flatMap((item, index) => unknownFields(item, items, `${where}[${index}]`));
  }
  if (!properties || typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known) return unknownFields(member, known, `${where}.${name}`);
    return additionalProperties === false ? [] : [`${where}.${name}`];
  });
}
