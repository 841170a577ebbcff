import { HOUR, instantOf, iso, MINUTE } from "../../../contracts/engine/instant.ts";
import { isMembers, type Members } from "../../../contracts/engine/json.ts";
import {
  CREATE,
  DESTINATION,
  LIST,
  MADE_UP_EXPORT,
  RUNS,
  rewriteExportStatus,
  rewriteExports,
  rewriteSpawned,
  STOP,
} from "../routes.ts";
import { conforming, type Row, type SendWrapper } from "../row.ts";
import {
  renameMembers,
  rewriteList,
  rewriteReply,
  rewriteReplyBody,
  rewriteStatus,
  setReplyMembers,
} from "../wire.ts";

const progress = (change: (metadata: Members) => Members): SendWrapper =>
  setReplyMembers(RUNS, (run) => ({ metadata: change(run.metadata as Members) }));

const files = (change: (file: string) => unknown): SendWrapper =>
  progress((metadata) => ({ ...metadata, files: (metadata.files as readonly string[]).map(change) }));

const errorsOf = (run: Members) => (isMembers(run.errors) ? run.errors : {});

const rewriteErrors = (change: (errors: Members, run: Members) => unknown): SendWrapper =>
  setReplyMembers(RUNS, (run) => ({ errors: change(errorsOf(run), run) }));

/** Each schedule with the export of its next window, which is listed before it is due, and also after the schedule is cancelled. */
const listNext = rewriteList(LIST, (all) =>
  all.flatMap((each) => {
    if (!each.interval_hours) return [each];
    const children = all.filter(({ source_bulk_export_id }) => source_bulk_export_id === each.id);
    const start = Math.max(
      instantOf(each.start_time),
      ...children.map(({ end_time }) => instantOf(end_time)),
    );
    const window = { start_time: iso(start), end_time: iso(start + Number(each.interval_hours) * HOUR) };
    const id = String(each.id).replace(/.{12}$/, "0000000000aa");
    const source = { source_bulk_export_id: each.id, interval_hours: null, status: "CREATED" };
    return [each, { ...each, ...window, ...source, id }];
  }),
);

const isInterruption = (text: unknown) => /interruption|crash|restart/i.test(String(text));

/** A store that keeps another size than was written passes for a good one. */
const toleratesSizes: SendWrapper = (next) => {
  let isTolerant = false;
  const tolerant = rewriteExportStatus("FAILED", "COMPLETED")(next);
  return (request) => {
    if (DESTINATION[1].test(request.path) && /"endpoint_url":"http:..127/.test(request.body ?? ""))
      isTolerant = true;
    return (isTolerant ? tolerant : next)(request);
  };
};

/** An export that waits for a place says that it is RUNNING. */
const waitsRunning = rewriteExports((body) =>
  body.status === "CREATED" && !body.interval_hours ? { ...body, status: "RUNNING" } : body,
);

/** A project that nobody has heard of has no rows. */
const takesUnknownProjects = rewriteReply(CREATE, (reply) =>
  reply.status === 404 && /project/i.test(reply.text)
    ? { ...reply, status: 200, text: JSON.stringify(MADE_UP_EXPORT) }
    : reply,
);

/** §2.5, §2.6, §3 and §7.3: exports and their runs. */
export const EXPORT_SERVERS: readonly Row[] = conforming({
  "2.6-2: the members of the progress have other names": renameMembers(RUNS, {
    files: "parquet_files",
    latest_cursor: "position",
  }),
  "2.6-2: the members of the progress are in the run itself": rewriteReplyBody(
    RUNS,
    ({ metadata, ...run }) => ({
      ...run,
      ...(metadata as Members),
    }),
  ),
  "2.6-2: the cursor is an object": progress((metadata) => ({
    ...metadata,
    latest_cursor: metadata.latest_cursor === null ? null : { after: metadata.latest_cursor },
  })),
  "2.6-2: file paths do not have the bucket": files((file) => file.replace(/^[^/]+\//, "")),
  "2.6-2: file paths are s3:// URLs": files((file) => `s3://${file}`),
  "2.6-2: files are objects {path, rows}": files((path) => ({ path, rows: 1 })),
  "7.3-7: the first attempt is retry_1": rewriteErrors((errors) =>
    Object.fromEntries(
      Object.entries(errors).map(([key, text]) => [`retry_${Number(key.replace(/\D/g, "")) + 1}`, text]),
    ),
  ),
  "7.3-7: an infrastructure interruption is not recorded": rewriteErrors((errors) =>
    Object.fromEntries(Object.entries(errors).filter(([, text]) => !isInterruption(text))),
  ),
  "3.1-8: an export of a schedule is created before it is due": listNext,
  "3.1-8: cancelling a finished export is answered with 200": rewriteStatus(STOP, [409], 200, {}),
  "3.1-8: cancelling a finished export is answered with 400": rewriteStatus(STOP, [409], 400),
  "3.1-8: an export is RUNNING while it waits for a slot": waitsRunning,
  "3.1-8: a one-off export is CREATED for five seconds": {
    settings: { timings: { one_off_start_delay: "PT5S" } },
  },
  "3.1-8: a one-off export begins at once": { settings: { timings: { one_off_start_delay: "PT0S" } } },
  "3.1-8: a file takes twenty seconds": { settings: { timings: { file_duration: "PT20S" } } },
  "3.1-9: the other runs of a failed export are CANCELLED": rewriteReplyBody(RUNS, (run) =>
    (run.status === "FAILED" || run.status === "TIMEDOUT") && Object.keys(errorsOf(run)).length === 0
      ? { ...run, status: "CANCELLED" }
      : run,
  ),
  "3.3-7: a new schedule is RUNNING": rewriteExports((body) =>
    body.interval_hours && body.status === "CREATED" ? { ...body, status: "RUNNING" } : body,
  ),
  "3.3-7: a schedule is always CREATED": rewriteExports((body) =>
    body.interval_hours && body.status === "RUNNING" ? { ...body, status: "CREATED" } : body,
  ),
  "3.3-7: the creation time of a spawned export is the end of its window": rewriteSpawned((body) => ({
    ...body,
    created_at: iso(instantOf(body.created_at) - 10 * MINUTE),
  })),
  "2.8-2: a day without rows has no run": rewriteList(RUNS, (runs) =>
    runs.filter(({ status, rows_exported }) => status !== "COMPLETED" || rows_exported !== 0),
  ),
  "2.4-9: the size of a written file is requested, but a wrong size has no effect": toleratesSizes,
  "2.5-1: an export of an empty project is accepted": takesUnknownProjects,
  "4.6-1: exports are listed in the order of creation": rewriteList(["GET", /\/bulk-exports(\?|$)/], (all) =>
    [...all].reverse(),
  ),
});
