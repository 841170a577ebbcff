import { HOUR, instantOf, iso, MINUTE } from "../engine/instant.ts";
import { isMembers, type Members } from "../engine/json.ts";
import {
  rewriteList,
  rewriteReply,
  rewriteReplyBody,
  rewriteStatus,
  type SendWrapper,
  without,
} from "../engine/mutant.ts";
import { type Variant, variantsOf } from "../engine/variant.ts";
import {
  CREATE,
  DESTINATION,
  LIST,
  RUNS,
  rewriteExportStatus,
  rewriteExports,
  rewriteSpawned,
  STOP,
} from "../mutants/routes.ts";
import { MADE_UP_EXPORT, renameMembers } from "./changes.ts";

const progress = (change: (metadata: Members) => Members): SendWrapper =>
  rewriteReplyBody(RUNS, (run) => ({ ...run, metadata: change(run.metadata as Members) }));

const files = (change: (file: string) => unknown): SendWrapper =>
  progress((metadata) => ({ ...metadata, files: (metadata.files as readonly string[]).map(change) }));

const errorsOf = (run: Members) => (isMembers(run.errors) ? run.errors : {});

const rewriteErrors = (change: (errors: Members, run: Members) => unknown): SendWrapper =>
  rewriteReplyBody(RUNS, (run) => ({ ...run, errors: change(errorsOf(run), run) }));

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
export const EXPORT_VARIANTS: readonly Variant[] = [
  ...variantsOf("2.6-2", {
    "files-renamed": {
      differs: "the files of a run are named parquet_files",
      send: renameMembers(RUNS, { files: "parquet_files" }),
    },
    "rows-renamed": {
      differs: "the rows of a run are named row_count",
      send: renameMembers(RUNS, { rows_exported: "row_count" }),
    },
    "progress-renamed": {
      differs: "the progress is named progress, and its cursor is named position",
      send: renameMembers(RUNS, { metadata: "progress", latest_cursor: "position" }),
    },
    "progress-flat": {
      differs: "the members of the progress are in the run itself",
      send: rewriteReplyBody(RUNS, ({ metadata, ...run }) => ({ ...run, ...(metadata as Members) })),
    },
    "run-renamed": {
      differs: "a run has run_id, state and started",
      send: renameMembers(RUNS, { id: "run_id", status: "state", created_at: "creation" }),
    },
    "cursor-object": {
      differs: "the cursor is an object",
      send: progress((metadata) => ({
        ...metadata,
        latest_cursor: metadata.latest_cursor === null ? null : { after: metadata.latest_cursor },
      })),
    },
    "files-as-keys": {
      differs: "file paths do not have the bucket",
      send: files((file) => file.replace(/^[^/]+\//, "")),
    },
    "files-as-uris": { differs: "file paths are s3:// URLs", send: files((file) => `s3://${file}`) },
    "files-as-objects": {
      differs: "files are objects {path, rows}",
      send: files((path) => ({ path, rows: 1 })),
    },
  }),
  ...variantsOf("7.3-7", {
    "from-retry-1": {
      differs: "the first attempt is retry_1",
      send: rewriteErrors((errors) =>
        Object.fromEntries(
          Object.entries(errors).map(([key, text]) => [`retry_${Number(key.replace(/\D/g, "")) + 1}`, text]),
        ),
      ),
    },
    "interruption-unrecorded": {
      differs: "an infrastructure interruption is not recorded",
      send: rewriteErrors((errors) =>
        Object.fromEntries(Object.entries(errors).filter(([, text]) => !isInterruption(text))),
      ),
    },
  }),
  ...variantsOf("3.1-8", {
    "next-listed": { differs: "an export of a schedule is created before it is due", send: listNext },
    "final-no-error": {
      differs: "cancelling a finished export is answered with 200",
      send: rewriteStatus(STOP, [409], 200, {}),
    },
    "final-400": {
      differs: "cancelling a finished export is answered with 400",
      send: rewriteStatus(STOP, [409], 400),
    },
    "waits-running": { differs: "an export is RUNNING while it waits for a slot", send: waitsRunning },
    "starts-late": {
      differs: "a one-off export is CREATED for five seconds",
      settings: { timings: { one_off_start_delay: "PT5S" } },
    },
    "starts-at-once": {
      differs: "a one-off export begins at once",
      settings: { timings: { one_off_start_delay: "PT0S" } },
    },
    "slow-files": {
      differs: "a file takes twenty seconds",
      settings: { timings: { file_duration: "PT20S" } },
    },
  }),
  ...variantsOf("3.1-9", {
    "siblings-cancelled": {
      differs: "the other runs of a failed export are CANCELLED",
      send: rewriteReplyBody(RUNS, (run) =>
        (run.status === "FAILED" || run.status === "TIMEDOUT") && Object.keys(errorsOf(run)).length === 0
          ? { ...run, status: "CANCELLED" }
          : run,
      ),
    },
  }),
  ...variantsOf("3.3-7", {
    "running-from-start": {
      differs: "a new schedule is RUNNING",
      send: rewriteExports((body) =>
        body.interval_hours && body.status === "CREATED" ? { ...body, status: "RUNNING" } : body,
      ),
    },
    "always-created": {
      differs: "a schedule is always CREATED",
      send: rewriteExports((body) =>
        body.interval_hours && body.status === "RUNNING" ? { ...body, status: "CREATED" } : body,
      ),
    },
    "spawned-creation": {
      differs: "the creation time of a spawned export is the end of its window",
      send: rewriteSpawned((body) => ({
        ...body,
        created_at: iso(instantOf(body.created_at) - 10 * MINUTE),
      })),
    },
  }),
  ...variantsOf("2.8-2", {
    "no-run-for-empty-day": {
      differs: "a day without rows has no run",
      send: rewriteList(RUNS, (runs) =>
        runs.filter(({ status, rows_exported }) => status !== "COMPLETED" || rows_exported !== 0),
      ),
    },
  }),
  ...variantsOf("2.4-9", {
    "wrong-size": {
      differs: "the size of a written file is requested, but a wrong size has no effect",
      send: toleratesSizes,
    },
  }),
  ...variantsOf("2.5-1", {
    "unknown-project": {
      differs: "an export of an empty project is accepted",
      send: takesUnknownProjects,
    },
  }),
  ...variantsOf("2.4-2", {
    "destination-plain": {
      differs: "a destination is returned without its configuration",
      send: rewriteReplyBody(DESTINATION, (body) => without(body, "config", "credentials_keys")),
    },
  }),
  ...variantsOf("4.6-1", {
    "oldest-first": {
      differs: "exports are listed in the order of creation",
      send: rewriteList(["GET", /\/bulk-exports(\?|$)/], (all) => [...all].reverse()),
    },
  }),
];
