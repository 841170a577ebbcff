import type { Field } from "../../contracts/spec/fields.ts";

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Field<unknown>>>;
  readonly items?: Field<unknown>;
}

/** Paths of members that the field does not define; objects without defined members admit anything. */
export function unknownFields(value: unknown, field: Field<unknown>, where: string): readonly string[] {
  const { properties, items } = field as ObjectSchema;
  if (Array.isArray(value))
    return items ? value.flatMap((item, index) => unknownFields(item, items, `${where}[${index}]`)) : [];
  if (!properties || typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return known ? unknownFields(member, known, `${where}.${name}`) : [`${where}.${name}`];
  });
}
