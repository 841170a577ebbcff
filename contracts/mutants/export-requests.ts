import { HOUR, instantOf, iso } from "../engine/instant.ts";
import type { Members } from "../engine/json.ts";
import {
  dropReplyMembers,
  dropRequestMembers,
  type Mutant,
  mutantsOf,
  rewriteList,
  rewriteReplyBody,
  rewriteRequestBody,
  type SendWrapper,
  without,
} from "../engine/mutant.ts";
import {
  bodyHas,
  CREATE,
  fakeSuccess,
  RUNS,
  replaceInCreate,
  rewriteCreateWhen,
  rewriteExports,
  rewriteSpawned,
} from "./routes.ts";

const fillMember = (member: string, value: unknown): SendWrapper =>
  rewriteRequestBody(CREATE, (body) => (member in body ? body : { ...body, [member]: value }));

const isScheduled = (body: Members) => "interval_hours" in body;

/** §2.5 to §2.7: what is ordered, and what runs tell. */
export const EXPORT_REQUEST_MUTANTS: readonly Mutant[] = [
  ...mutantsOf("2.5-1", {
    "any-project": {
      wrongBehaviour: "session_id accepts any string",
      send: fakeSuccess(CREATE, bodyHas("my-project")),
    },
    "offset-times": {
      wrongBehaviour: "times are returned in another time zone",
      send: rewriteExports((body) => ({
        ...body,
        start_time: `${iso(instantOf(body.start_time) + 2 * HOUR).slice(0, 19)}+02:00`,
      })),
    },
    "any-destination": {
      wrongBehaviour: "an unknown destination is accepted",
      send: fakeSuccess(CREATE, () => true),
    },
  }),
  ...mutantsOf("2.5-2", {
    "end-ignored": {
      wrongBehaviour: "end_time of a schedule is ignored",
      send: rewriteCreateWhen(isScheduled, (body) => without(body, "end_time")),
    },
    "end-filled": {
      wrongBehaviour: "end_time of a one-off export is optional",
      send: fillMember("end_time", "2026-03-01T00:00:00Z"),
    },
  }),
  ...mutantsOf("2.5-3", {
    "169": {
      wrongBehaviour: "interval_hours 169 is accepted",
      send: replaceInCreate("interval_hours", 169, 168),
    },
    "0": { wrongBehaviour: "interval_hours 0 is accepted", send: replaceInCreate("interval_hours", 0, 1) },
    "1.5": {
      wrongBehaviour: "interval_hours 1.5 is accepted",
      send: replaceInCreate("interval_hours", 1.5, 1),
    },
    text: {
      wrongBehaviour: "interval_hours as a string is accepted",
      send: replaceInCreate("interval_hours", "6", 6),
    },
    "167": {
      wrongBehaviour: "interval_hours 168 is refused",
      send: replaceInCreate("interval_hours", 168, 169),
    },
  }),
  ...mutantsOf("2.5-4", {
    ignored: {
      wrongBehaviour: "the filter is ignored",
      send: rewriteCreateWhen(
        (body) => "filter" in body,
        (body) => without(body, "filter"),
      ),
    },
    "like-as-eq": {
      wrongBehaviour: "the filter operator `like` works like `eq`",
      send: rewriteCreateWhen(
        (body) => "filter" in body,
        (body) => ({ ...body, filter: String(body.filter).replaceAll("like(", "eq(") }),
      ),
    },
    "and-as-or": {
      wrongBehaviour: "the filter operator `and` works like `or`",
      send: rewriteCreateWhen(
        (body) => "filter" in body,
        (body) => ({ ...body, filter: String(body.filter).replaceAll("and(", "or(") }),
      ),
    },
  }),
  ...mutantsOf("2.5-5", {
    ignored: {
      wrongBehaviour: "export_fields is ignored",
      send: dropRequestMembers(CREATE, "export_fields"),
    },
    "filter-not-handed-down": {
      wrongBehaviour: "spawned exports do not have the filter of the schedule",
      send: rewriteCreateWhen(isScheduled, (body) => without(body, "filter")),
    },
    "fields-not-handed-down": {
      wrongBehaviour: "spawned exports do not have the export_fields of the schedule",
      send: rewriteCreateWhen(isScheduled, (body) => without(body, "export_fields")),
    },
    "format-not-handed-down": {
      wrongBehaviour: "spawned exports do not have the format_version of the schedule",
      send: rewriteCreateWhen(isScheduled, (body) => without(body, "format_version")),
    },
    "unknown-passes": {
      wrongBehaviour: "an unknown column is ignored",
      send: rewriteCreateWhen(
        (body) => String(body.export_fields).includes("nonsense"),
        (body) => ({ ...body, export_fields: ["id"] }),
      ),
    },
    "not-scheduled": {
      wrongBehaviour: "a schedule refuses export_fields",
      send: rewriteCreateWhen(
        (body) => "interval_hours" in body && "export_fields" in body,
        (body) => ({ ...body, export_fields: "no" }),
      ),
    },
  }),
  ...mutantsOf("2.5-6", {
    ignored: {
      wrongBehaviour: "v2_beta files have the v1 types",
      send: replaceInCreate("format_version", "v2_beta", "v1"),
    },
    "any-format": {
      wrongBehaviour: "any format_version is accepted",
      mild: true,
      send: replaceInCreate("format_version", "v9", "v1"),
    },
  }),
  ...mutantsOf("2.5-7", {
    "no-source": {
      wrongBehaviour: "a spawned export does not name its source",
      send: rewriteSpawned((body) => ({ ...body, source_bulk_export_id: null })),
    },
    "no-status": {
      wrongBehaviour: "an export has no status",
      send: rewriteExports((body) => without(body, "status")),
    },
  }),
  ...mutantsOf("2.5-10", {
    taken: { wrongBehaviour: "a malformed filter is accepted", send: fakeSuccess(CREATE, bodyHas("filter")) },
  }),
  ...mutantsOf("2.6-1", {
    "one-run": {
      wrongBehaviour: "an export has one run for the whole window",
      send: rewriteList(RUNS, (runs) => runs.slice(0, 1)),
    },
    twice: {
      wrongBehaviour: "an export has two runs for each day",
      send: rewriteList(RUNS, (runs) => [...runs, ...runs]),
    },
  }),
  ...mutantsOf("2.6-2", {
    "no-errors": { wrongBehaviour: "a run has no errors member", send: dropReplyMembers(RUNS, "errors") },
    "no-creation": {
      wrongBehaviour: "a run has no creation time",
      send: dropReplyMembers(RUNS, "created_at"),
    },
    "one-row-more": {
      wrongBehaviour: "the row count of a run is too large by one",
      send: rewriteReplyBody(RUNS, (run) => ({ ...run, rows_exported: Number(run.rows_exported) + 1 })),
    },
    "no-files": {
      wrongBehaviour: "a run does not name its files",
      send: rewriteReplyBody(RUNS, (run) => ({
        ...run,
        metadata: { ...(run.metadata as Members), files: [] },
      })),
    },
    "no-cursor": {
      wrongBehaviour: "a run has no cursor",
      send: rewriteReplyBody(RUNS, (run) => ({
        ...run,
        metadata: { ...(run.metadata as Members), latest_cursor: null },
      })),
    },
  }),
  ...mutantsOf("2.7-2", {
    "not-tenant": {
      wrongBehaviour: "export_fields refuses tenant_id",
      send: rewriteCreateWhen(
        (body) => Array.isArray(body.export_fields),
        (body) => ({
          ...body,
          export_fields: (body.export_fields as readonly string[]).filter((name) => name !== "tenant_id"),
        }),
      ),
    },
  }),
  ...mutantsOf("2.7-3", {
    ignored: {
      wrongBehaviour: "inputs and outputs are written even when not selected",
      send: dropRequestMembers(CREATE, "export_fields"),
    },
  }),
];
