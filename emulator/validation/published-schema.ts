import { DURATION } from "../kernel/duration.ts";

type Schema = Readonly<Record<string, unknown>>;

/** A schema as editors and other validators read it: with a pattern in place of our own format of durations. */
export function publishedSchema(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (_, value) => {
    if (value?.format !== "fixed-duration") return value;
    const { format, ...rest } = value;
    return { ...rest, pattern: DURATION.source };
  });
}
