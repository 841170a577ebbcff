import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { requireBounds } from "../../emulator/subjects/json-bounds.ts";
import { type Rig, startRig } from "../support/emulator.ts";

const WIDE = { json_levels: 500, json_values: 1_000_000, json_names: 1_000_000 };
const CONTROL = "/_emulator/v1/clock/advance";

let rig: Rig | undefined;
afterEach(async () => rig?.close());

function valuesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, inner) => sum + 1 + valuesIn(inner), 0);
}

function numbered(count: number, textOf: (number: number) => string): string {
  return Array.from({ length: count }, (_, number) => textOf(number)).join();
}

describe("requireBounds", () => {
  it("counts the items and members that JSON.parse would build", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(requireBounds(Buffer.from(text), WIDE)).toBe(valuesIn(JSON.parse(text)));
      }),
      { numRuns: 5 },
    );
  });

  it.each([
    ["a bracket in a text", '["[[[[[[", "\\"[[[[[["]', 2],
    ["a text without an end", '["abc', 1],
    ["text that is not JSON", "}}],,[", 3],
  ])("reads %s", (_, text, count) => {
    expect(requireBounds(Buffer.from(text), { ...WIDE, json_levels: 3 })).toBe(count);
  });

  it("counts a name once, and about 98 of 100 different ones", () => {
    const bounds = { ...WIDE, json_names: 50_000 };
    const many = `[${numbered(100_000, (number) => `{"a${number % 100}":0}`)}]`;
    expect(requireBounds(Buffer.from(many), bounds)).toBe(200_000);
    const different = `{${numbered(53_000, (number) => `"a${number}":0`)}}`;
    expect(() => requireBounds(Buffer.from(different), bounds)).toThrow(
      /different member names; at most 50000/,
    );
  });
});

describe("a body with too much in it is refused before anything is built, naming the setting", () => {
  const run = (number: number) => ({ id: idOf(number), name: "a", run_type: "llm", inputs: { a: 1 } });
  const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

  async function refusal(limits: object, path: string, body: unknown, headers?: Record<string, string>) {
    rig = await startRig({ limits });
    const { status, body: reply } = await rig.call("POST", path, body, headers);
    return `${status} ${JSON.stringify(reply)}`;
  }

  it.each([
    ["/threads/search", { metadata: { a: 1, b: 2 } }],
    ["/runs/batch", { post: [run(1)] }],
    ["/runs/batch", { post: [{ ...run(1), inputs: { a: 1.5, b: [{}] } }] }],
    ["/runs", run(1)],
    ["/otel/v1/traces", { resourceSpans: [{}, {}, {}] }],
    [CONTROL, [1, 2, 3]],
  ])("%s: list items and members", async (path, body) => {
    const text = JSON.stringify(body);
    expect(await refusal({ json_values: 2 }, path, text)).toMatch(/413 .*limits\.json_values/);
    await rig?.close();
    // As a client writes it that puts spaces between values.
    const spaced = JSON.stringify(body, null, 1);
    expect(await refusal({ json_values: 2 }, path, spaced)).toMatch(/413 .*limits\.json_values/);
  });

  it.each([
    ["/threads/search", `{"metadata":{${numbered(20, (number) => `"a${number}":0`)}}}`],
    ["/runs/batch", `{"post":[${numbered(20, (number) => `{"a${number}":0}`)}]}`],
  ])("%s: different names", async (path, body) => {
    expect(await refusal({ json_names: 10 }, path, body)).toMatch(/413 .*limits\.json_names/);
  });

  it("names of members that stay text do not count", async () => {
    const inputs = Object.fromEntries(Array.from({ length: 20 }, (_, number) => [`a${number}`, 0]));
    expect(await refusal({ json_names: 10 }, "/runs/batch", { post: [{ ...run(1), inputs }] })).toBe(
      "202 {}",
    );
  });

  it("/runs/multipart: all parts together", async () => {
    const parts = [1, 2].map((number) => {
      const text = JSON.stringify(run(number));
      return `--b\r\nContent-Disposition: form-data; name="post.${idOf(number)}"\r\nContent-Type: application/json; length=${text.length}\r\n\r\n${text}\r\n`;
    });
    const form = { "content-type": "multipart/form-data; boundary=b" };
    const body = `${parts.join("")}--b--\r\n`;
    expect(await refusal({ json_values: 9 }, "/runs/multipart", body, form)).toMatch(
      /413 .*limits\.json_values/,
    );
    await rig?.close();
    expect(await refusal({ json_values: 10 }, "/runs/multipart", body, form)).toBe("202 {}");
  });

  it("/otel/v1/traces: fields of protobuf", async () => {
    const limits = { json_values: 100, json_levels: 500 };
    rig = await startRig({ limits });
    const send = (bytes: Buffer) =>
      fetch(`${rig?.emulator.url}/otel/v1/traces`, {
        method: "POST",
        headers: { "x-api-key": "emulator-key", "content-type": "application/x-protobuf" },
        body: new Uint8Array(bytes),
      });
    const reply = await send(Buffer.alloc(400, Buffer.from([0x0a, 0])));
    expect([reply.status, await reply.text()]).toEqual([413, expect.stringContaining("limits.json_values")]);
    expect((await send(Buffer.alloc(100, Buffer.from([0x0a, 0])))).status).toBe(200);
  });

  it.each([
    ["/runs/batch", { post: [run(1)], patch: [run(2)] }],
    ["/otel/v1/traces", { resourceSpans: [{ scopeSpans: [{ spans: [{}, {}] }] }] }],
  ])("%s: rows of one request", async (path, body) => {
    expect(await refusal({ batch_items: 1 }, path, body)).toMatch(/413 .*limits\.batch_items/);
  });

  it("a batch with many problems is not read to its end", async () => {
    const reply = await refusal({}, "/runs/batch", `{"post":[${numbered(5_000, () => "{}")}]}`);
    expect(reply).toMatch(/^422 .*post\[0\]\.id: is required.*and at least 9\d\d more/);
  });
});
