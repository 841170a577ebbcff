import { describe, expect, it } from "vitest";
import type { RecordedExchange } from "../../contracts/engine/recorded.ts";
import { readRecording } from "../../contracts/engine/recordings/read-recording.ts";
import { contractReport, REPORTERS, writeReport } from "../../contracts/index.ts";
import { checkRecordings, type RecordingOptions } from "../../contracts/targets/check-recording.ts";
import { expectContract } from "../../contracts/targets/expect.ts";
import {
  DESTINATION,
  EXPORTS,
  exchange,
  idOf,
  KEY_ID,
  NEW_THREAD,
  ORDER,
  OTHER,
  RUNS,
  run,
  SECRET,
  THREAD,
} from "./recorded-bodies.ts";

const API_KEY = "lsv2_pt_0123456789abcdef";

const start = (number: number, more: object = {}, input: object = {}) =>
  exchange("POST", `/thread/${THREAD}/runs`, run(number, more), { assistant_id: "agent", input });
const list = (runs: readonly unknown[], query = "", more: object = {}) =>
  exchange("GET", RUNS + query, runs, undefined, more);
const newThread = (thread_id: string) => exchange("POST", "/threads", { ...NEW_THREAD, thread_id }, {});
const order = (number: number, more: object = {}) =>
  exchange("POST", EXPORTS, { id: idOf(number), status: "CREATED" }, { ...ORDER, ...more });
const read = (number: number, status: string, more: object = {}) =>
  exchange("GET", `${EXPORTS}/${idOf(number)}`, { id: idOf(number), status }, undefined, more);
const cancel = (number: number, more: object = {}) =>
  exchange(
    "PATCH",
    `${EXPORTS}/${idOf(number)}`,
    { id: idOf(number), status: "CANCELLED" },
    { status: "Cancelled" },
    more,
  );
const exports = (...numbers: readonly number[]) =>
  exchange(
    "GET",
    EXPORTS,
    numbers.map((number) => ({ id: idOf(number), status: "CREATED" })),
  );
const remove = exchange("DELETE", `/threads/${THREAD}`, undefined, undefined, { status: 204 });
const open = (secret: string) =>
  exchange(
    "POST",
    `${EXPORTS}/destinations`,
    { id: idOf(1) },
    { ...DESTINATION, credentials: { access_key_id: KEY_ID, secret_access_key: secret } },
  );
const viewOf = (note: string) => exchange("GET", `${EXPORTS}/destinations/${idOf(1)}`, { id: idOf(1), note });
const reset = exchange("POST", "/_emulator/v1/reset", {}, {});
const at = (host: string, { url, ...rest }: RecordedExchange) => ({ ...rest, url: `https://${host}${url}` });

const lines = (exchanges: readonly unknown[]) => exchanges.map((each) => JSON.stringify(each)).join("\n");

const check = (text: string, options?: RecordingOptions) =>
  checkRecordings([{ name: "seen.jsonl", entries: readRecording(text) }], options);

/** The requirements that the last exchange of a file violates. */
async function violated(exchanges: readonly unknown[]): Promise<readonly unknown[]> {
  const { results } = await check(lines(exchanges));
  const failed = (findings: (typeof results)[number]["findings"] = []) =>
    findings.filter(({ verdict }) => verdict === "FAIL").map(({ requirement }) => requirement);
  expect(results.slice(0, -1).flatMap(({ findings }) => failed(findings))).toEqual([]);
  return failed(results.at(-1)?.findings);
}

/** By what is wrong: the requirement, a file whose last exchange must FAIL, and one in which it must not. */
const RULES: Readonly<Record<string, readonly [string, readonly unknown[], readonly unknown[]]>> = {
  "a run that moves to another thread": [
    "2.1-1",
    [start(1), exchange("GET", `/threads/${OTHER}/runs`, [run(1, { thread_id: OTHER })])],
    [start(1), list([run(1)])],
  ],
  "a run whose assistant changes": [
    "2.1-1",
    [start(1), list([run(1, { assistant_id: THREAD })])],
    [start(1), list([run(1, { assistant_id: OTHER.toUpperCase() })])],
  ],
  "a run whose time of creation changes": [
    "2.1-1",
    [start(1), list([run(1, { created_at: "2026-01-01T00:01:00Z" })])],
    [start(1), list([run(1, { created_at: "2026-01-01T01:00:00.123+01:00" })])],
  ],
  "a run that is not listed": [
    "4.1-1",
    [start(1), start(2), list([run(2)])],
    [start(1), start(2), list([run(2), run(1)])],
  ],
  "a new run with the id of another": [
    "2.1-1",
    [start(1), start(1, {}, { a: 1 })],
    [start(1), start(2, {}, { a: 1 })],
  ],
  "a new thread with the id of another": [
    "2.2-1",
    [newThread(THREAD), newThread(THREAD)],
    [newThread(THREAD), newThread(OTHER)],
  ],
  "a new export with the id of another": [
    "2.5-7",
    [order(3), order(3, { filter: "eq(name, 1)" })],
    [order(3), order(4)],
  ],
  "an export that is not listed": [
    "4.6-1",
    [order(3), order(4), exports(4)],
    [order(3), order(4), exports(4, 3)],
  ],
  "a schedule that is not listed": [
    "4.6-1",
    [order(3, { end_time: null, interval_hours: 6 }), exports()],
    [order(3, { end_time: null, interval_hours: 6 }), exports(3)],
  ],
  "an export that cannot be read": [
    "4.4-1",
    [order(3), read(3, "CREATED", { status: 404, body: { detail: "no" } })],
    [read(4, "CREATED", { status: 404, body: { detail: "no" } })],
  ],
  "a cancelled export that continues": [
    "3.1-2",
    [cancel(3), read(3, "RUNNING")],
    [cancel(3), read(3, "CANCELLED")],
  ],
  "a cancelled export that is completed": [
    "3.1-3",
    [read(3, "CANCELLED"), read(3, "COMPLETED")],
    [read(3, "RUNNING"), read(3, "COMPLETED")],
  ],
  "an export that timed out and is running again": [
    "3.1-7",
    [read(3, "TIMEDOUT"), read(3, "RUNNING")],
    [read(3, "CREATED"), read(3, "RUNNING")],
  ],
  "credentials of an earlier request": [
    "2.4-2",
    [open(SECRET), viewOf(SECRET)],
    [open(SECRET), viewOf("files")],
  ],
};

describe.each(Object.entries(RULES))("%s", (_, [requirement, wrong, right]) => {
  it("is a violation", async () => {
    expect(await violated(wrong)).toContain(requirement);
  });

  it("is not found where the exchanges are right", async () => {
    expect(await violated(right)).toEqual([]);
  });
});

/** Files in which the last exchange can be right, although earlier ones suggest otherwise. */
const INNOCENT: Readonly<Record<string, readonly unknown[]>> = {
  "a run whose thread was deleted": [start(1), remove, list([])],
  "a run that a later one rolled back": [
    start(1),
    exchange("POST", `/thread/${THREAD}/runs`, run(2), {
      assistant_id: "agent",
      multitask_strategy: "rollback",
    }),
    list([run(2)]),
  ],
  "a run on another page": [start(1), list([], "?offset=10")],
  "a run of another status": [start(1), list([], "?status=error")],
  "a run without its id": [start(1), list([{ status: "pending" }], "?select=status")],
  "a run of another workspace": [start(1), list([], "", { requestHeaders: { "x-tenant-id": OTHER } })],
  "a run of another server": [at("one.test", start(1)), at("two.test", list([]))],
  "a run before the server was reset": [start(1), reset, list([])],
  "a full page": [
    ...Array.from({ length: 11 }, (_, n) => start(n + 1)),
    list(Array.from({ length: 10 }, (_, n) => run(n + 2))),
  ],
  "a request that was repeated": [order(3), order(3)],
  "a cancellation that was too late": [cancel(3), read(3, "COMPLETED")],
  "a completed export that is FAILED afterwards, which is not shown": [
    read(3, "COMPLETED"),
    read(3, "FAILED"),
  ],
  "a cancellation that was refused": [cancel(3, { status: 409, body: { detail: "no" } }), read(3, "RUNNING")],
};

it.each(Object.entries(INNOCENT))("%s is not a violation", async (_, exchanges) => {
  expect(await violated(exchanges)).toEqual([]);
});

const pairs = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

/** An exchange in the form of a browser. */
function harEntry(
  { method, url, requestHeaders = {}, requestBody, status, body }: RecordedExchange,
  more: object = {},
) {
  return {
    startedDateTime: "2026-01-01T00:00:00.000Z",
    time: 20,
    request: {
      method,
      url: `https://api.test${url}`,
      headers: pairs(requestHeaders),
      ...(requestBody !== undefined && {
        postData: { mimeType: "application/json", text: JSON.stringify(requestBody) },
      }),
    },
    response: {
      status,
      headers: pairs({ "Content-Type": "application/json" }),
      content: { size: 1, mimeType: "application/json", text: JSON.stringify(body) },
    },
    ...more,
  };
}
const har = (...entries: readonly object[]) => JSON.stringify({ log: { version: "1.2", entries } }, null, 1);

const verdicts = async (text: string, options?: RecordingOptions) =>
  (await check(text, options)).results.map(({ id, verdict }) => [id, verdict]);

describe("a HAR file", () => {
  it("is checked in the order of its requests; bodies may be in base64", async () => {
    const first = harEntry(start(1), { startedDateTime: "2025-12-31T00:00:00Z" });
    const encoded = harEntry(list([run(1, { status: "unknown" })]));
    const { text } = encoded.response.content;
    const content = { size: 9, encoding: "base64", text: Buffer.from(text).toString("base64") };
    const text2 = har({ ...encoded, response: { ...encoded.response, content } }, harEntry(list([])), first);
    expect(await verdicts(text2)).toEqual([
      ["4.8/seen.jsonl:3", "PASS"],
      ["4.1/seen.jsonl:1", "FAIL"],
      ["4.1/seen.jsonl:2", "FAIL"],
    ]);
  });

  it("may have requests at the same time, of which neither must see the other", async () => {
    const slow = harEntry(start(1), { time: 5_000 });
    const during = harEntry(list([]), { startedDateTime: "2026-01-01T00:00:01Z" });
    const after = harEntry(list([]), { startedDateTime: "2026-01-01T00:00:06Z" });
    expect((await verdicts(har(slow, during, after))).map(([, verdict]) => verdict)).toEqual([
      "PASS",
      "PASS",
      "FAIL",
    ]);
  });

  it("reports what it cannot check, and counts the requests to others", async () => {
    const bodyless = harEntry(list([]), { response: { status: 200, headers: [], content: { size: 20 } } });
    const aborted = harEntry(list([]), { response: { status: 0, headers: [], content: {} } });
    const cut = harEntry(list([]), {
      response: { status: 200, headers: [], content: { size: 20, text: '[{"run' } },
    });
    const gzip = { size: 20, encoding: "base64", text: "H4sIAAAAAAAAA4uOBQApu0wNAgAAAA==" };
    const packed = harEntry(list([]), {
      response: { status: 200, headers: pairs({ "Content-Encoding": "gzip" }), content: gzip },
    });
    const cached = harEntry(list([run(1), run(1)]), { _fromCache: "disk" });
    const elsewhere = harEntry(exchange("GET", "/style.css", "a{}"));
    const bare = harEntry(list([]));
    const last = { ...bare, response: { ...bare.response, headers: [] } };
    const report = await check(har(bodyless, aborted, cut, packed, cached, elsewhere, last), {
      profile: "spec",
    });
    expect(report.results.map(({ verdict, findings }) => [verdict, findings[0]?.text])).toEqual([
      ["UNSUPPORTED", "the reply body was not recorded"],
      ["UNSUPPORTED", "the exchange has no reply"],
      ["UNSUPPORTED", "the reply body was recorded only in part"],
      ["UNSUPPORTED", "the reply body is recorded in a compressed form"],
      ["UNSUPPORTED", "the reply is from the cache of the browser, not from the server"],
      ["PASS", undefined],
    ]);
    const text = writeReport(contractReport(report, false), "pretty");
    expect(text).toContain("1 of 7 exchanges are not requests to the API");
    expect(text).toContain("Not checked: 5 of 6 exchanges. By section, with the reasons");
    expect(text).toMatch(/6 exchanges of the API, [\d.]+ s\n/);
  });

  it("can be limited to some servers, whose addresses may have a path", async () => {
    const [one, two] = [harEntry(list([])), harEntry(list([run(1, { status: 7 })]))];
    const prefixed = { ...one, request: { ...one.request, url: `https://proxy.test/agent${RUNS}` } };
    expect(await verdicts(har(prefixed, two), { addresses: ["https://proxy.test/agent"] })).toEqual([
      ["4.1/seen.jsonl:1", "PASS"],
    ]);
    expect(await verdicts(har(prefixed, two))).toEqual([["4.1/seen.jsonl:2", "FAIL"]]);
    expect(await verdicts(har(two), { addresses: ["https://api.tes"] })).toEqual([]);
  });
});

it("bodies that are nested too deep are reported as not checked", async () => {
  const deep = "[".repeat(200_000) + "]".repeat(200_000);
  const entries = [
    { ...list([]), body: deep },
    { ...order(3), requestBody: `{"credentials":{"a":${deep}},"b":${deep}}` },
    { ...list([]), body: `[{"note":"${"[".repeat(1000)}\\""}]` },
  ];
  expect((await verdicts(lines(entries))).map(([, verdict]) => verdict)).toEqual([
    "UNSUPPORTED",
    "UNSUPPORTED",
    "FAIL",
  ]);
  await expect(expectContract({ ...list([]), body: deep })).rejects.toThrow(
    /cannot be checked: the JSON of a body/,
  );
  const text = lines([{ ...list([]), body: "deep" }]).replace('"deep"', deep);
  expect(() => readRecording(text)).toThrow("more than 500 levels deep");
});

describe("a file that cannot be read", () => {
  it.each([
    ["", "the file does not have a format that can be checked; give a HAR file"],
    ["[]", "the file does not have a format that can be checked; give a HAR file"],
    ['{\n "log": {\n  "entries": [ secret-key ]\n }\n}', "line 3 is not valid JSON; give a HAR file"],
    ['{\n "log": {\n  "entries": [', "line 3 is not valid JSON"],
    ['{"log": {}}', "no list of entries"],
    ['{"log": {"entries": [{}]}}', "entry 1 has no request or no response"],
    [har(harEntry(list([])), { request: {}, response: {} }), "entry 2 has no method, url or status"],
    [`${lines([list([])])}\n{"method"`, "line 2 is not a JSON object"],
    [lines([list([]), { method: "GET" }]), "line 2 has no method, path or status"],
  ])("is refused, and the message names the place but not the content: %j", (text, message) => {
    expect(() => readRecording(text)).toThrow(message);
    expect(() => readRecording(text)).not.toThrow("secret-key");
  });
});

it("no report contains secrets, wherever they are in the file", async () => {
  const requestHeaders = {
    "X-Api-Key": API_KEY,
    Authorization: "Bearer token-of-a-user",
    Cookie: "theme=dark; session=cookie-of-a-user",
    "X-Tenant-Id": OTHER,
  };
  const leaking = { ...viewOf(`${SECRET} ${API_KEY} token-of-a-user cookie-of-a-user`), requestHeaders };
  const text = har(
    harEntry({ ...leaking, url: `${leaking.url}?token=of-a-url` }),
    harEntry({ ...open(SECRET), requestHeaders }),
    harEntry({ ...leaking, body: { id: 7, note: [SECRET] } }),
  );
  const report = await check(text);
  expect(report.results.map(({ verdict }) => verdict)).toContain("FAIL");
  for (const reporter of REPORTERS) {
    const written = writeReport(contractReport(report, true, true), reporter);
    expect(written).toContain("2.4-2");
    expect(written).not.toMatch(/wJalrXUtnFEMI|0123456789abcdef|of-a-user|of-a-url/);
  }
});

it("the report counts the statements that exchanges do not decide, and names the line of a finding", async () => {
  const report = await check(lines([order(3), { ...order(4), body: [] }]));
  expect(report.results[0]?.checkedRequirements).toContain("2.5-3");
  expect(report.results[0]?.checkedRequirements).not.toContain("2.5-4");
  expect(report.recorded).toMatchObject({ exchanges: 2, foreign: 0, undecided: { "2.5-4": 2, "2.5-6": 2 } });
  const failure = report.results.find(({ verdict }) => verdict === "FAIL");
  expect(failure?.file).toEqual({ path: "seen.jsonl", line: 2 });
});
