import { describe, expect, test } from "vitest";
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

  test("numbers keep their exactness, or stay text", () => {
    const { extra } = rowOf({
      small: { intValue: "42" },
      large: { intValue: "9223372036854775807" },
      none: { doubleValue: "NaN" },
      yes: { boolValue: true },
    });
    expect(extra).toMatchObject({
      metadata: { small: 42, large: "9223372036854775807", none: "NaN", yes: true },
    });
  });

  test("an error is read from the status, else from the exception", () => {
    const thrown = [{ name: "exception", attributes: attributes({ "exception.message": text("boom") }) }];
    expect(rowOf({}, { status: { code: 2, message: "bad" }, events: thrown }).error).toBe("bad");
    expect(rowOf({}, { status: { code: 2 }, events: thrown }).error).toBe("boom");
    expect(rowOf({}, { status: { code: "STATUS_CODE_ERROR" } }).error).toBe("error");
    expect(rowOf({}, { status: { code: 1 }, events: thrown }).error).toBeNull();
  });
});
