/**
 * The vocabulary of the tables. A field is written once and is at the same time a JSON Schema
 * (2020-12), a TypeScript type (`TypeOf`) and so the check that runs against it.
 */

declare const typeOf: unique symbol;

/** A JSON Schema that knows the TypeScript type of the values it admits. */
export interface Field<T> {
  readonly [keyword: string]: unknown;
  readonly [typeOf]?: T;
}

/** A field that may be left out of its object. */
export interface OptionalField<T> {
  readonly optional: Field<T>;
}

/** The TypeScript type of the values that a field admits. */
export type TypeOf<F> = F extends Field<infer T> ? T : never;

/** Fields by name. */
export type Fields = Readonly<Record<string, Field<unknown> | OptionalField<unknown>>>;

type RequiredNames<F extends Fields> = {
  [Name in keyof F]: F[Name] extends OptionalField<unknown> ? never : Name;
}[keyof F];

type OptionalNames<F extends Fields> = Exclude<keyof F, RequiredNames<F>>;

/** The TypeScript type of an object with these fields. */
export type ObjectOf<F extends Fields> = {
  readonly [Name in RequiredNames<F>]: TypeOf<F[Name]>;
} & {
  readonly [Name in OptionalNames<F>]?: F[Name] extends OptionalField<infer T> ? T : never;
};

/** Further keywords of JSON Schema; those that begin with `x-` are ours. */
export type Keywords = Readonly<Record<string, unknown>>;

export function text(keywords: Keywords = {}): Field<string> {
  return { type: "string", ...keywords };
}

/** Upper and lower case are the same id. */
export function uuid(keywords: Keywords = {}): Field<string> {
  return { type: "string", format: "uuid", ...keywords };
}

/** An ISO 8601 instant. */
export function dateTime(keywords: Keywords = {}): Field<string> {
  return { type: "string", format: "date-time", ...keywords };
}

/** A duration of fixed length, such as `6h`, `1d12h` or `PT6H`. JSON Schema's format `duration` is ISO 8601 only. */
export function duration(keywords: Keywords = {}): Field<string> {
  return { type: "string", format: "fixed-duration", ...keywords };
}

export function integer(keywords: Keywords = {}): Field<number> {
  return { type: "integer", ...keywords };
}

export function number(keywords: Keywords = {}): Field<number> {
  return { type: "number", ...keywords };
}

export function boolean(keywords: Keywords = {}): Field<boolean> {
  return { type: "boolean", ...keywords };
}

/** One of these texts, written just so. */
export function oneOf<const V extends readonly string[]>(
  values: V,
  keywords: Keywords = {},
): Field<V[number]> {
  return { type: "string", enum: values, ...keywords };
}

export function listOf<T>(items: Field<T>, keywords: Keywords = {}): Field<readonly T[]> {
  return { type: "array", items, ...keywords };
}

/** An object whose members the specification leaves open ("free-form"). */
export function freeForm(keywords: Keywords = {}): Field<Readonly<Record<string, unknown>>> {
  return { type: "object", ...keywords };
}

/** An object from any name to values of one kind, for example `errors.retry_<n>`. */
export function mapOf<T>(values: Field<T>, keywords: Keywords = {}): Field<Readonly<Record<string, T>>> {
  return { type: "object", additionalProperties: values, ...keywords };
}

/** Any JSON value. */
export function anything(keywords: Keywords = {}): Field<unknown> {
  return { ...keywords };
}

/** What one of these fields admits, or several. */
export function eitherOf<const F extends readonly Field<unknown>[]>(
  fields: F,
  keywords: Keywords = {},
): Field<TypeOf<F[number]>> {
  return { anyOf: fields, ...keywords };
}

/** The field, or null. */
export function nullable<T>(field: Field<T>): Field<T | null> {
  const { type, ...rest } = field as { type?: unknown } & Keywords;
  if (typeof type !== "string") return { anyOf: [field, { type: "null" }] };
  const values = (rest as { enum?: readonly unknown[] }).enum;
  return { ...rest, type: [type, "null"], ...(values ? { enum: [...values, null] } : {}) };
}

/** Leaves the field out of those that its object requires. */
export function optional<T>(field: Field<T>): OptionalField<T> {
  return { optional: field };
}

/** A field that may be left out or null. */
export function maybe<T>(field: Field<T>): OptionalField<T | null> {
  return optional(nullable(field));
}

/** The same object, of which every field may be left out. */
export function partial<T>(field: Field<T>, keywords: Keywords = {}): Field<Partial<T>> {
  return { ...field, required: [], ...keywords };
}

/** A description, with the requirement that it comes from. */
export function doc(requirement: string, description: string, more: Keywords = {}): Keywords {
  return { description, "x-requirement": requirement, ...more };
}

/** Keywords of a request's field without effect. A warning names it, unless it is null or a value that needs no effect. */
export function ignoredUnless(...values: readonly unknown[]): Keywords {
  return { "x-ignored": values };
}

/** A field that the specification does not define: replies have it by this choice of ours. */
export function assumed<T>(field: Field<T>, assumption: string): Field<T> {
  return { ...field, "x-assumption": assumption, "x-beyond": true };
}

/** A member of requests that is newer than the specification: accepted under one value of platform.newer_features. */
export function newer<T>(field: Field<T>): Field<T> {
  return { ...assumed(field, "platform.newer_features"), "x-newer": true };
}

/** Fields that may be left out and that the specification does not define. */
export function beyond<F extends Readonly<Record<string, OptionalField<unknown>>>>(
  fields: F,
  assumption: string,
): F {
  const entries = Object.entries(fields).map(([name, field]) => [
    name,
    optional(assumed(field.optional, assumption)),
  ]);
  return Object.fromEntries(entries) as F;
}

/**
 * An object with exactly these fields. Unknown ones are not part of the schema's verdict: the gateway
 * warns of them, and refuses them under `--strict`.
 */
export function object<const F extends Fields>(fields: F, keywords: Keywords = {}): Field<ObjectOf<F>> {
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const inner = field as Partial<OptionalField<unknown>>;
    if (inner.optional) properties[name] = inner.optional;
    else {
      properties[name] = field;
      required.push(name);
    }
  }
  return { type: "object", properties, required, ...keywords };
}

/** An object with these fields and no others: an unknown one does not fit the schema. */
export function closed<const F extends Fields>(fields: F, keywords: Keywords = {}): Field<ObjectOf<F>> {
  return object(fields, { additionalProperties: false, ...keywords });
}
