import type { Reader } from "protobufjs/light.js";
import { lazily } from "../../kernel/lazily.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { type JsonBounds, refuseTooMany, tooDeep } from "../../subjects/json-bounds.ts";
import type { Codecs } from "../media.ts";

/** The OTLP trace messages and fields used for trace rows: names, numbers and types. */
const MESSAGES = {
  ExportTraceServiceRequest: { resourceSpans: [1, "ResourceSpans", "repeated"] },
  ResourceSpans: { resource: [1, "Resource"], scopeSpans: [2, "ScopeSpans", "repeated"] },
  Resource: { attributes: [1, "KeyValue", "repeated"] },
  ScopeSpans: { scope: [1, "InstrumentationScope"], spans: [2, "Span", "repeated"] },
  InstrumentationScope: { name: [1, "string"], version: [2, "string"] },
  Span: {
    traceId: [1, "bytes"],
    spanId: [2, "bytes"],
    parentSpanId: [4, "bytes"],
    name: [5, "string"],
    kind: [6, "int32"],
    startTimeUnixNano: [7, "fixed64"],
    endTimeUnixNano: [8, "fixed64"],
    attributes: [9, "KeyValue", "repeated"],
    events: [11, "Event", "repeated"],
    status: [15, "Status"],
  },
  Event: { timeUnixNano: [1, "fixed64"], name: [2, "string"], attributes: [3, "KeyValue", "repeated"] },
  Status: { message: [2, "string"], code: [3, "int32"] },
  KeyValue: { key: [1, "string"], value: [2, "AnyValue"] },
  AnyValue: {
    stringValue: [1, "string"],
    boolValue: [2, "bool"],
    intValue: [3, "int64"],
    doubleValue: [4, "double"],
    arrayValue: [5, "ArrayValue"],
    kvlistValue: [6, "KeyValueList"],
    bytesValue: [7, "bytes"],
  },
  ArrayValue: { values: [1, "AnyValue", "repeated"] },
  KeyValueList: { values: [1, "KeyValue", "repeated"] },
  ExportTraceServiceResponse: { partialSuccess: [1, "ExportTracePartialSuccess"] },
  ExportTracePartialSuccess: { rejectedSpans: [1, "int64"], errorMessage: [2, "string"] },
} as const satisfies Record<string, Record<string, readonly [number, string, "repeated"?]>>;

/** The types of fields by message and number. */
const TYPES: Readonly<Record<string, ReadonlyMap<number, string>>> = Object.fromEntries(
  Object.entries(MESSAGES).map(([name, fields]) => [
    name,
    new Map(Object.values(fields).map(([id, type]) => [id, type])),
  ]),
);
const LENGTH_DELIMITED = 2;

const IDS = ["traceId", "spanId", "parentSpanId"] as const;

/** The types of request and reply; the protobuf library is loaded with them. */
const loadTypes = lazily(async () => {
  const { default: protobuf } = await import("protobufjs/light.js");
  const root = protobuf.Root.fromJSON({
    nested: Object.fromEntries(
      Object.entries(MESSAGES).map(([name, fields]) => [
        name,
        {
          ...(name === "AnyValue" ? { oneofs: { value: { oneof: Object.keys(fields) } } } : {}),
          fields: Object.fromEntries(
            Object.entries(fields).map(
              ([field, [id, type, rule]]: [string, readonly [number, string, "repeated"?]]) => [
                field,
                { id, type, ...(rule && { rule }) },
              ],
            ),
          ),
        },
      ]),
    ),
  });
  return {
    reader: (bytes: Uint8Array) => protobuf.Reader.create(bytes),
    request: root.lookupType("ExportTraceServiceRequest"),
    reply: root.lookupType("ExportTraceServiceResponse"),
  };
});

/** The request as OTLP/JSON writes it: ids in hexadecimal, large numbers as text. The bounds are those of JSON. */
export async function readSpans(bytes: Uint8Array, bounds: JsonBounds): Promise<unknown> {
  const { reader, request } = await loadTypes();
  try {
    countFields(reader(bytes), bytes.length, "ExportTraceServiceRequest", bounds);
    const value: SpansRequest = request.toObject(request.decode(bytes), {
      longs: String,
      bytes: String,
      json: true,
    });
    for (const span of spansIn(value))
      for (const name of IDS) if (span[name] !== undefined) span[name] = hexOf(span[name]);
    return value;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(
      422,
      "malformed_protobuf",
      `The body is not OTLP in protobuf: ${(error as Error).message}.`,
    );
  }
}

/** Counts the fields of a message and of those in it before anything is built. Throws a `Refusal` (413, 422). */
function countFields(
  reader: Reader,
  end: number,
  message: string,
  bounds: JsonBounds,
  [before, levels] = [0, 1],
): number {
  if (levels > bounds.json_levels) throw tooDeep(bounds);
  let count = before;
  while (reader.pos < end) {
    const tag = reader.uint32();
    count += 1;
    refuseTooMany(count, { count: 0 }, bounds);
    const inner = (tag & 7) === LENGTH_DELIMITED ? TYPES[message]?.get(tag >>> 3) : undefined;
    if (inner === undefined || !(inner in TYPES)) reader.skipType(tag & 7);
    else count = countFields(reader, reader.uint32() + reader.pos, inner, bounds, [count, levels + 1]);
  }
  return count;
}

/** The reply to spans (`ExportTraceServiceResponse`) in protobuf. */
export async function writeSpansReply(value: unknown): Promise<Uint8Array> {
  const { reply } = await loadTypes();
  return reply.encode(reply.fromObject(value as Record<string, unknown>)).finish();
}

interface SpansRequest {
  readonly resourceSpans?: readonly {
    readonly scopeSpans?: readonly { readonly spans?: readonly SpanIds[] }[];
  }[];
}

type SpanIds = Partial<Record<(typeof IDS)[number], string>>;

function spansIn({ resourceSpans = [] }: SpansRequest): readonly SpanIds[] {
  return resourceSpans.flatMap(({ scopeSpans = [] }) => scopeSpans.flatMap(({ spans = [] }) => spans));
}

function hexOf(base64: string): string {
  return Buffer.from(base64, "base64").toString("hex");
}

/** The codecs of bodies that are not JSON. */
export const CODECS: Codecs = {
  "application/x-protobuf": { read: readSpans, write: writeSpansReply },
};
