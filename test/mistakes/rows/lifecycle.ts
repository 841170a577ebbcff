import { HOUR, SECOND } from "../../../contracts/engine/instant.ts";
import type { Members } from "../../../contracts/engine/json.ts";
import { isMembers, jsonOf } from "../../../contracts/engine/json.ts";
import {
  ADVANCE,
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
} from "../routes.ts";
import { differences, mistakes, type Row, type SendWrapper } from "../row.ts";
import {
  dropReplyMembers,
  rewriteList,
  rewriteReplyBody,
  rewriteRequestBody,
  rewriteStatus,
  setReplyMembers,
} from "../wire.ts";

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
export const LIFECYCLE_MISTAKES: readonly Row[] = [
  ...mistakes({
    "3.1-2: a cancelled export stays RUNNING": acknowledgeOnly,
    "3.1-3: a cancelled export continues": rewriteAfterCancel((body) => ({ ...body, status: "RUNNING" })),
    "3.1-4: cancelling a schedule cancels its spawned exports": cancelChildren,
    "3.1-4: a cancelled schedule continues to spawn exports": (next) =>
      rewriteAfterCancel((body) => ({ ...body, status: "CANCELLED" }))(acknowledgeOnly(next)),
    "3.1-6: an export is COMPLETED with its first run": rewriteReplyBody(READ, (body) =>
      body.status === "RUNNING" ? { ...body, status: "COMPLETED" } : body,
    ),
    "3.1-6: an export stays RUNNING": rewriteExportStatus("COMPLETED", "RUNNING"),
    "3.1-8: a finished export can be cancelled": rewriteStatus(STOP, [409], 200, { id: "x" }),
    "3.1-9: sibling runs stay RUNNING": setReplyMembers(RUNS, { status: "RUNNING" }),
    "3.3-1: the first window begins an hour late": rewriteSpawned((body) => ({
      ...body,
      start_time: shiftTime(body.start_time, HOUR),
    })),
    "3.3-2: windows leave gaps of one second": rewriteSpawned((body) => ({
      ...body,
      start_time: shiftTime(body.start_time, SECOND),
    })),
    "3.3-2: windows are counted from the current time": rewriteSpawned((body) => ({
      ...body,
      start_time: shiftTime(body.created_at, -6 * HOUR),
    })),
    "3.3-4: a schedule of six hours runs every seven hours": replaceInCreate("interval_hours", 6, 7),
    "3.3-5: rows ingested after the end of the window are not exported": (next) => {
      let batches = 0;
      return async (request) => {
        if (request.method !== "POST" || !INGEST[1].test(request.path) || ++batches !== 2)
          return next(request);
        return { status: 202, headers: JSON_TYPE, text: "{}" };
      };
    },
    "3.3-6: past windows are not exported": rewriteCreateWhen(
      (body) => "interval_hours" in body,
      (body) => ({ ...body, start_time: "2026-03-02T00:00:00Z" }),
    ),
    "3.3-7: a schedule is always CREATED": rewriteExports((body) =>
      body.interval_hours ? { ...body, status: "CREATED" } : body,
    ),
    "4.4-1: reading an export returns its first state": setReplyMembers(READ, { status: "CREATED" }),
    "4.5-1: the list of runs is empty": rewriteList(RUNS, () => []),
    "3.3/windows-168: an interval of 168 hours lasts 167": replaceInCreate("interval_hours", 168, 167),
    "4.6-1: schedules are missing from the list": rewriteList(LIST, (all) =>
      all.filter((each) => !each.interval_hours),
    ),
    "4.6-1: the list ends after ten exports": rewriteList(LIST, (all) => all.slice(0, 10)),
    "4.6-1: listed exports have no created_at": dropReplyMembers(LIST, "created_at"),
    "7.3-3: an export that exceeds its timeout continues": rewriteExportStatus("TIMEDOUT", "RUNNING"),
    "7.3-4: a file that is too large is uploaded repeatedly": rewriteRequestBody(
      ["POST", /\/faults$/],
      (rule) =>
        JSON.stringify(rule).includes("EntityTooLarge") ? { ...rule, then: { s3_error: "SlowDown" } } : rule,
    ),
    "7.3-7: errors are under attempt_<n>": setReplyMembers(RUNS, (run) => ({
      errors: renamed(run.errors, "attempt_"),
    })),
    "7.3-7: a failed run has no errors": setReplyMembers(RUNS, { errors: {} }),
  }),
  ...differences({ "3.3-5: a retried run reads as of its last attempt": delayFaultedWork }),
];

function renamed(errors: unknown, prefix: string): Members {
  return Object.fromEntries(
    Object.entries(isMembers(errors) ? errors : {}).map(([key, text]) => [
      key.replace("retry_", prefix),
      text,
    ]),
  );
}
