import type { Members } from "../engine/contract.ts";
import { HOUR, SECOND } from "../engine/instant.ts";
import { isMembers, jsonOf } from "../engine/json.ts";
import { lies, lists, type Mutant, status, tells, without } from "./mutant.ts";
import {
  ADVANCE,
  CREATE,
  DESTINATION,
  exportsTell,
  INGEST,
  JSON_TYPE,
  LIST,
  later,
  READ,
  RUNS,
  STOP,
  spawned,
  statusTold,
  type Wrap,
  when,
} from "./routes.ts";

/** Once an export is cancelled, what else becomes of it. */
function afterCancel(change: (body: Members) => Members): Wrap {
  return (next) => {
    const cancelled = new Set<string>();
    const told = tells(READ, (body) => (cancelled.has(String(body.id)) ? change(body) : body))(next);
    return (request) => {
      if (request.method === "PATCH") cancelled.add(request.path.split("/").at(-1) ?? "");
      return told(request);
    };
  };
}

/** Cancels the children of a schedule with it. */
const cancelsChildren: Wrap = (next) => async (request) => {
  const reply = await next(request);
  if (request.method !== "PATCH" || reply.status !== 200) return reply;
  const id = request.path.split("/").at(-1);
  const { body: _, ...rest } = request;
  const list = jsonOf(
    (await next({ ...rest, method: "GET", path: "/api/v1/bulk-exports" })).text,
  ) as readonly Members[];
  for (const child of list.filter(({ source_bulk_export_id }) => source_bulk_export_id === id))
    await next({ ...request, path: `/api/v1/bulk-exports/${String(child.id)}` });
  return reply;
};

/** Says that it cancels, and does not. */
const onlySays: Wrap = (next) => async (request) => {
  if (request.method !== "PATCH") return next(request);
  const { body: _, ...rest } = request;
  const reply = await next({ ...rest, method: "GET" });
  const body = jsonOf(reply.text);
  return { ...reply, text: JSON.stringify({ ...(isMembers(body) ? body : {}), status: "CANCELLED" }) };
};

/** Nothing is done until rows have come in once more, as if only the second attempt had looked for them. */
const readsAnew: Wrap = (next) => {
  let isStruck = false;
  const told = tells(["GET", /\/faults\/[^/]+$/], (rule) => ({ ...rule, hits: 1 }))(next);
  return async (request) => {
    if (request.path.endsWith("/faults")) isStruck = true;
    const isWait = ADVANCE[1].test(request.path) && request.body?.startsWith('{"by"');
    return isStruck && isWait ? { status: 200, headers: JSON_TYPE, text: "{}" } : told(request);
  };
};

/** §3, §4.2 to §4.7 and §7.3: how exports go. */
export const LIFE_MUTANTS: readonly Mutant[] = [
  ...lies("3.1-1", { done: { lie: "a completed export is DONE", send: statusTold("COMPLETED", "DONE") } }),
  ...lies("3.1-2", { ignored: { lie: "an export is not cancelled", send: onlySays } }),
  ...lies("3.1-3", {
    restarted: {
      lie: "a cancelled export goes on",
      send: afterCancel((body) => ({ ...body, status: "RUNNING" })),
    },
  }),
  ...lies("3.1-4", {
    "children-too": { lie: "what a schedule spawned is cancelled with it", send: cancelsChildren },
    "goes-on": {
      lie: "a cancelled schedule spawns on",
      send: (next) => afterCancel((body) => ({ ...body, status: "CANCELLED" }))(onlySays(next)),
    },
  }),
  ...lies("3.1-5", {
    hidden: { lie: "a failed export is COMPLETED", send: statusTold("FAILED", "COMPLETED") },
  }),
  ...lies("3.1-6", {
    early: {
      lie: "an export is COMPLETED with its first run",
      send: tells(READ, (body) => (body.status === "RUNNING" ? { ...body, status: "COMPLETED" } : body)),
    },
    never: { lie: "an export stays RUNNING", send: statusTold("COMPLETED", "RUNNING") },
  }),
  ...lies("3.1-7", {
    failed: { lie: "an export over its time is FAILED", send: statusTold("TIMEDOUT", "FAILED") },
  }),
  ...lies("3.1-8", {
    "final-too": { lie: "a final export can be cancelled", send: status(STOP, [409], 200, { id: "x" }) },
  }),
  ...lies("3.1-9", {
    "left-open": {
      lie: "sibling runs stay RUNNING",
      send: tells(RUNS, (run) => ({ ...run, status: "RUNNING" })),
    },
  }),
  ...lies("3.3-1", {
    "hour-late": {
      lie: "the first window begins an hour late",
      send: spawned((body) => ({ ...body, start_time: later(body.start_time, HOUR) })),
    },
  }),
  ...lies("3.3-2", {
    gap: {
      lie: "windows leave a second out",
      send: spawned((body) => ({ ...body, start_time: later(body.start_time, SECOND) })),
    },
    "from-now": {
      lie: "windows are counted from now",
      send: spawned((body) => ({ ...body, start_time: later(body.created_at, -6 * HOUR) })),
    },
  }),
  ...lies("3.3-4", {
    "seven-hours": {
      lie: "six hours are seven",
      send: when(
        (body) => body.interval_hours === 6,
        (body) => ({ ...body, interval_hours: 7 }),
      ),
    },
  }),
  ...lies("3.3-5", {
    "looks-again": { lie: "a retried run reads as of its last attempt", mild: true, send: readsAnew },
    "late-lost": {
      lie: "late rows are lost",
      send: (next) => {
        let batches = 0;
        return async (request) => {
          if (request.method !== "POST" || !INGEST[1].test(request.path) || ++batches !== 2)
            return next(request);
          return { status: 202, headers: JSON_TYPE, text: "{}" };
        };
      },
    },
  }),
  ...lies("3.3-6", {
    "from-now": {
      lie: "windows of the past are left out",
      send: when(
        (body) => "interval_hours" in body,
        (body) => ({ ...body, start_time: "2026-03-02T00:00:00Z" }),
      ),
    },
  }),
  ...lies("3.3-7", {
    created: {
      lie: "a schedule is always CREATED",
      send: exportsTell((body) => (body.interval_hours ? { ...body, status: "CREATED" } : body)),
    },
  }),
  ...lies("4.2-1", {
    renamed: {
      lie: "the id is called destination_id",
      send: tells(DESTINATION, (body) => ({ ...without(body, "id"), destination_id: body.id })),
    },
  }),
  ...lies("4.3-1", {
    "no-id": { lie: "a new export has no id", send: tells(CREATE, (body) => without(body, "id")) },
  }),
  ...lies("4.4-1", {
    stale: {
      lie: "an export is read as it was created",
      send: tells(READ, (body) => ({ ...body, status: "CREATED" })),
    },
  }),
  ...lies("4.5-1", { empty: { lie: "an export has no runs", send: lists(RUNS, () => []) } }),
  ...lies("4.6-1", {
    "ten-only": { lie: "ten exports are listed", send: lists(LIST, (all) => all.slice(0, 10)) },
    "no-creation": {
      lie: "the list leaves out created_at",
      send: tells(LIST, (body) => without(body, "created_at")),
    },
    "no-status": {
      lie: "the list leaves out the status",
      send: tells(LIST, (body) => without(body, "status")),
    },
  }),
  ...lies("4.7-1", {
    "not-allowed": { lie: "PATCH is not allowed", send: status(STOP, [200], 405, { detail: "PATCH" }) },
  }),
  ...lies("7.3-3", {
    "tried-again": { lie: "an export over its time goes on", send: statusTold("TIMEDOUT", "RUNNING") },
  }),
  ...lies("7.3-4", {
    "tried-again": {
      lie: "an error of the store is tried again",
      send: tells(RUNS, (run) => ({ ...run, errors: { ...(run.errors as Members), retry_1: "Storage" } })),
    },
  }),
  ...lies("7.3-5", {
    "tried-again": { lie: "a deleted destination is waited for", send: statusTold("FAILED", "RUNNING") },
  }),
  ...lies("7.3-7", {
    "other-keys": {
      lie: "errors stand under attempt_<n>",
      send: tells(RUNS, (run) => ({ ...run, errors: renamed(run.errors, "attempt_") })),
    },
    none: { lie: "errors are not told", send: tells(RUNS, (run) => ({ ...run, errors: {} })) },
  }),
];

function renamed(errors: unknown, prefix: string): Members {
  return Object.fromEntries(
    Object.entries(isMembers(errors) ? errors : {}).map(([key, text]) => [
      key.replace("retry_", prefix),
      text,
    ]),
  );
}
