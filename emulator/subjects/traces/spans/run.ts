import { parseDecimal } from "../decimal.ts";
import { parseUuid } from "../field-readers.ts";
import type { JsonObject } from "../json.ts";
import { parseDottedOrder } from "../lineage.ts";
import { RUN_TYPES } from "../run-input.ts";
import { parseCount } from "../usage.ts";
import { shiftTime } from "../wire-time.ts";
import { type Attributes, firstOf, firstText, readAttributes } from "./attributes.ts";
import { inputsOf, isContent, outputsOf, type SpanEvent } from "./content.ts";
import {
  COST_NAMES,
  EXCEPTION_EVENT,
  KIND_NAMES,
  METADATA_PREFIX,
  MODEL_NAMES,
  PROVIDER_NAMES,
  ROW,
  RUN_TYPE_OF_OPERATION,
  TOKEN_NAMES,
} from "./conventions.ts";

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
const STATUS_ERROR = 2;

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
  const attributes = readAttributes(span.attributes);
  const events = eventsOf(span.events);
  const end = timeOf(span.endTimeUnixNano);
  return {
    run: {
      ...placeOf(span, traceId, spanId, attributes),
      ...projectOf(attributes, source),
      name: firstText(attributes, [ROW.name]) ?? (typeof span.name === "string" ? span.name : ""),
      run_type: runTypeOf(attributes),
      start_time: start,
      end_time: end,
      error: errorOf(span.status, events),
      reference_example_id: uuidAt(attributes, ROW.reference_example_id) ?? null,
      tags: tagsOf(attributes),
      inputs: inputsOf(attributes, events),
      outputs: outputsOf(attributes, events),
      ...figuresOf(attributes),
      events: events.length === 0 ? null : events.map(eventView),
      extra: { metadata: metadataOf(attributes, source, traceId, spanId) },
    },
  };
}

/**
 * A row's id is the second half of the trace id followed by the span id: unique, stable when the span is
 * resent, and readable. The row's trace_id is the id of its root, which a child may not know.
 */
function placeOf(span: JsonObject, traceId: string, spanId: string, attributes: Attributes): JsonObject {
  const ownSegment = uuidAt(attributes, ROW.id);
  const parentSpanId = idOf(span.parentSpanId, SPAN_ID);
  if (ownSegment === undefined) {
    const parent = parentSpanId === undefined ? null : rowId(traceId, parentSpanId);
    return { id: rowId(traceId, spanId), parent_run_id: parent };
  }
  const dottedOrder = attributes.get(ROW.dotted_order);
  const order = typeof dottedOrder === "string" ? parseDottedOrder(dottedOrder) : undefined;
  const parent = uuidAt(attributes, ROW.parent_run_id);
  return {
    id: ownSegment,
    parent_run_id: parent ?? null,
    ...(order?.endsWith(ownSegment) && { dotted_order: order }),
    ...(order === undefined &&
      parent !== undefined && { trace_id: uuidAt(attributes, ROW.trace_id) ?? null }),
  };
}

function rowId(traceId: string, spanId: string): string {
  const [trace, span] = [traceId.slice(16), spanId];
  return `${trace.slice(0, 8)}-${trace.slice(8, 12)}-${trace.slice(12)}-${span.slice(0, 4)}-${span.slice(4)}`;
}

function projectOf(attributes: Attributes, { resource, project }: SpanSource): JsonObject {
  if (project !== undefined) return { session_name: project };
  const id = uuidAt(attributes, ROW.session_id);
  if (id !== undefined) return { session_id: id };
  const name = firstText(attributes, [ROW.session_name]) ?? firstText(resource, [ROW.session_name]);
  return name === undefined ? {} : { session_name: name };
}

function runTypeOf(attributes: Attributes): string {
  for (const name of KIND_NAMES) {
    const statedType = firstText(attributes, [name])?.toLowerCase() ?? "";
    if (RUN_TYPES.some((runType) => runType === statedType)) return statedType;
    if (Object.hasOwn(RUN_TYPE_OF_OPERATION, statedType)) return RUN_TYPE_OF_OPERATION[statedType] ?? "chain";
  }
  return firstOf(attributes, MODEL_NAMES) === undefined ? "chain" : "llm";
}

function errorOf(status: unknown, events: readonly SpanEvent[]): string | null {
  const { code, message } = (status ?? {}) as { code?: unknown; message?: unknown };
  if (code !== STATUS_ERROR && code !== "STATUS_CODE_ERROR") return null;
  if (typeof message === "string" && message !== "") return message;
  const thrown = events.findLast(({ name }) => name === EXCEPTION_EVENT)?.attributes;
  return (thrown && firstText(thrown, ["exception.message", "exception.type"])) ?? "error";
}

function tagsOf(attributes: Attributes): readonly string[] {
  const tags = attributes.get(ROW.tags);
  const list = typeof tags === "string" ? tags.split(",") : Array.isArray(tags) ? tags.map(String) : [];
  return list.map((tag) => tag.trim()).filter((tag) => tag !== "");
}

function figuresOf(attributes: Attributes): JsonObject {
  const figures = (table: Readonly<Record<string, readonly string[]>>, read: (value: unknown) => unknown) =>
    Object.entries(table).map(([field, names]) => [field, read(firstOf(attributes, names)) ?? null]);
  return Object.fromEntries([...figures(TOKEN_NAMES, parseCount), ...figures(COST_NAMES, parseDecimal)]);
}

function metadataOf(attributes: Attributes, source: SpanSource, traceId: string, spanId: string): JsonObject {
  const ownSegment = new Set<string>(Object.values(ROW));
  const rest = [...attributes].filter(([name]) => !isContent(name) && !ownSegment.has(name));
  const model = firstText(attributes, MODEL_NAMES);
  const provider = firstText(attributes, PROVIDER_NAMES);
  return {
    ...Object.fromEntries(source.resource),
    ...Object.fromEntries(rest.map(([name, value]) => [withoutPrefix(name), value])),
    ...(model !== undefined && { ls_model_name: model }),
    ...(provider !== undefined && { ls_provider: provider }),
    ...(source.scope !== undefined && { otel_scope: source.scope }),
    otel_trace_id: traceId,
    otel_span_id: spanId,
  };
}

function withoutPrefix(name: string): string {
  return name.startsWith(METADATA_PREFIX) ? name.slice(METADATA_PREFIX.length) : name;
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

function uuidAt(attributes: Attributes, name: string): string | undefined {
  return parseUuid(attributes.get(name));
}

/** Nanoseconds since 1970 in text or as a number, without losing the microseconds. */
function timeOf(nanos: unknown): string | null {
  const text = typeof nanos === "number" ? nanos.toFixed(0) : String(nanos ?? "");
  if (!/^\d{1,20}$/.test(text) || NOTHING.test(text)) return null;
  return shiftTime(EPOCH, Number(BigInt(text) / 1000n)) ?? null;
}
