import { HOUR, instantOf, iso } from "../../../contracts/engine/instant.ts";
import type { Members } from "../../../contracts/engine/json.ts";
import {
  CREATE,
  MADE_UP_EXPORT,
  RUNS,
  replaceInCreate,
  rewriteCreateWhen,
  rewriteExports,
  rewriteSpawned,
} from "../routes.ts";
import { differences, mistakes, type Row, type SendWrapper } from "../row.ts";
import {
  accept,
  dropReplyMembers,
  dropRequestMembers,
  rewriteList,
  rewriteRequestBody,
  setReplyMembers,
  without,
} from "../wire.ts";

const fillMember = (member: string, value: unknown): SendWrapper =>
  rewriteRequestBody(CREATE, (body) => (member in body ? body : { ...body, [member]: value }));

const isScheduled = (body: Members) => "interval_hours" in body;

/** §2.5 to §2.7: what is ordered, and what runs tell. */
export const EXPORT_REQUEST_MISTAKES: readonly Row[] = [
  ...mistakes({
    "2.5-1: session_id accepts any string": accept(
      CREATE,
      ({ session_id }) => session_id === "my-project",
      MADE_UP_EXPORT,
    ),
    "2.5-1: times are returned in another time zone": rewriteExports((body) => ({
      ...body,
      start_time: `${iso(instantOf(body.start_time) + 2 * HOUR).slice(0, 19)}+02:00`,
    })),
    "2.5-1: an unknown destination is accepted": accept(CREATE, () => true, MADE_UP_EXPORT),
    "2.5-2: end_time of a schedule is ignored": rewriteCreateWhen(isScheduled, (body) =>
      without(body, "end_time"),
    ),
    "2.5-2: end_time of a one-off export is optional": fillMember("end_time", "2026-03-01T00:00:00Z"),
    "2.5-3: interval_hours 1.5 is accepted": replaceInCreate("interval_hours", 1.5, 1),
    "2.5-3: interval_hours as a string is accepted": replaceInCreate("interval_hours", "6", 6),
    "2.5-4: the filter operator `like` works like `eq`": rewriteCreateWhen(
      (body) => "filter" in body,
      (body) => ({ ...body, filter: String(body.filter).replaceAll("like(", "eq(") }),
    ),
    "2.5-4: the filter operator `and` works like `or`": rewriteCreateWhen(
      (body) => "filter" in body,
      (body) => ({ ...body, filter: String(body.filter).replaceAll("and(", "or(") }),
    ),
    "2.5-5: spawned exports do not have the filter of the schedule": rewriteCreateWhen(isScheduled, (body) =>
      without(body, "filter"),
    ),
    "2.5-5: spawned exports do not have the export_fields of the schedule": rewriteCreateWhen(
      isScheduled,
      (body) => without(body, "export_fields"),
    ),
    "2.5-5: spawned exports do not have the format_version of the schedule": rewriteCreateWhen(
      isScheduled,
      (body) => without(body, "format_version"),
    ),
    "2.5-5: an unknown column is ignored": rewriteCreateWhen(
      (body) => String(body.export_fields).includes("nonsense"),
      (body) => ({ ...body, export_fields: ["id"] }),
    ),
    "2.5-5: a schedule refuses export_fields": rewriteCreateWhen(
      (body) => "interval_hours" in body && "export_fields" in body,
      (body) => ({ ...body, export_fields: "no" }),
    ),
    "2.5-6: v2_beta is refused": replaceInCreate("format_version", "v2_beta", "v9"),
    "2.5-7: a spawned export does not name its source": rewriteSpawned((body) => ({
      ...body,
      source_bulk_export_id: null,
    })),
    "2.5-10: a malformed filter is accepted": accept(CREATE, (body) => "filter" in body, MADE_UP_EXPORT),
    "2.6-1: an export has one run for the whole window": rewriteList(RUNS, (runs) => runs.slice(0, 1)),
    "2.6-1: an export has two runs for each day": rewriteList(RUNS, (runs) => [...runs, ...runs]),
    "2.6-2: a run has no creation time": dropReplyMembers(RUNS, "created_at"),
    "2.6-2: the row count of a run is too large by one": setReplyMembers(RUNS, (run) => ({
      rows_exported: Number(run.rows_exported) + 1,
    })),
    "2.6-2: a run does not name its files": setReplyMembers(RUNS, (run) => ({
      metadata: { ...(run.metadata as Members), files: [] },
    })),
    "2.6-2: a run has no cursor": setReplyMembers(RUNS, (run) => ({
      metadata: { ...(run.metadata as Members), latest_cursor: null },
    })),
    "2.7-2: export_fields refuses tenant_id": rewriteCreateWhen(
      (body) => Array.isArray(body.export_fields),
      (body) => ({
        ...body,
        export_fields: (body.export_fields as readonly string[]).filter((name) => name !== "tenant_id"),
      }),
    ),
    "2.7-3: inputs and outputs are written even when not selected": dropRequestMembers(
      CREATE,
      "export_fields",
    ),
  }),
  ...differences({ "2.5-6: any format_version is accepted": replaceInCreate("format_version", "v9", "v1") }),
];
