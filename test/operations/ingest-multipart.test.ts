import { request as httpRequest } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { Zstd } from "@hpcc-js/wasm-zstd";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HEADERS, type Rig, startRig } from "../support/emulator.ts";
import { BOUNDARY, FORM, formOf, type Part, runParts, uuid } from "./multipart.ts";

let rig: Rig;

beforeEach(async () => {
  rig = await startRig({ limits: { body_bytes: 200_000 } });
});

afterEach(() => rig.close());

async function send(body: Uint8Array, headers: Record<string, string> = {}, path = "/runs/multipart") {
  const reply = await fetch(rig.emulator.url + path, {
    method: "POST",
    headers: { ...HEADERS, "content-type": FORM, ...headers },
    body: new Uint8Array(body),
  });
  return { status: reply.status, detail: ((await reply.json()) as { detail?: string }).detail ?? "" };
}

const read = async (number: number) => (await rig.call("GET", `/runs/${uuid(number)}`)).body;
const projects = async () => (await rig.call<unknown[]>("GET", "/sessions")).body;

describe("POST /runs/multipart", () => {
  test("assembles rows from their parts in any order", async () => {
    const parts = [
      { name: `patch.${uuid(2)}`, content: '{"tags":["late"]}' },
      ...runParts(1, { outputs: { a: "ü😀" } }).reverse(),
      ...runParts(2),
      { name: `post.${uuid(2)}.error`, content: '"it broke"' },
      { name: `post.${uuid(2)}.events`, content: '[{"name":"start"}]' },
      { name: `post.${uuid(2)}.extra`, content: '{"metadata":{"k":1}}' },
      { name: `post.${uuid(2)}.serialized`, content: "{}" },
    ];
    expect((await send(formOf(parts), {}, "/api/v1/runs/multipart")).status).toBe(202);
    expect(await read(1)).toMatchObject({ name: "run 1", inputs: { q: 1 }, outputs: { a: "ü😀" } });
    expect(await read(2)).toMatchObject({
      error: "it broke",
      status: "error",
      events: [{ name: "start" }],
      extra: { metadata: { k: 1 } },
      tags: ["late"],
    });
  });

  test("stores feedback and ignores attachments", async () => {
    const file = Buffer.concat([Buffer.from([0, 255, 254]), Buffer.from(`\r\n--${BOUNDARY}\r\n`)]);
    const parts = [
      ...runParts(1),
      { name: `feedback.${uuid(9)}`, content: JSON.stringify({ run_id: uuid(1), key: "mood", score: true }) },
      { name: `attachment.${uuid(1)}.photo.png`, content: file, type: "image/png" },
    ];
    expect((await send(formOf(parts))).status).toBe(202);
    expect((await read(1)).feedback_stats).toEqual({ mood: { n: 1, avg: 1, values: {} } });
    const journal = await fetch(`${rig.emulator.url}/_emulator/v1/journal`).then((reply) => reply.text());
    expect(journal).toContain(`"name":"photo.png","content_type":"image/png","bytes":${file.length}`);
  });

  test("accepts parts without a length, unless a setting requires it", async () => {
    const parts = runParts(1).map((part) => ({ ...part, length: false as const }));
    expect((await send(formOf(parts))).status).toBe(202);
    expect(await read(1)).toMatchObject({ inputs: { q: 1 } });
    await rig.close();
    rig = await startRig({ assumptions: { "ingest.multipart_lengths": "required" } });
    const refusal = await send(formOf(parts));
    expect([refusal.status, refusal.detail]).toEqual([422, expect.stringContaining("must say its length")]);
  });

  test("refuses everything with one row outside the window, if there is one", async () => {
    const start_time = "2026-02-27T23:59:59.999Z";
    const parts = [...runParts(1, { start_time: "2026-03-01T23:00:00Z" }), ...runParts(2, { start_time })];
    expect((await send(formOf(parts))).status).toBe(202);
    await rig.close();
    rig = await startRig({ ingest: { window: "24h" } });
    const { status, detail } = await send(formOf(parts));
    expect([status, detail]).toEqual([
      422,
      expect.stringMatching(/start_time: 2026-02-27.+P1D.+ingest.window/),
    ]);
    expect(await projects()).toEqual([]);
    const run = { id: uuid(2), name: "run 2", run_type: "chain" };
    const patch = [{ id: uuid(2), start_time }];
    for (const [path, body] of [
      ["/runs", { ...run, start_time }],
      ["/runs/batch", { post: [{ ...run, start_time }] }],
      ["/runs/batch", { post: [run], patch }],
    ] as const)
      expect([path, (await rig.call("POST", path, body)).status]).toEqual([path, 422]);
    expect((await send(formOf(parts.slice(0, 2)))).status).toBe(202);
  });

  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["zstd", async (body: Buffer) => (await Zstd.load()).compress(body)],
  ])("accepts bodies compressed with %s", async (encoding, compress) => {
    const body = formOf(runParts(1, { inputs: { text: "word ".repeat(10_000) } }));
    expect((await send(await compress(body), { "content-encoding": encoding })).status).toBe(202);
    expect((await read(1)).inputs).toEqual({ text: "word ".repeat(10_000) });
  });

  test("accepts a body in small chunks", async () => {
    const body = formOf(runParts(1));
    const status = await new Promise((resolve, reject) => {
      const headers = { ...HEADERS, "content-type": FORM };
      const request = httpRequest(
        `${rig.emulator.url}/runs/multipart`,
        { method: "POST", headers },
        (reply) => {
          reply.resume();
          resolve(reply.statusCode);
        },
      );
      request.on("error", reject);
      for (let at = 0; at < body.length; at += 7) request.write(body.subarray(at, at + 7));
      request.end();
    });
    expect(status).toBe(202);
    expect(await read(1)).toMatchObject({ name: "run 1" });
  });

  const whole = formOf(runParts(1));
  const [post, inputs] = runParts(1) as [Part, Part];

  test.each([
    ["no boundary in the type", whole, { "content-type": "multipart/form-data" }, 422, "names no boundary"],
    ["another boundary", whole, { "content-type": "multipart/form-data; boundary=x" }, 422, "does not occur"],
    ["another media type", whole, { "content-type": "application/json" }, 415, "multipart/form-data"],
    ["an empty body", Buffer.alloc(0), {}, 422, "body is required"],
    ["a body that ends early", whole.subarray(0, -60), {}, 422, "do not end"],
    ["no last boundary", formOf(runParts(1), ""), {}, 422, "part"],
    [
      "a length that is too large",
      formOf([post, { ...inputs, length: 400 }]),
      {},
      422,
      "declares 400 bytes, but has 7",
    ],
    [
      "a length that is too small",
      formOf([post, { ...inputs, length: 3 }]),
      {},
      422,
      "declares 3 bytes, but has 7",
    ],
    ["a length that is none", formOf([{ ...post, length: Number.NaN }]), {}, 422, "has an ambiguous length"],
    [
      "a part without a name",
      Buffer.from(`--${BOUNDARY}\r\nContent-Type: text/plain\r\n\r\nx\r\n--${BOUNDARY}--`),
      {},
      422,
      "with a name",
    ],
    [
      "a header without a colon",
      Buffer.from(`--${BOUNDARY}\r\nnonsense\r\n\r\nx\r\n--${BOUNDARY}--`),
      {},
      422,
      "without a colon",
    ],
    [
      "headers without end",
      Buffer.from(`--${BOUNDARY}\r\nA: ${"x".repeat(9000)}\r\n\r\n`),
      {},
      422,
      "do not end within",
    ],
    [
      "a compressed part",
      formOf([{ ...post, headers: ["Content-Encoding: gzip"] }]),
      {},
      422,
      "Content-Encoding",
    ],
    ["a part of another kind", formOf([...runParts(1), { name: "put.x", content: "{}" }]), {}, 422, "put.x"],
    ["a part for no id", formOf([...runParts(1), { name: "post.7", content: "{}" }]), {}, 422, "post.7"],
    [
      "an unknown member",
      formOf([...runParts(1), { name: `post.${uuid(1)}.inptus`, content: "{}" }]),
      {},
      422,
      "inputs, outputs",
    ],
    ["the same part twice", formOf([...runParts(1), ...runParts(1)]), {}, 422, "stands twice"],
    [
      "members without their run",
      formOf([{ name: `post.${uuid(1)}.inputs`, content: "{}" }]),
      {},
      422,
      "is missing",
    ],
    [
      "another id in the run",
      formOf([
        { name: `post.${uuid(2)}`, content: JSON.stringify({ id: uuid(1), name: "x", run_type: "llm" }) },
      ]),
      {},
      422,
      "id in the part's name",
    ],
    ["JSON that is none", formOf([{ name: `post.${uuid(1)}`, content: "{" }]), {}, 422, "is not JSON"],
    [
      "JSON that is not UTF-8",
      formOf([{ name: `post.${uuid(1)}`, content: Buffer.from([0x22, 0xff, 0x22]) }]),
      {},
      422,
      "is not JSON",
    ],
    [
      "one unsound run among sound ones",
      formOf([...runParts(1), ...runParts(2, { run_type: 7 })]),
      {},
      422,
      "run_type",
    ],
    [
      "feedback without a key",
      formOf([...runParts(1), { name: `feedback.${uuid(3)}`, content: `{"run_id":"${uuid(1)}"}` }]),
      {},
      422,
      "key",
    ],
    ["gzip that is none", whole, { "content-encoding": "gzip" }, 415, "not gzip"],
    [
      "gzip that ends early",
      gzipSync(whole).subarray(0, -12),
      { "content-encoding": "gzip" },
      415,
      "not gzip",
    ],
    ["a gzip bomb", gzipSync(Buffer.alloc(50_000_000)), { "content-encoding": "gzip" }, 413, "larger"],
    ["zstd that is none", whole, { "content-encoding": "zstd" }, 415, "not zstd"],
    ["an unknown encoding", whole, { "content-encoding": "lzma" }, 415, "lzma"],
    [
      "a body that is too large",
      formOf(runParts(1, { inputs: { a: "x".repeat(300_000) } })),
      {},
      413,
      "larger",
    ],
    ["no key", whole, { "x-api-key": "" }, 401, "X-API-Key"],
  ])("refuses %s, and stores nothing", async (_, body, headers, status, says) => {
    const refusal = await send(body, headers as Record<string, string>);
    expect(refusal).toEqual({ status, detail: expect.stringContaining(says) });
    expect(await projects()).toEqual([]);
    expect((await send(formOf(runParts(5)))).status).toBe(202);
  });
});

describe("zstd", () => {
  const compress = async (body: Uint8Array) => Buffer.from((await Zstd.load()).compress(body));
  const post = (body: Uint8Array) => send(body, { "content-encoding": "zstd" });

  test("is refused as soon as it decompresses to more than the limit", async () => {
    expect(await post(await compress(Buffer.alloc(100_000_000)))).toMatchObject({ status: 413 });
    // Asks for a window of gigabytes in ten bytes.
    const greedy = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00]);
    expect(await post(greedy)).toMatchObject({ status: 413 });
  });

  test("that ends early is refused, wherever it ends", async () => {
    const body = await compress(formOf(runParts(1)));
    for (let length = 1; length < body.length; length += 11)
      expect((await post(body.subarray(0, length))).status).toBe(415);
  });

  test("may come in several frames", async () => {
    const body = formOf(runParts(1));
    const frames = [body.subarray(0, 100), body.subarray(100)].map(compress);
    expect((await post(Buffer.concat(await Promise.all(frames)))).status).toBe(202);
    expect(await read(1)).toMatchObject({ name: "run 1" });
  });
});
