/** Names of OTLP in the spelling of its protobuf files, which OTLP/JSON does not have. */
const SNAKE_CASE: ReadonlySet<string> = new Set([
  "resource_spans",
  "scope_spans",
  "instrumentation_library_spans",
  "schema_url",
  "trace_id",
  "span_id",
  "parent_span_id",
  "trace_state",
  "start_time_unix_nano",
  "end_time_unix_nano",
  "time_unix_nano",
  "dropped_attributes_count",
  "dropped_events_count",
  "dropped_links_count",
  "string_value",
  "bool_value",
  "int_value",
  "double_value",
  "array_value",
  "kvlist_value",
  "bytes_value",
]);

/** The first name in snake_case, if there is one. Names that a user chooses are values in OTLP, never members. */
export function snakeCaseName(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const name in value) {
    if (SNAKE_CASE.has(name)) return name;
    const inner = snakeCaseName((value as Readonly<Record<string, unknown>>)[name]);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** `trace_id` as `traceId`. */
export function camelCase(name: string): string {
  return name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
