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
  type SendWrapper,
} from "./routes.ts";

const fillMember = (member: string, value: unknown): SendWrapper =>
  rewriteRequestBody(CREATE, (body) => (member in body ? body : { ...body, [member]: value }));

const isScheduled = (body: Members) => "interval_hours" in body;

/** §2.5 to §2.7: what is ordered, and what runs tell. */
export const EXPORT_REQUEST_MUTANTS: readonly Mutant[] = [
  ...mutantsOf("2.5-1", {
    "any-project": { lie: "session_id may be any text", send: fakeSuccess(CREATE, bodyHas("my-project")) },
    "offset-times": {
      lie: "times are answered in another zone",
      send: rewriteExports((body) => ({
        ...body,
        start_time: `${iso(instantOf(body.start_time) + 2 * HOUR).slice(0, 19)}+02:00`,
      })),
    },
    "any-destination": { lie: "an unknown destination is taken", send: fakeSuccess(CREATE, () => true) },
  }),
  ...mutantsOf("2.5-2", {
    "end-ignored": {
      lie: "end_time of a schedule is passed over",
      send: rewriteCreateWhen(isScheduled, (body) => without(body, "end_time")),
    },
    "end-filled": {
      lie: "a one-off export may go without end_time",
      send: fillMember("end_time", "2026-03-01T00:00:00Z"),
    },
  }),
  ...mutantsOf("2.5-3", {
    "169": { lie: "169 hours are taken", send: replaceInCreate("interval_hours", 169, 168) },
    "0": { lie: "0 hours are taken", send: replaceInCreate("interval_hours", 0, 1) },
    "1.5": { lie: "1.5 hours are taken", send: replaceInCreate("interval_hours", 1.5, 1) },
    text: { lie: "a text is taken", send: replaceInCreate("interval_hours", "6", 6) },
    "167": { lie: "168 hours are refused", send: replaceInCreate("interval_hours", 168, 169) },
  }),
  ...mutantsOf("2.5-4", {
    ignored: {
      lie: "the filter is ignored",
      send: rewriteCreateWhen(
        (body) => "filter" in body,
        (body) => without(body, "filter"),
      ),
    },
    "like-as-eq": {
      lie: "like is eq",
      send: rewriteCreateWhen(
        (body) => "filter" in body,
        (body) => ({ ...body, filter: String(body.filter).replaceAll("like(", "eq(") }),
      ),
    },
    "and-as-or": {
      lie: "and is or",
      send: rewriteCreateWhen(
        (body) => "filter" in body,
        (body) => ({ ...body, filter: String(body.filter).replaceAll("and(", "or(") }),
      ),
    },
  }),
  ...mutantsOf("2.5-5", {
    ignored: { lie: "export_fields is ignored", send: dropRequestMembers(CREATE, "export_fields") },
    "filter-not-handed-down": {
      lie: "a schedule does not hand down its filter",
      send: rewriteCreateWhen(isScheduled, (body) => without(body, "filter")),
    },
    "fields-not-handed-down": {
      lie: "a schedule does not hand down its export_fields",
      send: rewriteCreateWhen(isScheduled, (body) => without(body, "export_fields")),
    },
    "format-not-handed-down": {
      lie: "a schedule does not hand down its format_version",
      send: rewriteCreateWhen(isScheduled, (body) => without(body, "format_version")),
    },
    "unknown-passes": {
      lie: "an unknown column is passed over",
      send: rewriteCreateWhen(
        (body) => String(body.export_fields).includes("nonsense"),
        (body) => ({ ...body, export_fields: ["id"] }),
      ),
    },
    "not-scheduled": {
      lie: "a schedule takes no export_fields",
      send: rewriteCreateWhen(
        (body) => "interval_hours" in body && "export_fields" in body,
        (body) => ({ ...body, export_fields: "no" }),
      ),
    },
  }),
  ...mutantsOf("2.5-6", {
    ignored: { lie: "v2_beta is written as v1", send: replaceInCreate("format_version", "v2_beta", "v1") },
    "any-format": {
      lie: "any format is taken",
      mild: true,
      send: replaceInCreate("format_version", "v9", "v1"),
    },
  }),
  ...mutantsOf("2.5-7", {
    "no-source": {
      lie: "a spawned export names no source",
      send: rewriteSpawned((body) => ({ ...body, source_bulk_export_id: null })),
    },
    "no-status": { lie: "an export has no status", send: dropReplyMembers(CREATE, "status") },
  }),
  ...mutantsOf("2.5-10", {
    taken: { lie: "a malformed filter is taken", send: fakeSuccess(CREATE, bodyHas("filter")) },
  }),
  ...mutantsOf("2.6-1", {
    "one-run": {
      lie: "there is one run for the whole window",
      send: rewriteList(RUNS, (runs) => runs.slice(0, 1)),
    },
    twice: { lie: "there are two runs for each day", send: rewriteList(RUNS, (runs) => [...runs, ...runs]) },
  }),
  ...mutantsOf("2.6-2", {
    "no-errors": { lie: "a run has no errors member", send: dropReplyMembers(RUNS, "errors") },
    "no-creation": { lie: "a run has no creation time", send: dropReplyMembers(RUNS, "created_at") },
    "one-row-more": {
      lie: "a run counts a row too many",
      send: rewriteReplyBody(RUNS, (run) => ({ ...run, rows_exported: Number(run.rows_exported) + 1 })),
    },
    "no-files": {
      lie: "no files are told",
      send: rewriteReplyBody(RUNS, (run) => ({
        ...run,
        metadata: { ...(run.metadata as Members), files: [] },
      })),
    },
    "no-cursor": {
      lie: "no cursor is told",
      send: rewriteReplyBody(RUNS, (run) => ({
        ...run,
        metadata: { ...(run.metadata as Members), latest_cursor: null },
      })),
    },
  }),
  ...mutantsOf("2.7-2", {
    "not-tenant": {
      lie: "tenant_id cannot be chosen",
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
      lie: "inputs and outputs are always written",
      send: dropRequestMembers(CREATE, "export_fields"),
    },
  }),
];
