import { HOUR, SECOND } from "../engine/instant.ts";
import type { Members } from "../engine/json.ts";
import { isMembers, jsonOf } from "../engine/json.ts";
import {
  dropReplyMembers,
  type Mutant,
  mutantsOf,
  rewriteList,
  rewriteReplyBody,
  rewriteRequestBody,
  rewriteStatus,
  type SendWrapper,
  setReplyMembers,
  without,
} from "../engine/mutant.ts";
import {
  ADVANCE,
  CREATE,
  DESTINATION,
  INGEST,
  JSON_TYPE,
  LIST,
  READ,
  RUNS,
  replaceInCreate,
  rewriteCreateWhen,
  rewriteExportStatus,
  rewriteExports,
  rewriteSpawned,
  STOP,
  shiftTime,
} from "./routes.ts";

/** Once an export is cancelled, what else becomes of it. */
function rewriteAfterCancel(change: (body: Members) => Members): SendWrapper {
  return (next) => {
    const cancelled = new Set<string>();
    const rewritten = rewriteReplyBody(READ, (body) =>
      cancelled.has(String(body.id)) ? change(body) : body,
    )(next);
    return (request) => {
      if (request.method === "PATCH") cancelled.add(request.path.split("/").at(-1) ?? "");
      return rewritten(request);
    };
  };
}

/** Cancels the children of a schedule with it. */
const cancelChildren: SendWrapper = (next) => async (request) => {
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
const acknowledgeOnly: SendWrapper = (next) => async (request) => {
  if (request.method !== "PATCH") return next(request);
  const { body: _, ...rest } = request;
  const reply = await next({ ...rest, method: "GET" });
  const body = jsonOf(reply.text);
  return { ...reply, text: JSON.stringify({ ...(isMembers(body) ? body : {}), status: "CANCELLED" }) };
};

/** Nothing is done until rows have come in once more, as if only the second attempt had looked for them. */
const delayFaultedWork: SendWrapper = (next) => {
  let isFaultArmed = false;
  const rewritten = setReplyMembers(["GET", /\/faults\/[^/]+$/], { hits: 1 })(next);
  return async (request) => {
    if (request.path.endsWith("/faults")) isFaultArmed = true;
    const isWait = ADVANCE[1].test(request.path) && request.body?.startsWith('{"by"');
    return isFaultArmed && isWait ? { status: 200, headers: JSON_TYPE, text: "{}" } : rewritten(request);
  };
};

/** §3, §4.2 to §4.7 and §7.3: how exports go. */
export const LIFECYCLE_MUTANTS: readonly Mutant[] = [
  ...mutantsOf("3.1-1", {
    done: {
      wrongBehaviour: "the status of a completed export is DONE",
      send: rewriteExportStatus("COMPLETED", "DONE"),
    },
  }),
  ...mutantsOf("3.1-2", {
    ignored: { wrongBehaviour: "a cancelled export stays RUNNING", send: acknowledgeOnly },
  }),
  ...mutantsOf("3.1-3", {
    restarted: {
      wrongBehaviour: "a cancelled export continues",
      send: rewriteAfterCancel((body) => ({ ...body, status: "RUNNING" })),
    },
  }),
  ...mutantsOf("3.1-4", {
    "children-too": {
      wrongBehaviour: "cancelling a schedule cancels its spawned exports",
      send: cancelChildren,
    },
    "goes-on": {
      wrongBehaviour: "a cancelled schedule continues to spawn exports",
      send: (next) => rewriteAfterCancel((body) => ({ ...body, status: "CANCELLED" }))(acknowledgeOnly(next)),
    },
  }),
  ...mutantsOf("3.1-5", {
    hidden: {
      wrongBehaviour: "a failed export is COMPLETED",
      send: rewriteExportStatus("FAILED", "COMPLETED"),
    },
  }),
  ...mutantsOf("3.1-6", {
    early: {
      wrongBehaviour: "an export is COMPLETED with its first run",
      send: rewriteReplyBody(READ, (body) =>
        body.status === "RUNNING" ? { ...body, status: "COMPLETED" } : body,
      ),
    },
    never: { wrongBehaviour: "an export stays RUNNING", send: rewriteExportStatus("COMPLETED", "RUNNING") },
  }),
  ...mutantsOf("3.1-7", {
    failed: {
      wrongBehaviour: "an export that exceeds its timeout is FAILED",
      send: rewriteExportStatus("TIMEDOUT", "FAILED"),
    },
  }),
  ...mutantsOf("3.1-8", {
    "final-too": {
      wrongBehaviour: "a finished export can be cancelled",
      send: rewriteStatus(STOP, [409], 200, { id: "x" }),
    },
  }),
  ...mutantsOf("3.1-9", {
    "left-open": {
      wrongBehaviour: "sibling runs stay RUNNING",
      send: setReplyMembers(RUNS, { status: "RUNNING" }),
    },
  }),
  ...mutantsOf("3.3-1", {
    "hour-late": {
      wrongBehaviour: "the first window begins an hour late",
      send: rewriteSpawned((body) => ({ ...body, start_time: shiftTime(body.start_time, HOUR) })),
    },
  }),
  ...mutantsOf("3.3-2", {
    gap: {
      wrongBehaviour: "windows leave gaps of one second",
      send: rewriteSpawned((body) => ({ ...body, start_time: shiftTime(body.start_time, SECOND) })),
    },
    "from-now": {
      wrongBehaviour: "windows are counted from the current time",
      send: rewriteSpawned((body) => ({ ...body, start_time: shiftTime(body.created_at, -6 * HOUR) })),
    },
  }),
  ...mutantsOf("3.3-4", {
    "seven-hours": {
      wrongBehaviour: "a schedule of six hours runs every seven hours",
      send: replaceInCreate("interval_hours", 6, 7),
    },
  }),
  ...mutantsOf("3.3-5", {
    "looks-again": {
      wrongBehaviour: "a retried run reads as of its last attempt",
      mild: true,
      send: delayFaultedWork,
    },
    "late-lost": {
      wrongBehaviour: "rows ingested after the end of the window are not exported",
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
  ...mutantsOf("3.3-6", {
    "from-now": {
      wrongBehaviour: "past windows are not exported",
      send: rewriteCreateWhen(
        (body) => "interval_hours" in body,
        (body) => ({ ...body, start_time: "2026-03-02T00:00:00Z" }),
      ),
    },
  }),
  ...mutantsOf("3.3-7", {
    created: {
      wrongBehaviour: "a schedule is always CREATED",
      send: rewriteExports((body) => (body.interval_hours ? { ...body, status: "CREATED" } : body)),
    },
  }),
  ...mutantsOf("4.2-1", {
    renamed: {
      wrongBehaviour: "the id is named destination_id",
      send: rewriteReplyBody(DESTINATION, (body) => ({ ...without(body, "id"), destination_id: body.id })),
    },
  }),
  ...mutantsOf("4.3-1", {
    "no-id": { wrongBehaviour: "a new export has no id", send: dropReplyMembers(CREATE, "id") },
  }),
  ...mutantsOf("4.4-1", {
    stale: {
      wrongBehaviour: "reading an export returns its first state",
      send: setReplyMembers(READ, { status: "CREATED" }),
    },
  }),
  ...mutantsOf("4.5-1", {
    empty: { wrongBehaviour: "the list of runs is empty", send: rewriteList(RUNS, () => []) },
  }),
  ...mutantsOf("4.6-1", {
    "ten-only": {
      wrongBehaviour: "the list ends after ten exports",
      send: rewriteList(LIST, (all) => all.slice(0, 10)),
    },
    "no-creation": {
      wrongBehaviour: "listed exports have no created_at",
      send: dropReplyMembers(LIST, "created_at"),
    },
    "no-status": { wrongBehaviour: "listed exports have no status", send: dropReplyMembers(LIST, "status") },
  }),
  ...mutantsOf("4.7-1", {
    "not-allowed": {
      wrongBehaviour: "PATCH is refused",
      send: rewriteStatus(STOP, [200], 405, { detail: "PATCH" }),
    },
  }),
  ...mutantsOf("7.3-3", {
    "tried-again": {
      wrongBehaviour: "an export that exceeds its timeout continues",
      send: rewriteExportStatus("TIMEDOUT", "RUNNING"),
    },
  }),
  ...mutantsOf("7.3-4", {
    "too-large-again": {
      wrongBehaviour: "a file that is too large is uploaded repeatedly",
      send: rewriteRequestBody(["POST", /\/faults$/], (rule) =>
        JSON.stringify(rule).includes("EntityTooLarge") ? { ...rule, then: { s3_error: "SlowDown" } } : rule,
      ),
    },
    "tried-again": {
      wrongBehaviour: "an error of the store is retried",
      send: rewriteReplyBody(RUNS, (run) => ({
        ...run,
        errors: { ...(run.errors as Members), retry_1: "Storage" },
      })),
    },
  }),
  ...mutantsOf("7.3-5", {
    "tried-again": {
      wrongBehaviour: "a deleted destination is retried",
      send: rewriteExportStatus("FAILED", "RUNNING"),
    },
  }),
  ...mutantsOf("7.3-7", {
    "other-keys": {
      wrongBehaviour: "errors are under attempt_<n>",
      send: rewriteReplyBody(RUNS, (run) => ({ ...run, errors: renamed(run.errors, "attempt_") })),
    },
    none: { wrongBehaviour: "a failed run has no errors", send: setReplyMembers(RUNS, { errors: {} }) },
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
