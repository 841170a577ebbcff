import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { GetObjectCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { duck } from "../support/duckdb.ts";
import { DESTINATION, HEADERS, type Rig, startRig } from "../support/emulator.ts";
import { objectStore } from "../support/object-store.ts";

/** What JSON.parse would change: digits, `10.0`, the sign of zero, and the order of members named by integers. */
const DOCUMENT =
  '{"b":9007199254740993,"10":10.0,"2":[-0.0,1e2,0.10],"big":123456789012345678901234567890,"s":"\\"é😀"}';
const SPACED = DOCUMENT.replaceAll(/([:,])/g, "$1 ")
  .replace("é", "\\u00e9")
  .replace("😀", "\\ud83d\\ude00");
const PROJECT = "digits";
const DAY = "2026-02-25T00:00:00Z";
const NEXT_DAY = "2026-02-26T00:00:00Z";

let rig: Rig;

beforeAll(async () => {
  rig = await startRig();
});

afterAll(() => rig.close());

async function send(
  method: string,
  path: string,
  body: string,
  headers: object = {},
  url = rig.emulator.url,
) {
  const reply = await fetch(url + path, { method, headers: { ...HEADERS, ...headers }, body });
  return { status: reply.status, text: await reply.text() };
}

async function read(path: string, url = rig.emulator.url): Promise<string> {
  return (await fetch(url + path, { headers: HEADERS })).text();
}

/** The only file of an export, saved for DuckDB. */
async function savedFile(exportId: string): Promise<string> {
  const store = objectStore(rig.emulator.s3Url);
  const Bucket = "traces";
  const list = await store.send(
    new ListObjectsV2Command({ Bucket, Prefix: `exports/export_id=${exportId}` }),
  );
  expect(list.Contents).toHaveLength(1);
  const { Body } = await store.send(new GetObjectCommand({ Bucket, Key: list.Contents?.[0]?.Key }));
  const path = join(process.env.TMPDIR ?? ".", `${exportId}.parquet`);
  writeFileSync(path, (await Body?.transformToByteArray()) ?? "");
  return path;
}

const idOf = (ordinal: number) => `50000000-0000-4000-8000-${String(ordinal).padStart(12, "0")}`;

const members = (id: string, documents: string) =>
  `{"id":"${id}","session_name":"${PROJECT}","name":"n","run_type":"chain","start_time":"${DAY}",${documents}}`;

const columns = (text: string) =>
  `"inputs":${text},"outputs":[${text}],"extra":{"metadata":${text}},"events":[${text}]`;

function multipart(parts: Readonly<Record<string, string>>) {
  const body = Object.entries(parts).map(
    ([name, text]) =>
      `--x\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: application/json\r\n\r\n${text}\r\n`,
  );
  return {
    body: `${body.join("")}--x--\r\n`,
    headers: { "content-type": "multipart/form-data; boundary=x" },
  };
}

/** Each way in which a trace row arrives, with a text of the document. */
const ROUTES: readonly (readonly [string, (id: string, text: string) => Promise<{ status: number }>])[] = [
  ["POST /runs", (id, text) => send("POST", "/runs", members(id, columns(text)))],
  ["POST /runs/batch", (id, text) => send("POST", "/runs/batch", `{"post":[${members(id, columns(text))}]}`)],
  [
    "parts of POST /runs/multipart",
    (id, text) => {
      const { body, headers } = multipart({
        [`post.${id}`]: members(id, '"error":null'),
        [`post.${id}.inputs`]: text,
        [`post.${id}.outputs`]: `[${text}]`,
        [`post.${id}.extra`]: `{"metadata":${text}}`,
        [`post.${id}.events`]: `[${text}]`,
      });
      return send("POST", "/runs/multipart", body, headers);
    },
  ],
  [
    "PATCH /runs/{id}",
    async (id, text) => {
      await send("POST", "/runs", members(id, '"error":null'));
      return send("PATCH", `/runs/${id}`, `{${columns(text)}}`);
    },
  ],
  [
    "a patch that waits for its post",
    async (id, text) => {
      await send("PATCH", `/runs/${id}`, `{${columns(text)}}`);
      return send("POST", "/runs", members(id, '"error":null'));
    },
  ],
];
const FORMS = [DOCUMENT, SPACED];
const SENT = ROUTES.flatMap(([route, post], at) =>
  FORMS.map((text, form) => ({ route, post, text, id: idOf(at * FORMS.length + form + 1) })),
);

describe("a JSON column keeps its digits and the order of its members", () => {
  test.each(SENT)("by $route", async ({ post, text, id }) => {
    expect((await post(id, text)).status).toBeLessThan(300);
    const row = await read(`/api/v1/runs/${id}`);
    for (const column of columns(DOCUMENT).split(/,(?="(?:outputs|extra|events)")/))
      expect(row).toContain(column);
  });

  test.each(["v1", "v2_beta"])("in a file of format %s and in a fork", async (format_version) => {
    const { body } = await rig.call<{ id: string }>("POST", "/api/v1/bulk-exports/destinations", DESTINATION);
    const [project] = JSON.parse(await read(`/api/v1/sessions?name=${PROJECT}`)) as [{ id: string }];
    const reply = await rig.call<{ id: string }>("POST", "/api/v1/bulk-exports", {
      bulk_export_destination_id: body.id,
      session_id: project.id,
      start_time: DAY,
      end_time: NEXT_DAY,
      format_version,
    });
    const { id } = reply.body;
    await rig.emulator.clock.advance({ until: { export: id, status: "COMPLETED" } });
    expect(await rig.emulator.verifyExport(id)).toMatchObject({ ok: true });
    const file = await savedFile(id);
    const rows = await duck<{ inputs: string; events: string }>(
      `select inputs::varchar as inputs, events::varchar as events from read_parquet('${file}')`,
    );
    expect(new Set(rows.map((row) => row.inputs))).toEqual(new Set([DOCUMENT]));
    expect(new Set(rows.map((row) => row.events))).toEqual(new Set([`[${DOCUMENT}]`]));
    const fork = await rig.emulator.fork();
    expect(await read(`/api/v1/runs/${SENT[0]?.id}`, fork.url)).toContain(`"inputs":${DOCUMENT}`);
  });

  test.each([
    ["eq(metadata_value, 9007199254740993)", true],
    ["eq(metadata_value, 9007199254740992)", false],
    ["eq(metadata_value, 10)", true],
    [`and(eq(metadata_key, "10"), eq(metadata_value, "10"))`, true],
    [`has(metadata, '{"b": 9007199254740993}')`, true],
    [`has(metadata, '{"b": 9007199254740992}')`, false],
    [`has(metadata, '{"10": 10}')`, true],
    [`like(inputs, "%123456789012345678901234567890%")`, true],
  ])("the filter %s compares them: %s", async (filter, isFound) => {
    const [project] = JSON.parse(await read(`/api/v1/sessions?name=${PROJECT}`)) as [{ id: string }];
    const { body } = await rig.call<{ runs: readonly unknown[] }>("POST", "/runs/query", {
      session: [project.id],
      filter,
    });
    expect(body.runs.length > 0).toBe(isFound);
  });
});

test("the attributes of a span keep them", async () => {
  const spanId = "b7ad6b7169203331";
  const attributes = [
    ["input.value", `{"stringValue":${JSON.stringify(DOCUMENT)}}`],
    ["text", '{"intValue":"9007199254740993"}'],
    ["number", '{"intValue":9007199254740993}'],
    ["20", '{"doubleValue":10.0}'],
  ].map(([key, value]) => `{"key":"${key}","value":${value}}`);
  const span = `"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"${spanId}","name":"n","startTimeUnixNano":1771977600123456789`;
  const spans = `{"scopeSpans":[{"spans":[{${span},"attributes":[${attributes.join()}]}]}]}`;
  expect(await send("POST", "/otel/v1/traces", `{"resourceSpans":[${spans}]}`)).toMatchObject({
    status: 200,
  });
  const [project] = JSON.parse(await read("/api/v1/sessions?name=default")) as [{ id: string }];
  const rows = (await send("POST", "/runs/query", `{"session":["${project.id}"]}`)).text;
  expect(rows).toContain(`"inputs":${DOCUMENT}`);
  expect(rows).toContain('"text":9007199254740993,"number":9007199254740993,"20":10.0');
  expect(rows).toContain('"start_time":"2026-02-25T00:00:00.123456');
});

describe("a document of the agent server keeps them, too", () => {
  const payloads: string[] = [];
  const receiver = createServer((request, reply) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      payloads.push(body);
      reply.end();
    });
  });

  beforeAll(() => new Promise<void>((done) => void receiver.listen(0, "127.0.0.1", done)));
  afterAll(() => new Promise<void>((done) => void receiver.close(() => done())));

  test("thread metadata, state, run input, kwargs and webhook payload", async () => {
    const thread = await send("POST", "/threads", `{"metadata":${SPACED}}`);
    expect(thread.text).toContain(`"metadata":${DOCUMENT}`);
    const { thread_id } = JSON.parse(thread.text) as { thread_id: string };
    await send("POST", `/threads/${thread_id}/state`, `{"values":{"note":${DOCUMENT}}}`);
    expect(await read(`/threads/${thread_id}/state`)).toContain(`"note":${DOCUMENT}`);
    const { port } = receiver.address() as AddressInfo;
    const run = await send(
      "POST",
      `/threads/${thread_id}/runs`,
      `{"assistant_id":"agent","input":{"raw":${DOCUMENT}},"metadata":{"m":${DOCUMENT}},"webhook":"http://127.0.0.1:${port}/"}`,
    );
    expect(run.text).toContain(`"m":${DOCUMENT}`);
    await rig.emulator.clock.advance({ by: "1h" });
    const runs = await read(`/threads/${thread_id}/runs`);
    expect(runs).toContain(`"input":{"raw":${DOCUMENT}}`);
    expect(payloads).toEqual([expect.stringContaining(`"input":{"raw":${DOCUMENT}}`)]);
    const search = (value: string) => send("POST", "/threads/search", `{"metadata":{"b":${value}}}`);
    expect((await search("9007199254740993")).text).toContain(thread_id);
    expect((await search("9007199254740992")).text).toBe("[]");
  });

  test("feedback, of which the score is a number", async () => {
    const feedback = (score: string) =>
      `{"run_id":"${idOf(1)}","key":"k","score":${score},"value":${DOCUMENT},"correction":${DOCUMENT}}`;
    const { text } = await send("POST", "/feedback", feedback("1.0"));
    expect(text).toContain(`"score":1,"value":${DOCUMENT}`);
    expect(await send("POST", "/feedback", feedback("9007199254740993"))).toMatchObject({
      status: 422,
      text: expect.stringContaining("score: must be a number with at most 17 digits, not 9007199254740993"),
    });
  });
});

test.each([
  ["POST /threads", '{"metadata":{"a":[1e400]}}', "body.metadata.a[0]: the number is out of range"],
  ["POST /threads", '{"metadata":{"a":"\\ud83d"}}', "body.metadata.a: contains half of a surrogate pair"],
  [
    "POST /runs/wait",
    '{"assistant_id":"agent","input":{"n":-1e999}}',
    "body.input.n: the number is out of range",
  ],
  [
    "POST /runs",
    members(idOf(99), '"inputs":{"\\udc00":1}'),
    "body.inputs: contains half of a surrogate pair",
  ],
  [
    "POST /runs/batch",
    `{"post":[${members(idOf(99), '"outputs":{"a":1e400}')}]}`,
    "body.post[0].outputs.a: the number is",
  ],
  ["POST /bulk-exports/destinations", '{"display_name":10.0}', "body.display_name: must be a string"],
])("%s %s is refused and names the member", async (line, body, sentence) => {
  const [method = "", path = ""] = line.split(" ");
  const prefix = path.startsWith("/bulk") ? "/api/v1" : "";
  const reply = await send(method, prefix + path, body);
  expect(reply.status).toBe(422);
  expect(reply.text).toContain(sentence);
});

test("a part with half of a surrogate pair is refused by its name", async () => {
  const id = idOf(98);
  const { body, headers } = multipart({
    [`post.${id}`]: members(id, '"error":null'),
    [`post.${id}.inputs`]: '{"a":"\\udc00"}',
  });
  const reply = await send("POST", "/runs/multipart", body, headers);
  expect(reply).toMatchObject({
    status: 422,
    text: expect.stringContaining(`post.${id}.inputs.a: contains half`),
  });
});

test("an unknown member named by an integer is ignored with a warning", async () => {
  const init = { method: "POST", headers: HEADERS, body: '{"10":1}' };
  const reply = await fetch(`${rig.emulator.url}/threads`, init);
  expect(reply.headers.get("x-emulator-warning")).toContain("body.10");
});

test("10.0 is an integer where one is asked for", async () => {
  expect((await send("POST", "/assistants/search", '{"limit":1.0,"offset":0.0}')).status).toBe(200);
});
