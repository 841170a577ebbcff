import { describe, expect, test } from "vitest";
import { parseExact } from "../../../contracts/spec/exact-json.ts";
import { batchOfSpans } from "../../../emulator/subjects/traces/spans/batch.ts";

const text = (stringValue: string) => ({ stringValue });

function attributes(values: Record<string, object>) {
  return Object.entries(values).map(([key, value]) => ({ key, value }));
}

function rowOf(values: Record<string, object>, more: object = {}, project?: string) {
  const span = {
    traceId: "0AF7651916CD43DD8448EB211C80319C",
    spanId: "b7ad6b7169203331",
    name: "span",
    startTimeUnixNano: "1767225600123456789",
    attributes: attributes(values),
    ...more,
  };
  const { posts, rejected } = batchOfSpans([{ scopeSpans: [{ spans: [span] }] }], project, () => {});
  expect(rejected).toEqual([]);
  return posts[0]?.value as Record<string, unknown>;
}

describe("a span's kind", () => {
  test.each([
    ["gen_ai.operation.name", "chat", "llm"],
    ["gen_ai.operation.name", "text_completion", "llm"],
    ["gen_ai.operation.name", "embeddings", "embedding"],
    ["gen_ai.operation.name", "execute_tool", "tool"],
    ["gen_ai.operation.name", "invoke_agent", "chain"],
    ["langsmith.span.kind", "retriever", "retriever"],
    ["openinference.span.kind", "LLM", "llm"],
    ["traceloop.span.kind", "workflow", "chain"],
    ["gen_ai.request.model", "large", "llm"],
    ["gen_ai.operation.name", "constructor", "chain"],
    ["http.method", "GET", "chain"],
    ["gen_ai.tool.name", "search", "tool"],
    ["traceloop.span.kind", "tool", "tool"],
    ["traceloop.llm.request.type", "embedding", "embedding"],
    ["traceloop.llm.request.type", "rerank", "llm"],
    ["llm.prompt_template.variables", "{}", "prompt"],
  ])("%s = %s is a row of type %s", (name, value, type) => {
    expect(rowOf({ [name]: text(value) }).run_type).toBe(type);
  });
});

describe("a span's inputs and outputs", () => {
  test.each<[string, Record<string, object>, unknown]>([
    ["JSON text", { "gen_ai.prompt": text('{"q":1}') }, { q: 1 }],
    ["plain text", { "input.value": text("hello") }, { input: "hello" }],
    [
      "numbered attributes",
      {
        "gen_ai.prompt.1.content": text("b"),
        "gen_ai.prompt.0.role": text("user"),
        "gen_ai.prompt.0.content": text("a"),
      },
      { messages: [{ role: "user", content: "a" }, { content: "b" }] },
    ],
    [
      "a list of messages as values",
      {
        "gen_ai.input.messages": {
          arrayValue: { values: [{ kvlistValue: { values: attributes({ role: text("user") }) } }] },
        },
      },
      { messages: [{ role: "user" }] },
    ],
    [
      "messages next to instructions",
      { "gen_ai.input.messages": text("[]"), "gen_ai.system_instructions": text("be kind") },
      { system: "be kind", messages: [] },
    ],
    ["nothing", {}, null],
  ])("come from %s", (_, values, expected) => {
    const row = rowOf(values);
    expect(row.inputs).toEqual(expected);
    const { metadata } = row.extra as { metadata: object };
    expect(Object.keys(metadata)).toEqual(["otel_trace_id", "otel_span_id"]);
  });

  test("are read from events without another source", () => {
    const event = (name: string, content: string) => ({
      name,
      timeUnixNano: "1767225600123456789",
      attributes: attributes({ content: text(content) }),
    });
    const row = rowOf({}, { events: [event("gen_ai.user.message", "hi"), event("gen_ai.choice", "ho")] });
    expect(row.inputs).toEqual({ messages: [{ role: "user", content: "hi" }] });
    expect(row.outputs).toEqual({ choices: [{ content: "ho" }] });
  });
});

describe("a span's place and values", () => {
  test("a parent and its child find each other by their spans' ids", () => {
    const parent = rowOf({});
    const child = rowOf({}, { spanId: "00f067aa0ba902b7", parentSpanId: "b7ad6b7169203331" });
    expect(parent).toMatchObject({ id: "8448eb21-1c80-319c-b7ad-6b7169203331", parent_run_id: null });
    expect(child.parent_run_id).toBe(parent.id);
    expect(parent.start_time).toBe("2026-01-01T00:00:00.123456Z");
    expect(parent.end_time).toBeNull();
  });

  test("the values of the platform's own exporter have priority", () => {
    const [root, own] = ["01a1f7e5-db90-7000-8000-0223211170d8", "01a1f7e5-db93-7000-8000-020e8018c65e"];
    const order = `20261120T073958736001Z${root}.20261120T073958739002Z${own}`;
    const row = rowOf({
      "langsmith.span.id": text(own),
      "langsmith.span.parent_id": text(root),
      "langsmith.span.dotted_order": text(order),
      "langsmith.trace.name": text("named"),
      "langsmith.span.tags": text("a, b"),
      "langsmith.trace.session_name": text("mine"),
      "langsmith.metadata.user": text("u"),
    });
    expect(row).toMatchObject({
      id: own,
      parent_run_id: root,
      dotted_order: order,
      name: "named",
      tags: ["a", "b"],
    });
    expect(row).toMatchObject({ session_name: "mine", extra: { metadata: { user: "u" } } });
    expect(rowOf({ "langsmith.trace.session_name": text("mine") }, {}, "asked").session_name).toBe("asked");
  });

  test("numbers keep their digits, or stay text", () => {
    const { extra } = rowOf({
      small: { intValue: "42" },
      large: { intValue: "9223372036854775807" },
      none: { doubleValue: "NaN" },
      yes: { boolValue: true },
    });
    expect(extra).toMatchObject({
      metadata: { small: 42, large: parseExact("9223372036854775807"), none: "NaN", yes: true },
    });
  });

  test("an error is read from an exception, else from the status", () => {
    const message = { "exception.message": text("boom"), "exception.stacktrace": text("at f") };
    const thrown = [{ name: "exception", attributes: attributes(message) }];
    const error = "boom\n\nStacktrace:\nat f";
    expect(rowOf({}, { events: thrown }).error).toBe(error);
    expect(rowOf({}, { status: { code: 2, message: "bad" }, events: thrown })).toMatchObject({
      error,
      extra: { metadata: { otel_status_description: "bad" } },
    });
    expect(rowOf({}, { status: { code: 2, message: "bad" } }).error).toBe("bad");
    expect(rowOf({}, { status: { code: "STATUS_CODE_ERROR" } }).error).toBe("error");
    expect(rowOf({}, { status: { code: 1 }, events: thrown }).error).toBeNull();
  });
});

describe("the members of a run", () => {
  const number = (doubleValue: number) => ({ doubleValue });
  const json = (value: unknown) => text(JSON.stringify(value));
  const choice = { "event.name": "gen_ai.choice", message: { content: "c" } };

  test.each<[string, Record<string, object>, object]>([
    ["a name", { "traceloop.entity.name": text("n") }, { name: "n" }],
    ["a tool's name", { "tool.name": text("n"), "openinference.span.kind": text("TOOL") }, { name: "n" }],
    [
      "metadata",
      {
        "traceloop.association.properties.user": text("u"),
        metadata: json({ a: 1 }),
        "llm.system": text("acme"),
        "llm.model_name": text("large"),
        "http.method": text("GET"),
      },
      {
        extra: {
          metadata: { user: "u", a: 1, ls_provider: "acme", ls_model_name: "large", "http.method": "GET" },
        },
      },
    ],
    [
      "documents",
      {
        "retrieval.documents.1.document.content": text("b"),
        "retrieval.documents.0.document.content": text("a"),
        "retrieval.documents.0.document.metadata": json({ page: 1 }),
      },
      { outputs: { documents: [{ page_content: "a", metadata: { page: 1 } }, { page_content: "b" }] } },
    ],
    [
      "Logfire",
      { prompt: text("p"), all_messages_events: json([{ role: "user" }]) },
      { inputs: { input: "p" }, outputs: { output: [{ role: "user" }] } },
    ],
    [
      "Logfire's events",
      { events: json([{ content: "hi" }, choice]) },
      { inputs: { input: [{ content: "hi" }] }, outputs: choice },
    ],
    [
      "parameters",
      {
        "gen_ai.request.model": text("m"),
        "gen_ai.request.temperature": number(0.5),
        "gen_ai.request.max_tokens": { intValue: 9 },
        "gen_ai.request.stop_sequences": json(["x"]),
        "gen_ai.tool.name": text("t"),
        "llm.frequency_penalty": number(1),
        "llm.invocation_parameters": json({ top_p: 1, temperature: 2 }),
        tools: json([{ name: "t" }]),
      },
      {
        extra: {
          invocation_params: {
            model: "m",
            temperature: 0.5,
            max_tokens: 9,
            stop: '["x"]',
            tool_name: "t",
            frequency_penalty: 1,
            top_p: 1,
            tools: [{ name: "t" }],
          },
          // What no member takes stays.
          metadata: { ls_model_name: "m", "llm.invocation_parameters": '{"top_p":1,"temperature":2}' },
        },
      },
    ],
    [
      "usage",
      {
        "gen_ai.usage.input_tokens": { intValue: "5" },
        "llm.token_count.total": { intValue: 7 },
        "gen_ai.usage.details.reasoning_tokens": { intValue: 2 },
        "gen_ai.usage.cost": number(0.1),
      },
      {
        extra: {
          metadata: {
            usage_metadata: { input_tokens: 5, total_tokens: 7, reasoning_tokens: 2, total_cost: 0.1 },
          },
        },
      },
    ],
  ])("are filled with %s", (_, values, expected) => {
    const row = rowOf(values);
    const { metadata, ...extra } = row.extra as { metadata: Record<string, unknown> };
    const { otel_trace_id, otel_span_id, ...own } = metadata;
    expect({ ...row, extra: { ...extra, metadata: own } }).toMatchObject(expected);
    const { extra: expectedExtra = {} } = expected as { extra?: object };
    expect({ metadata: {}, ...extra, ...(Object.keys(own).length > 0 && { metadata: own }) }).toEqual({
      metadata: {},
      ...("tool.name" in values && { metadata: { "openinference.span.kind": "TOOL" } }),
      ...expectedExtra,
    });
  });

  test.each<[string, Record<string, object>, object]>([
    ["gen_ai.content.prompt", { "gen_ai.prompt": json({ q: 1 }) }, { inputs: { q: 1 } }],
    ["gen_ai.content.completion", { "gen_ai.completion": text("c") }, { outputs: { output: "c" } }],
    [
      "gen_ai.system.message",
      { content: text("c") },
      { inputs: { messages: [{ role: "system", content: "c" }] } },
    ],
    [
      "gen_ai.tool.message",
      { content: text("c"), id: text("i") },
      { outputs: { messages: [{ role: "tool", content: "c", tool_call_id: "i" }] } },
    ],
    [
      "gen_ai.assistant.message",
      { "gen_ai.event.content": json({ role: "assistant", content: "c" }) },
      { outputs: { messages: [{ role: "assistant", content: "c" }] } },
    ],
    [
      "gen_ai.choice",
      {
        finish_reason: text("stop"),
        "message.content": text("c"),
        "tool_calls.0.function.name": text("f"),
        "gen_ai.system": text("acme"),
      },
      {
        outputs: {
          choices: [
            { finish_reason: "stop", message: { content: "c" }, tool_calls: [{ function: { name: "f" } }] },
          ],
        },
      },
    ],
  ])("are filled with an event %s", (name, values, expected) => {
    const { inputs, outputs } = rowOf({}, { events: [{ name, attributes: attributes(values) }] });
    expect({ inputs, outputs }).toEqual({ inputs: null, outputs: null, ...expected });
  });
});
