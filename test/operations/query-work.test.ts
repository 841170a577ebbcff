import { expect, test } from "vitest";
import { startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";
import { uuid } from "./multipart.ts";

const rig = useRig("file", () => startRig());
const LARGE = 6_000_000;
const WINDOW = { min_start_time: "2026-02-01T00:00:00Z", max_start_time: "2026-03-01T00:00:00Z" };

/** A trace of two rows, of which one is too large for the filter of a turn. */
async function project(): Promise<string> {
  const row = (number: number, more: object) => ({
    id: uuid(number),
    name: `run ${number}`,
    run_type: "chain",
    session_name: "shop",
    start_time: `2026-02-20T00:00:0${number}Z`,
    ...more,
  });
  const root = row(1, { inputs: { text: "a".repeat(LARGE) }, extra: { metadata: { thread_id: "thread" } } });
  const child = row(2, { parent_run_id: uuid(1), trace_id: uuid(1), inputs: { text: "b" } });
  for (const each of [root, child]) expect((await rig.call("POST", "/runs", each)).status).toBe(202);
  return (await rig.call<{ id: string }[]>("GET", "/sessions?name=shop")).body[0]?.id ?? "";
}

/** The number of replies that an effect made. */
async function effects(): Promise<number> {
  const path = "/_emulator/v1/turns?kind=effect&text=runs.sum_up";
  return (await rig.call<{ items: unknown[] }>("GET", path)).body.items.length;
}

const query = (filter: string) => encodeURIComponent(filter);

test.each<[string, (session: string, filter: string) => [string, string, object?]]>([
  ["rows", (session, filter) => ["POST", "/runs/query", { session: [session], filter }]],
  [
    "rows (v2)",
    (session, filter) => [
      "POST",
      "/api/v2/runs/query",
      { project_ids: [session], filter, selects: ["NAME", "START_TIME"], ...WINDOW },
    ],
  ],
  [
    "traces",
    (session, filter) => [
      "POST",
      "/api/v2/traces/query",
      { project_id: session, trace_filter: filter, selects: ["NAME", "TOTAL_TOKENS"], ...WINDOW },
    ],
  ],
  [
    "traces of a tree",
    (session, filter) => [
      "POST",
      "/api/v2/traces/query",
      { project_id: session, tree_filter: filter, selects: ["NAME"], ...WINDOW },
    ],
  ],
  [
    "rows of a trace",
    (session, filter) => [
      "GET",
      `/api/v2/traces/${uuid(1)}/runs?project_id=${session}&selects=NAME&filter=${query(filter)}`,
    ],
  ],
  [
    "traces of a thread",
    (session, filter) => [
      "GET",
      `/api/v2/threads/thread/traces?project_id=${session}&selects=NAME&filter=${query(filter)}`,
    ],
  ],
])("a page of %s is the same when its filter takes too long for a turn", async (_, request) => {
  const session = await project();
  const inTurn = await rig.call(...request(session, 'like(name, "run%")'));
  expect([inTurn.status, inTurn.body.detail]).toEqual([200, undefined]);
  const before = await effects();
  const sliced = await rig.call(...request(session, 'or(like(inputs, "%a"), like(name, "run%"))'));
  expect(sliced.body).toEqual(inTurn.body);
  expect(await effects()).toBe(before + 1);
});

test("other requests are answered while a filter works", async () => {
  const session = await project();
  const clauses = Array.from({ length: 200 }, (_, nth) => `like(inputs, "%x${nth}%")`);
  let isPending = true;
  const reply = rig
    .call("POST", "/runs/query", { session: [session], filter: `or(${clauses.join()})` })
    .finally(() => {
      isPending = false;
    });
  let replies = 0;
  while (isPending) {
    await rig.call("GET", "/ok");
    replies += 1;
  }
  expect((await reply).body.runs).toEqual([]);
  expect(replies).toBeGreaterThan(5);
});
