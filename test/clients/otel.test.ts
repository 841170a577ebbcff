import { context, type Span, trace } from "@opentelemetry/api";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import protobuf from "protobufjs/light.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Rig } from "../support/emulator.ts";
import { startOver, TRANSPORTS } from "./transports.ts";

const PROJECT = "spans";

let rig: Rig;

afterEach(() => rig.close());

interface Row {
  readonly [name: string]: unknown;
  readonly id: string;
  readonly name: string;
}

async function rows(): Promise<Record<string, Row>> {
  const { body: projects } = await rig.call<{ id: string }[]>("GET", `/sessions?name=${PROJECT}`);
  const { body } = await rig.call<{ runs: Row[] }>("POST", "/runs/query", { session: [projects[0]?.id] });
  return Object.fromEntries(body.runs.map((row) => [row.name, row]));
}

function under(parent: Span) {
  return trace.setSpan(context.active(), parent);
}

const EXPORTERS = [
  ["JSON", JsonExporter],
  ["protobuf", ProtobufExporter],
] as const;

describe.each(
  TRANSPORTS.flatMap((transport) =>
    EXPORTERS.map(([form, Exporter]) => [form, transport, Exporter] as const),
  ),
)("the official exporter of OpenTelemetry in %s, %s", (_, transport, Exporter) => {
  beforeEach(async () => {
    rig = await startOver(transport);
  });

  const exporterOf = () =>
    new Exporter({
      url: `${rig.emulator.url}/otel/v1/traces`,
      headers: { "x-api-key": "emulator-key", "langsmith-project": PROJECT },
    });

  async function traceModelCall(processor: SimpleSpanProcessor | BatchSpanProcessor): Promise<void> {
    const provider = new BasicTracerProvider({
      resource: resourceFromAttributes({ "service.name": "shop" }),
      spanProcessors: [processor],
    });
    const tracer = provider.getTracer("test-tracer");
    const root = tracer.startSpan("answer", {
      attributes: { "langsmith.metadata.thread_id": "t-1", steps: 2 },
    });
    const agent = tracer.startSpan(
      "agent",
      { attributes: { "gen_ai.operation.name": "invoke_agent" } },
      under(root),
    );
    const model = tracer.startSpan(
      "chat large",
      {
        startTime: [1_767_225_600, 123_456_789],
        attributes: {
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": "acme",
          "gen_ai.request.model": "large-1",
          "gen_ai.usage.input_tokens": 30,
          "gen_ai.usage.output_tokens": 12,
          "gen_ai.input.messages": JSON.stringify([{ role: "user", content: "hi 😀" }]),
          "gen_ai.output.messages": JSON.stringify([{ role: "assistant", content: "ho" }]),
          "gen_ai.response.finish_reasons": ["stop"],
        },
      },
      under(agent),
    );
    model.end([1_767_225_602, 500_000_000]);
    const tool = tracer.startSpan(
      "lookup",
      { attributes: { "gen_ai.operation.name": "execute_tool" } },
      under(agent),
    );
    tool.recordException(new Error("no such file"));
    tool.end();
    agent.end();
    root.end();
    await provider.forceFlush();
    await provider.shutdown();
  }

  test("sends a trace in one request, whose spans become rows of one tree", async () => {
    await traceModelCall(new BatchSpanProcessor(exporterOf()));
    await expectTree(await rows());
  });

  test("sends each span as it ends, the children before their parents", async () => {
    await traceModelCall(new SimpleSpanProcessor(exporterOf()));
    await expectTree(await rows());
  });
});

async function expectTree({
  answer,
  agent,
  "chat large": model,
  lookup,
}: Record<string, Row>): Promise<void> {
  expect(answer).toMatchObject({ run_type: "chain", is_root: true, trace_id: answer?.id, status: "success" });
  expect(answer?.extra).toMatchObject({
    metadata: { thread_id: "t-1", steps: 2, "service.name": "shop", otel_scope: "test-tracer" },
  });
  expect(agent).toMatchObject({ run_type: "chain", parent_run_id: answer?.id, parent_run_ids: [answer?.id] });
  expect(model).toMatchObject({
    run_type: "llm",
    trace_id: answer?.id,
    parent_run_ids: [answer?.id, agent?.id],
    start_time: "2026-01-01T00:00:00.123456Z",
    end_time: "2026-01-01T00:00:02.500000Z",
    prompt_tokens: 30,
    completion_tokens: 12,
    total_tokens: 42,
    inputs: { messages: [{ role: "user", content: "hi 😀" }] },
    outputs: { messages: [{ role: "assistant", content: "ho" }] },
  });
  expect(model?.extra).toMatchObject({
    metadata: {
      ls_model_name: "large-1",
      ls_provider: "acme",
      "gen_ai.response.finish_reasons": ["stop"],
    },
  });
  expect(lookup).toMatchObject({
    run_type: "tool",
    status: "error",
    error: expect.stringMatching(/^no such file\n\nStacktrace:\nError: no such file\n +at /),
  });
  expect(lookup?.events).toMatchObject([
    { name: "exception", kwargs: { "exception.message": "no such file" } },
  ]);
  expect([agent?.total_tokens, answer?.total_tokens]).toEqual([42, 42]);
  expect(String(model?.dotted_order).startsWith(`${String(agent?.dotted_order)}.`)).toBe(true);
  expect(String(agent?.dotted_order).startsWith(`${String(answer?.dotted_order)}.`)).toBe(true);
}

describe.each(TRANSPORTS)("OTLP requests %s", (transport) => {
  beforeEach(async () => {
    rig = await startOver(transport);
  });

  const span = (more: object = {}) => ({
    traceId: "5b8efff798038103d269b633813fc60c",
    spanId: "eee19b7ec3c1b174",
    name: "one",
    startTimeUnixNano: "1767225600000000000",
    ...more,
  });
  const send = (spans: readonly object[], headers: Record<string, string> = {}) =>
    rig.call(
      "POST",
      "/otel/v1/traces",
      { resourceSpans: [{ scopeSpans: [{ spans }] }] },
      {
        "langsmith-project": PROJECT,
        ...headers,
      },
    );

  test("accept valid spans, and report the others", async () => {
    const { status, body } = await send([
      span(),
      span({ spanId: "00" }),
      span({ startTimeUnixNano: undefined, spanId: "aaaaaaaaaaaaaaaa" }),
    ]);
    expect(status).toBe(200);
    expect(body).toEqual({
      partialSuccess: {
        rejectedSpans: "2",
        errorMessage:
          "a span has no traceId of 16 bytes or no spanId of 8 bytes; span aaaaaaaaaaaaaaaa has no startTimeUnixNano",
      },
    });
    expect((await rows()).one?.id).toBe("d269b633-813f-c60c-eee1-9b7ec3c1b174");
  });

  test("report refused spans of a protobuf request in protobuf", async () => {
    // One span with nothing in it.
    const body = new Uint8Array([0x0a, 0x04, 0x12, 0x02, 0x12, 0x00]);
    const headers = { "x-api-key": "k", "content-type": "application/x-protobuf" };
    const reply = await fetch(`${rig.emulator.url}/otel/v1/traces`, { method: "POST", headers, body });
    expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "application/x-protobuf"]);
    const bytes = new Uint8Array(await reply.arrayBuffer());
    expect(ProtobufTraceSerializer.deserializeResponse(bytes)).toMatchObject({
      partialSuccess: { errorMessage: expect.stringContaining("no traceId") },
    });
    expect(
      Number(
        (ProtobufTraceSerializer.deserializeResponse(bytes).partialSuccess as { rejectedSpans: unknown })
          .rejectedSpans,
      ),
    ).toBe(1);
  });

  test("make one row of a span that is sent twice", async () => {
    await send([span()]);
    expect((await send([span({ name: "again" })])).body).toEqual({});
    expect(Object.keys(await rows())).toEqual(["one"]);
  });

  const bytesOf = (text: string) => new TextEncoder().encode(text);
  const JSON_TYPE = { "content-type": "application/json" };
  const PROTOBUF = { "content-type": "application/x-protobuf" };

  test.each<[string, Uint8Array<ArrayBuffer>, Record<string, string>, number]>([
    ["truncated protobuf", new Uint8Array([10, 200, 1, 1]), PROTOBUF, 400],
    ["protobuf nested without end", nested(4000), PROTOBUF, 400],
    ["JSON that ends early", bytesOf('{"resourceSpans":['), JSON_TYPE, 400],
    ["JSON without a body", new Uint8Array(), JSON_TYPE, 400],
    ["broken gzip", bytesOf("no gzip"), { ...JSON_TYPE, "content-encoding": "gzip" }, 400],
    ["broken gzip of protobuf", bytesOf("no gzip"), { ...PROTOBUF, "content-encoding": "gzip" }, 400],
    ["an unknown encoding", bytesOf("{}"), { ...JSON_TYPE, "content-encoding": "lzma" }, 415],
    ["another media type", new Uint8Array([1]), { "content-type": "text/plain" }, 415],
    ["no key", bytesOf("{}"), { ...JSON_TYPE, "x-api-key": "" }, 401],
    ["groups that are not a list", bytesOf('{"resourceSpans":{}}'), JSON_TYPE, 400],
    ["scopes that are not a list", bytesOf('{"resourceSpans":[{"scopeSpans":{}}]}'), JSON_TYPE, 400],
    [
      "spans that are not a list",
      bytesOf('{"resourceSpans":[{"scopeSpans":[{"spans":1}]}]}'),
      JSON_TYPE,
      400,
    ],
  ])("refuse %s by the protocol, in the form of the request", async (_, body, headers, status) => {
    const reply = await fetch(`${rig.emulator.url}/otel/v1/traces`, {
      method: "POST",
      headers: { "x-api-key": "k", ...headers },
      body,
    });
    expect(reply.status).toBe(status);
    const isProtobuf = headers["content-type"] === PROTOBUF["content-type"];
    expect(reply.headers.get("content-type")).toBe(
      isProtobuf ? "application/x-protobuf" : "application/json",
    );
    const error = isProtobuf
      ? protobufStatus(new Uint8Array(await reply.arrayBuffer()))
      : ((await reply.json()) as { code: number; message: string });
    expect(error).toEqual({ code: status === 401 ? 16 : 3, message: expect.stringMatching(/\w/) });
  });

  test.each([
    ["resource_spans", { resource_spans: [{ scope_spans: [{ spans: [span()] }] }] }],
    ["scope_spans", { resourceSpans: [{ scope_spans: [{ spans: [span()] }] }] }],
    [
      "trace_id",
      { resourceSpans: [{ scopeSpans: [{ spans: [span({ traceId: undefined, trace_id: "a" })] }] }] },
    ],
    [
      "string_value",
      {
        resourceSpans: [
          { scopeSpans: [{ spans: [span({ attributes: [{ key: "a_b", value: { string_value: "c" } }] })] }] },
        ],
      },
    ],
  ])("name %s, which OTLP/JSON spells differently, and store nothing", async (name, body) => {
    const reply = await rig.call("POST", "/otel/v1/traces", body);
    expect([reply.status, reply.body.code]).toEqual([400, 3]);
    expect(reply.body.message).toContain(`${name}: OTLP/JSON writes names in lowerCamelCase`);
    expect((await rig.call<unknown[]>("GET", "/sessions")).body).toEqual([]);
  });
});

const STATUS = protobuf.Root.fromJSON({
  nested: { Status: { fields: { code: { id: 1, type: "int32" }, message: { id: 2, type: "string" } } } },
}).lookupType("Status");

function protobufStatus(bytes: Uint8Array): object {
  return STATUS.toObject(STATUS.decode(bytes));
}

/** An attribute whose value is a list in a list in a list … */
function nested(depth: number): Uint8Array<ArrayBuffer> {
  let bytes = Buffer.alloc(0);
  const wrap = (field: number) => {
    const length: number[] = [];
    for (let rest = bytes.length; ; rest >>>= 7) {
      length.push(rest > 127 ? (rest & 127) | 128 : rest);
      if (rest <= 127) break;
    }
    bytes = Buffer.concat([Buffer.from([(field << 3) | 2, ...length]), bytes]);
  };
  for (let level = 0; level < depth; level += 1) {
    wrap(1);
    wrap(5);
  }
  for (const field of [2, 9, 2, 2, 1]) wrap(field);
  return new Uint8Array(bytes);
}
