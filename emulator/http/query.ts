import type { Field, OptionalField } from "../../contracts/spec/fields.ts";

export type QueryFields = Readonly<Record<string, Field<unknown> | OptionalField<unknown>>>;

/** The query's values in the types that the fields ask for; texts that are none stay texts and fail the check. */
export function readQuery(query: string, fields: QueryFields): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  const given = new URLSearchParams(query);
  for (const [name, declared] of Object.entries(fields)) {
    const field = fieldOf(declared);
    const texts = given.getAll(name);
    const last = texts.at(-1);
    if (last !== undefined) values[name] = typed(last, field);
    else if ("default" in field) values[name] = field.default;
  }
  return values;
}

function fieldOf(declared: Field<unknown> | OptionalField<unknown>): Field<unknown> {
  return "optional" in declared ? (declared.optional as Field<unknown>) : declared;
}

function typed(text: string, field: Field<unknown>): unknown {
  const types = [field.type].flat();
  if (types.includes("integer") && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (types.includes("boolean") && (text === "true" || text === "false")) return text === "true";
  return text;
}
