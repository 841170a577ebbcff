import { markedNumeral } from "../../../../contracts/spec/exact-json.ts";
import type { JsonObject } from "../json.ts";
import { shiftTime } from "../wire-time.ts";
import { type Attributes, readAttributes } from "./attributes.ts";
import { type MappedSpan, mapSpan, type SpanEvent } from "./map-span.ts";
import { textOf } from "./readers.ts";

/** The request context of a span. */
export interface SpanSource {
  readonly resource: Attributes;
  readonly scope: string | undefined;
  /** Project named by the request; takes precedence over the span's. */
  readonly project: string | undefined;
}

const EPOCH = "1970-01-01T00:00:00.000000Z";
const TRACE_ID = /^[0-9a-f]{32}$/i;
const SPAN_ID = /^[0-9a-f]{16}$/i;
const NOTHING = /^0+$/;
/** Status codes of OTLP, by number and by name. */
const OK: ReadonlySet<unknown> = new Set([1, "STATUS_CODE_OK"]);
const ERROR: ReadonlySet<unknown> = new Set([2, "STATUS_CODE_ERROR"]);

/** Converts a span to a run as a client would post it, or returns the problem. */
export function runOfSpan(
  span: JsonObject,
  source: SpanSource,
): { readonly run: JsonObject } | { readonly problem: string } {
  const traceId = idOf(span.traceId, TRACE_ID);
  const spanId = idOf(span.spanId, SPAN_ID);
  if (traceId === undefined || spanId === undefined)
    return { problem: "a span has no traceId of 16 bytes or no spanId of 8 bytes" };
  const start = timeOf(span.startTimeUnixNano);
  if (start === null) return { problem: `span ${spanId} has no startTimeUnixNano` };
  const events = eventsOf(span.events);
  const mapped = mapSpan(readAttributes(span.attributes), events);
  const { error, description } = errorOf(span.status, textOf(mapped.row.error));
  return {
    run: {
      name: typeof span.name === "string" ? span.name : "",
      run_type: "chain",
      inputs: null,
      outputs: null,
      ...mapped.row,
      ...placeOf(span, traceId, spanId, mapped.place),
      ...projectOf(mapped.project, source),
      start_time: start,
      end_time: timeOf(span.endTimeUnixNano),
      error,
      events: events.length === 0 ? null : events.map(eventView),
      extra: {
        ...mapped.extra,
        metadata: {
          ...metadataOf(mapped, source),
          ...(description !== undefined && { otel_status_description: description }),
          otel_trace_id: traceId,
          otel_span_id: spanId,
        },
      },
    },
  };
}

/**
 * A row's id is the second half of the trace id followed by the span id: unique, stable when the span is
 * resent, and readable. The row's trace_id is the id of its root, which a child may not know.
 */
function placeOf(span: JsonObject, traceId: string, spanId: string, place: JsonObject): JsonObject {
  const { id, parent_run_id = null, dotted_order } = place;
  if (id !== undefined)
    return { id, parent_run_id, ...(textOf(dotted_order)?.endsWith(String(id)) && { dotted_order }) };
  const parentSpanId = idOf(span.parentSpanId, SPAN_ID);
  const parent = parentSpanId === undefined ? null : rowId(traceId, parentSpanId);
  return { id: rowId(traceId, spanId), parent_run_id: parent };
}

function rowId(traceId: string, spanId: string): string {
  const [trace, span] = [traceId.slice(16), spanId];
  return `${trace.slice(0, 8)}-${trace.slice(8, 12)}-${trace.slice(12)}-${span.slice(0, 4)}-${span.slice(4)}`;
}

function projectOf({ session_id, session_name }: JsonObject, { resource, project }: SpanSource): JsonObject {
  if (project !== undefined) return { session_name: project };
  if (session_id !== undefined) return { session_id };
  const name = session_name ?? textOf(resource.get("langsmith.trace.session_name"));
  return name === undefined ? {} : { session_name: name };
}

/**
 * An exception is an error unless the sender states that the span succeeded. The description of the status is the error if there
 * is no exception, else metadata.
 */
function errorOf(status: unknown, exception: string | undefined) {
  const { code, message } = (status ?? {}) as { code?: unknown; message?: unknown };
  const description = textOf(message);
  if (OK.has(code)) return { error: null };
  if (exception !== undefined) return { error: exception, description };
  return { error: ERROR.has(code) ? (description ?? "error") : null };
}

function metadataOf({ extra, rest }: MappedSpan, { resource, scope }: SpanSource): JsonObject {
  return {
    ...Object.fromEntries(resource),
    ...Object.fromEntries(rest),
    ...(extra.metadata as JsonObject | undefined),
    ...(scope !== undefined && { otel_scope: scope }),
  };
}

function eventsOf(list: unknown): readonly SpanEvent[] {
  if (!Array.isArray(list)) return [];
  return list.map((event) => ({
    name: typeof event?.name === "string" ? event.name : "",
    time: timeOf(event?.timeUnixNano),
    attributes: readAttributes(event?.attributes),
  }));
}

function eventView({ name, time, attributes }: SpanEvent): JsonObject {
  return { name, time, ...(attributes.size > 0 && { kwargs: Object.fromEntries(attributes) }) };
}

function idOf(value: unknown, form: RegExp): string | undefined {
  return typeof value === "string" && form.test(value) && !NOTHING.test(value)
    ? value.toLowerCase()
    : undefined;
}

/** Nanoseconds since 1970 in text or as a number, without losing the microseconds. */
function timeOf(nanos: unknown): string | null {
  const text = typeof nanos === "number" ? nanos.toFixed(0) : (markedNumeral(nanos) ?? String(nanos ?? ""));
  if (!/^\d{1,20}$/.test(text) || NOTHING.test(text)) return null;
  return shiftTime(EPOCH, Number(BigInt(text) / 1000n)) ?? null;
}
