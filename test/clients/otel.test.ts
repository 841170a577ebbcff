import { context, type Span, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
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
    tool.setStatus({ code: SpanStatusCode.ERROR });
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
  expect(lookup).toMatchObject({ run_type: "tool", status: "error", error: "no such file" });
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

  test("take what can be taken, and say what cannot", async () => {
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

  test("say in protobuf what could not be taken of a protobuf request", async () => {
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

  test.each([
    ["truncated protobuf", new Uint8Array([10, 200, 1, 1]), "application/x-protobuf", 422],
    ["protobuf nested without end", nested(4000), "application/x-protobuf", 422],
    ["JSON that ends early", new TextEncoder().encode('{"resourceSpans":['), "application/json", 422],
    ["another media type", new Uint8Array([1]), "text/plain", 415],
    ["spans that are no list", new TextEncoder().encode('{"resourceSpans":{}}'), "application/json", 422],
  ])("refuse %s", async (_, body, type, status) => {
    const reply = await fetch(`${rig.emulator.url}/otel/v1/traces`, {
      method: "POST",
      headers: { "x-api-key": "k", "content-type": type },
      body,
    });
    expect(reply.status).toBe(status);
    expect(((await reply.json()) as { detail: string }).detail).toMatch(/\w/);
  });
});

/** An attribute whose value is a list in a list in a list … */
function nested(depth: number): Uint8Array {
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
  return bytes;
}
