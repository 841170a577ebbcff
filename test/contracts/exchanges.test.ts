import { describe, expect, it } from "vitest";
import type { RecordedExchange } from "../../contracts/engine/recorded.ts";
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

const runs = (count: number, more: object = {}) => Array.from({ length: count }, (_, n) => run(n, more));
const list = (query: string, body: unknown, status = 200) =>
  exchange("GET", RUNS + query, body, undefined, { status });

const SCHEDULE = { ...ORDER, end_time: undefined, interval_hours: 168 };
const ordered = (body: object, status = 200) =>
  exchange("POST", EXPORTS, status < 300 ? { id: idOf(3), status: "CREATED" } : { detail: "no" }, body, {
    status,
  });

const opened = (more: object, order: object = DESTINATION, status = 200) =>
  exchange("POST", `${EXPORTS}/destinations`, { id: idOf(1), ...more }, order, { status });
const start = (body: unknown, assistant_id = "agent") =>
  exchange("POST", `/thread/${THREAD}/runs`, body, { assistant_id });
const threadOf = (more: object, requestBody: object = {}) =>
  exchange("POST", "/threads", { ...NEW_THREAD, ...more }, requestBody);
const readExport = (id: string) => exchange("GET", `${EXPORTS}/${id}`, { id: idOf(3), status: "RUNNING" });
const exports = (...numbers: readonly number[]) =>
  exchange(
    "GET",
    EXPORTS,
    numbers.map((number) => ({ id: idOf(number), status: "CREATED" })),
  );
const search = (limit: number) => exchange("POST", "/assistants/search", [{}, {}], { limit, offset: 0 });
const without = (name: string) => ({ ...ORDER, [name]: undefined });

/** By what is wrong: the requirement, an exchange that must FAIL, and one that is almost the same and must not. */
const RULES: Readonly<Record<string, readonly [string, RecordedExchange, RecordedExchange]>> = {
  "more runs than limit": ["4.1-1", list("?limit=3", runs(4)), list("?limit=3", runs(3))],
  "more runs than the default limit": ["4.1-1", list("", runs(11)), list("", runs(10))],
  "a limit that is not a number": ["4.1-3", list("?limit=many", runs(1)), list("?limit=many", '"no"', 422)],
  "a run of another status": ["2.1-4", list("?status=error", runs(1)), list("?status=success", runs(1))],
  "a filter for running": ["2.1-4", list("?status=running", []), list("?status=running", '"no"', 422)],
  "an unknown status": ["2.1-4", list("?status=nonsense", []), list("?status=pending", [])],
  "an unselected field": [
    "4.1-2",
    list("?select=run_id", [{ run_id: idOf(1), status: "success" }]),
    list("?select=run_id&select=status", [{ run_id: idOf(1), status: "success" }]),
  ],
  "a selected field that is missing": [
    "4.1-2",
    list("?select=run_id&select=status", [{ run_id: idOf(1) }]),
    list("?select=run_id", [{ run_id: idOf(1) }]),
  ],
  "select that is ignored together with status": [
    "4.1-2",
    list("?status=success&select=run_id", runs(1)),
    list("?status=success&select=run_id", [{ run_id: idOf(1) }]),
  ],
  "a missing field without select": ["2.1-1", list("", [run(1, { kwargs: undefined })]), list("", [run(1)])],
  "an unknown field to select": ["4.1-2", list("?select=nonsense", []), list("?select=kwargs", [])],
  "a run of another thread": ["2.1-1", list("", runs(1, { thread_id: OTHER })), list("", runs(1))],
  "a run that is listed twice": ["4.1-1", list("", [run(1), run(1)]), list("", [run(1), run(2)])],
  "a run started on another thread": ["2.1-1", start(run(1, { thread_id: OTHER })), start(run(1))],
  "a run of another assistant": ["2.1-1", start(run(1), THREAD), start(run(1), OTHER)],
  "a created thread that is busy": ["3.2-1", threadOf({ status: "busy" }), threadOf({ status: "idle" })],
  "interval_hours 169": ["2.5-3", ordered({ ...SCHEDULE, interval_hours: 169 }), ordered(SCHEDULE)],
  "interval_hours 0": [
    "2.5-3",
    ordered({ ...SCHEDULE, interval_hours: 0 }),
    ordered({ ...SCHEDULE, interval_hours: 0 }, 422),
  ],
  "interval_hours 1.5": [
    "2.5-3",
    ordered({ ...SCHEDULE, interval_hours: 1.5 }),
    ordered({ ...SCHEDULE, interval_hours: 1 }),
  ],
  "end_time with interval_hours": [
    "2.5-2",
    ordered({ ...ORDER, interval_hours: 6 }),
    ordered({ ...ORDER, interval_hours: 6 }, 400),
  ],
  "neither end_time nor interval_hours": [
    "2.5-2",
    ordered(without("end_time")),
    ordered({ ...ORDER, interval_hours: null }),
  ],
  "an export without destination": ["2.5-1", ordered(without("bulk_export_destination_id")), ordered(ORDER)],
  "an export without project": ["2.5-1", ordered(without("session_id")), ordered(without("session_id"), 422)],
  "an export without start_time": ["2.5-1", ordered(without("start_time")), ordered(ORDER)],
  "a session_id that is not a UUID": [
    "2.5-1",
    ordered({ ...ORDER, session_id: "mine" }),
    ordered({ ...ORDER, session_id: idOf(2).toUpperCase() }),
  ],
  "a start_time that is not a time": [
    "2.5-1",
    ordered({ ...ORDER, start_time: "yesterday" }),
    ordered({ ...ORDER, start_time: "2026-01-01" }),
  ],
  "a filter that is not a string": [
    "2.5-1",
    ordered({ ...ORDER, filter: ["eq"] }),
    ordered({ ...ORDER, filter: null }),
  ],
  "an unknown column": [
    "2.5-5",
    ordered({ ...ORDER, export_fields: ["id", "nonsense"] }),
    ordered({ ...ORDER, export_fields: ["id", "is_root"] }),
  ],
  "another export": ["4.4-1", readExport(idOf(4)), readExport(idOf(3))],
  "a creation without an id": ["2.5-7", { ...ordered(ORDER), body: { status: "CREATED" } }, ordered(ORDER)],
  "an export that is listed twice": ["4.6-1", exports(1, 1), exports(1, 2)],
  "more assistants than limit": ["4.8-3", search(1), search(2)],
  "a destination without prefix": [
    "2.4-1",
    opened({}, { ...DESTINATION, config: { bucket_name: "traces" } }),
    opened({}, { ...DESTINATION, config: { bucket_name: "traces", prefix: "" } }),
  ],
  "a secret under another name": ["2.4-2", opened({ note: SECRET }), opened({ note: "files" })],
  "a secret within a text": [
    "2.4-2",
    opened({ url: `s3://${SECRET}@traces` }),
    opened({ url: "s3://traces" }),
  ],
  "a secret in a refusal": [
    "2.4-2",
    opened({ input: SECRET }, DESTINATION, 422),
    opened({ input: "***" }, DESTINATION, 422),
  ],
  "a key id under another name": ["2.4-2", opened({ owner: KEY_ID }), opened({ owner: "me" })],
  "unmasked credentials": [
    "2.4-2",
    opened({ credentials: DESTINATION.credentials }),
    opened({ credentials: { access_key_id: "AKIA****MPLE", secret_access_key: "********" } }),
  ],
};

const result = (exchange: RecordedExchange) =>
  expectContract(exchange).then(
    () => [],
    (error: Error & { readonly requirements: readonly string[] }) => error.requirements,
  );

describe.each(Object.entries(RULES))("%s", (_, [requirement, wrong, right]) => {
  it("is a violation", async () => {
    expect(await result(wrong)).toContain(requirement);
  });

  it("is not found where the exchange is right", async () => {
    expect(await result(right)).toEqual([]);
  });
});

/** What the specification does not show, so that another server may do it. */
const INNOCENT: Readonly<Record<string, RecordedExchange>> = {
  "a page that is shorter than limit, because the server has a lower maximum": list("?limit=5000", runs(100)),
  "a limit of 0 or below": list("?limit=0", runs(2)),
  "an empty limit, which means none or 0": list("?limit=", runs(12)),
  "a repeated limit": list("?limit=1&limit=2", runs(2)),
  "fields selected in the spelling of another client": list("?select[]=run_id", runs(1)),
  "fields selected with commas": list("?select=run_id,status", runs(1)),
  "a member that the specification does not define": list("?select=run_id", [
    { run_id: idOf(1), colour: "blue" },
  ]),
  "ids in capitals": list("", runs(1, { thread_id: THREAD.toUpperCase() })),
  "an assistant that is named by its graph": start(run(1), "agent"),
  "a busy thread, whose request has an id or more": threadOf(
    { status: "busy" },
    { thread_id: THREAD, if_exists: "do_nothing" },
  ),
  "a creation that answers only the id": { ...ordered(ORDER), body: { id: idOf(3) } },
  "a thread that was copied to another one": {
    ...threadOf({ thread_id: OTHER }),
    url: `/threads/${THREAD}/copy`,
  },
  "the reply to a cancellation, which is not shown": {
    ...readExport(idOf(3)),
    method: "PATCH",
    requestBody: { status: "Cancelled" },
  },
  "a longer page of a list whose limit is not shown": exchange(
    "POST",
    "/threads/search",
    [{ thread_id: THREAD }, { thread_id: OTHER }],
    { limit: 1 },
  ),
  "a short secret within another word": opened(
    { credentials_keys: ["secret_access_key"] },
    { ...DESTINATION, credentials: { access_key_id: "minioadmin", secret_access_key: "secret" } },
  ),
  "a key id that is also the name of the bucket": opened(
    { config: { bucket_name: "minioadmin", prefix: "" } },
    { ...DESTINATION, credentials: { access_key_id: "minioadmin", secret_access_key: "minioadmin" } },
  ),
  "an API key that is part of another word": {
    ...opened({ credentials_keys: ["secret_access_key"] }),
    requestHeaders: { "x-api-key": "secret", "x-tenant-id": OTHER },
  },
  "a refusal that names the key": opened({ detail: `Access denied for ${KEY_ID}` }, DESTINATION, 400),
  "a request that is not JSON": { ...ordered(ORDER), requestBody: "end_time=1" },
  "a request without its body": { ...ordered(ORDER), requestBody: undefined },
};

it.each(Object.entries(INNOCENT))("%s is not a violation", async (_, exchange) => {
  expect(await result(exchange)).toEqual([]);
});
