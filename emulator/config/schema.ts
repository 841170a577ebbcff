import { publishedSchema } from "../validation/published-schema.ts";
import { SETTINGS } from "./settings.ts";

interface Section {
  [name: string]: unknown;
}

/** The JSON Schema of the configuration file, derived from the settings table. */
export function configurationSchema(): Readonly<Record<string, unknown>> {
  const root = section();
  for (const [path, { kind, initial, help }] of SETTINGS) {
    const leaf = {
      description: help,
      ...kind.schema,
      ...(initial === null ? {} : defaultOf(kind.schema, initial)),
    };
    insert(root, keysOf(path), leaf);
  }
  for (const [name, sectionSchema] of Object.entries(root.properties as Section)) {
    const properties = (sectionSchema as Section).properties as Section | undefined;
    // A section with `enabled` may be given as a boolean.
    if (properties?.enabled)
      (root.properties as Section)[name] = { anyOf: [sectionSchema, properties.enabled] };
  }
  return publishedSchema({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "emulator.config",
    ...root,
  });
}

/** The id of an assumption contains dots and is one key. */
function keysOf(path: string): string[] {
  return path.startsWith("assumptions.")
    ? ["assumptions", path.slice("assumptions.".length)]
    : path.split(".");
}

function insert(parent: Section, [key = "", ...rest]: string[], leaf: unknown): void {
  const properties = parent.properties as Section;
  if (rest.length === 0) {
    properties[key] = leaf;
    return;
  }
  properties[key] ??= section();
  insert(properties[key] as Section, rest, leaf);
}

function section(): Section {
  return { type: "object", properties: {}, additionalProperties: false };
}

/** Durations and instants are numbers internally but text in a file, so they have no default here. */
function defaultOf(
  schema: Readonly<Record<string, unknown>>,
  initial: unknown,
): { readonly default?: unknown } {
  return schema.type === "string" && typeof initial === "number" ? {} : { default: initial };
}
