import type { Members } from "../engine/contract.ts";
import { HOUR, instantOf, iso } from "../engine/instant.ts";
import { lies, lists, type Mutant, sends, tells, without } from "./mutant.ts";
import { bodyHas, CREATE, exportsTell, pretends, RUNS, spawned, type Wrap, when } from "./routes.ts";

const filled = (member: string, value: unknown): Wrap =>
  sends(CREATE, (body) => (member in body ? body : { ...body, [member]: value }));
/** §2.5 to §2.7: what is ordered, and what runs tell. */
export const ORDER_MUTANTS: readonly Mutant[] = [
  ...lies("2.5-1", {
    "any-project": { lie: "session_id may be any text", send: pretends(CREATE, bodyHas("my-project")) },
    "offset-times": {
      lie: "times are answered in another zone",
      send: exportsTell((body) => ({
        ...body,
        start_time: `${iso(instantOf(body.start_time) + 2 * HOUR).slice(0, 19)}+02:00`,
      })),
    },
    "any-destination": { lie: "an unknown destination is taken", send: pretends(CREATE, () => true) },
  }),
  ...lies("2.5-2", {
    "end-ignored": {
      lie: "end_time of a schedule is passed over",
      send: when(
        (body) => "interval_hours" in body,
        (body) => without(body, "end_time"),
      ),
    },
    "end-filled": {
      lie: "a one-off export may go without end_time",
      send: filled("end_time", "2026-03-01T00:00:00Z"),
    },
  }),
  ...lies("2.5-3", {
    "169": {
      lie: "169 hours are taken",
      send: when(
        (body) => body.interval_hours === 169,
        (body) => ({ ...body, interval_hours: 168 }),
      ),
    },
    "0": {
      lie: "0 hours are taken",
      send: when(
        (body) => body.interval_hours === 0,
        (body) => ({ ...body, interval_hours: 1 }),
      ),
    },
    "1.5": {
      lie: "1.5 hours are taken",
      send: when(
        (body) => body.interval_hours === 1.5,
        (body) => ({ ...body, interval_hours: 1 }),
      ),
    },
    text: {
      lie: "a text is taken",
      send: when(
        (body) => body.interval_hours === "6",
        (body) => ({ ...body, interval_hours: 6 }),
      ),
    },
    "167": {
      lie: "168 hours are refused",
      send: when(
        (body) => body.interval_hours === 168,
        (body) => ({ ...body, interval_hours: 169 }),
      ),
    },
  }),
  ...lies("2.5-4", {
    ignored: {
      lie: "the filter is ignored",
      send: when(
        (body) => "filter" in body,
        (body) => without(body, "filter"),
      ),
    },
    "like-as-eq": {
      lie: "like is eq",
      send: when(
        (body) => "filter" in body,
        (body) => ({ ...body, filter: String(body.filter).replaceAll("like(", "eq(") }),
      ),
    },
    "and-as-or": {
      lie: "and is or",
      send: when(
        (body) => "filter" in body,
        (body) => ({ ...body, filter: String(body.filter).replaceAll("and(", "or(") }),
      ),
    },
  }),
  ...lies("2.5-5", {
    ignored: {
      lie: "export_fields is ignored",
      send: sends(CREATE, (body) => without(body, "export_fields")),
    },
    "unknown-passes": {
      lie: "an unknown column is passed over",
      send: when(
        (body) => String(body.export_fields).includes("nonsense"),
        (body) => ({ ...body, export_fields: ["id"] }),
      ),
    },
    "not-scheduled": {
      lie: "a schedule takes no export_fields",
      send: when(
        (body) => "interval_hours" in body && "export_fields" in body,
        (body) => ({ ...body, export_fields: "no" }),
      ),
    },
  }),
  ...lies("2.5-6", {
    ignored: {
      lie: "v2_beta is written as v1",
      send: when(
        (body) => body.format_version === "v2_beta",
        (body) => ({ ...body, format_version: "v1" }),
      ),
    },
    "any-format": {
      lie: "any format is taken",
      send: when(
        (body) => body.format_version === "v9",
        (body) => ({ ...body, format_version: "v1" }),
      ),
    },
  }),
  ...lies("2.5-7", {
    "no-source": {
      lie: "a spawned export names no source",
      send: spawned((body) => ({ ...body, source_bulk_export_id: null })),
    },
    "no-status": { lie: "an export has no status", send: tells(CREATE, (body) => without(body, "status")) },
  }),
  ...lies("2.5-10", {
    taken: {
      lie: "a malformed filter is taken",
      send: pretends(CREATE, bodyHas("filter")),
    },
  }),
  ...lies("2.6-1", {
    "one-run": {
      lie: "there is one run for the whole window",
      send: lists(RUNS, (runs) => runs.slice(0, 1)),
    },
    twice: { lie: "there are two runs for each day", send: lists(RUNS, (runs) => [...runs, ...runs]) },
  }),
  ...lies("2.6-2", {
    "no-errors": { lie: "a run has no errors member", send: tells(RUNS, (run) => without(run, "errors")) },
    "no-creation": {
      lie: "a run has no creation time",
      send: tells(RUNS, (run) => without(run, "created_at")),
    },
    "one-row-more": {
      lie: "a run counts a row too many",
      send: tells(RUNS, (run) => ({ ...run, rows_exported: Number(run.rows_exported) + 1 })),
    },
    "no-files": {
      lie: "no files are told",
      send: tells(RUNS, (run) => ({ ...run, metadata: { ...(run.metadata as Members), files: [] } })),
    },
    "no-cursor": {
      lie: "no cursor is told",
      send: tells(RUNS, (run) => ({
        ...run,
        metadata: { ...(run.metadata as Members), latest_cursor: null },
      })),
    },
  }),
  ...lies("2.7-2", {
    "not-tenant": {
      lie: "tenant_id cannot be chosen",
      send: when(
        (body) => Array.isArray(body.export_fields),
        (body) => ({
          ...body,
          export_fields: (body.export_fields as readonly string[]).filter((name) => name !== "tenant_id"),
        }),
      ),
    },
  }),
  ...lies("2.7-3", {
    ignored: {
      lie: "inputs and outputs are always written",
      send: sends(CREATE, (body) => without(body, "export_fields")),
    },
  }),
];
