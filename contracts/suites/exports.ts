import { suite } from "../case.ts";
import type { Contract, Members } from "../contract.ts";
import { DAY, HOUR, instantOf, iso } from "../instant.ts";
import {
  cancel,
  EXPORTS,
  type ExportBody,
  exported,
  exportOf,
  isRefused,
  order,
  orderBody,
  type Prepared,
  prepare,
  rowsOf,
  runsOf,
  sorted,
  statusOf,
} from "./world.ts";

const ORDER = ["writes", "ingest", "clock"] as const;
const RUNS = [...ORDER, "object_store"] as const;

/** Orders with a mistake each; all of them must be refused. */
async function refuses(
  t: Contract,
  id: "2.5-1" | "2.5-2" | "2.5-3" | "2.5-5" | "2.5-6",
  prepared: Prepared,
  wrong: Readonly<Record<string, Members>>,
): Promise<void> {
  for (const [what, more] of Object.entries(wrong)) {
    const { status, exchange } = await t.call("POST", EXPORTS, { body: { ...orderBody(prepared), ...more } });
    t.fact(id, isRefused(status), `${what} is refused`, { actual: status, exchange });
  }
}

const names = (rows: readonly Members[]) => sorted(rows.map(({ name }) => name));

/** Exports rows by a filter, and tells the names of those that came out. */
async function filtered(t: Contract, prepared: Prepared, filter: string): Promise<string> {
  return names(await rowsOf(t, (await exported(t, prepared, { filter })).id));
}

async function named(t: Contract): Promise<Prepared> {
  const variety = [
    { name: "alpha", run_type: "llm" },
    { name: "alphabet", run_type: "chain" },
    { name: "beta", run_type: "llm", error: "broken" },
    { name: "gamma", run_type: "tool" },
  ];
  let next = 0;
  return prepare(t, { days: 1, perDay: variety.length, more: () => variety[next++] as Members });
}

const IN_ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/;

export const EXPORT_CASES = suite({
  "4.3/create": {
    title: "an export is created, read, listed and stopped",
    requirements: ["4.3-1", "4.4-1", "4.6-1", "4.7-1", "2.5-7", "2.5-1"],
    needs: ORDER,
    async run(t) {
      const prepared = await prepare(t);
      const made = await order(t, prepared);
      t.fact("2.5-7", typeof made.status === "string", "an export has a status");
      const read = await exportOf(t, made.id);
      t.fact("4.4-1", read.id === made.id && typeof read.status === "string", "it is read with its status");
      const { body: all } = await t.call<readonly ExportBody[]>("GET", EXPORTS);
      const listed = all.find(({ id }) => id === made.id);
      t.fact("4.6-1", listed !== undefined && listed.status === read.status, "it is listed with its status");
      t.fact("4.6-1", IN_ISO.test(String(listed?.created_at)), "and with the time of its creation");
      t.fact("2.5-1", instantOf(read.start_time) === prepared.from, "its window is the one ordered");
      t.fact("2.5-1", IN_ISO.test(String(read.start_time)), "times are ISO 8601 in UTC", {
        actual: read.start_time,
      });
      const stopped = await cancel(t, made.id);
      t.fact("4.7-1", stopped.status < 300, "PATCH with Cancelled is accepted", { actual: stopped.status });
      t.fact("4.7-1", statusOf(await exportOf(t, made.id)) === "CANCELLED", "and the export is CANCELLED");
    },
  },
  "4.4/status-moves": {
    title: "the status that is read is the current one",
    requirements: ["4.4-1", "4.6-1"],
    needs: ORDER,
    async run(t) {
      const { id } = await exported(t, await prepare(t));
      t.fact("4.4-1", statusOf(await exportOf(t, id)) === "COMPLETED", "GET shows the status of now");
      const { body } = await t.call<readonly ExportBody[]>("GET", EXPORTS);
      const listed = body.find((item) => item.id === id);
      t.fact("4.6-1", listed !== undefined && statusOf(listed) === "COMPLETED", "the list does as well");
    },
  },
  "4.6/list-all": {
    title: "every export is listed, not a page of them",
    requirements: ["4.6-1"],
    needs: ORDER,
    async run(t) {
      const prepared = await prepare(t);
      const ids: string[] = [];
      for (let count = 0; count < 12; count++) ids.push((await order(t, prepared)).id);
      const { body } = await t.call<readonly ExportBody[]>("GET", EXPORTS);
      const seen = body.filter(({ id }) => ids.includes(id)).map(({ id }) => id);
      t.fact("4.6-1", sorted(seen) === sorted(ids), "all exports are listed once", {
        actual: seen.length,
        expected: 12,
      });
      t.choice("export.list_order", seen[0] === ids.at(-1), "the newest comes first");
      const paged = await t.call<readonly ExportBody[]>("GET", `${EXPORTS}?limit=5&offset=5`);
      t.choice("export.list_paging", paged.body.length === 5, "limit and offset page the list");
    },
  },
  "4.4/unknown-id": {
    title: "an export that does not exist is not found",
    requirements: ["7-1"],
    async run(t) {
      for (const [method, tail] of [
        ["GET", ""],
        ["GET", "/runs"],
        ["PATCH", ""],
      ] as const) {
        const body = method === "PATCH" ? { body: { status: "Cancelled" } } : {};
        const { status, text } = await t.call(method, `${EXPORTS}/${t.draw.uuid()}${tail}`, body);
        t.choice("platform.unknown_id", status === 404, `${method} …${tail} answers 404`, { actual: status });
        t.choice("platform.error_body", text.startsWith('{"detail":"'), "its error has the member detail");
      }
      const { status } = await t.call("GET", `${EXPORTS}/not-a-uuid`);
      t.choice("platform.invalid_request", status === 422, "an id that is no uuid is answered with 422");
    },
  },
  "2.5/required-fields": {
    title: "required fields of an export are asked for, and their types checked",
    requirements: ["2.5-1", "2.5-2"],
    needs: ORDER,
    async run(t) {
      const prepared = await prepare(t);
      await refuses(t, "2.5-1", prepared, {
        "no destination": { bulk_export_destination_id: undefined },
        "no project": { session_id: undefined },
        "no start_time": { start_time: undefined },
        "a session_id that is no uuid": { session_id: "my-project" },
        "a start_time that is no time": { start_time: "yesterday" },
        "an end_time that is a number": { end_time: 7 },
        "a filter that is no text": { filter: ["eq"] },
      });
      await refuses(t, "2.5-2", prepared, {
        "a one-off export without end_time": { end_time: undefined },
        "a scheduled export with end_time": { interval_hours: 6 },
      });
      const reversed = { ...orderBody(prepared), end_time: iso(prepared.from) };
      const { status } = await t.call("POST", EXPORTS, { body: reversed });
      t.choice("export.reversed_window", status === 422, "a window without length is refused");
    },
  },
  "2.5/interval-hours": {
    title: "interval_hours is a whole number from 1 to 168",
    requirements: ["2.5-3"],
    needs: ORDER,
    async run(t) {
      const prepared = await prepare(t);
      const from = await t.now();
      for (const [interval_hours, good] of [
        [1, true],
        [168, true],
        [0, false],
        [169, false],
        [1.5, false],
        ["6", false],
        [-1, false],
      ] as const) {
        const body = orderBody({ ...prepared, from }, { interval_hours });
        const { status } = await t.call("POST", EXPORTS, { body });
        const holds = good ? status < 300 : isRefused(status);
        t.fact(
          "2.5-3",
          holds,
          `interval_hours ${JSON.stringify(interval_hours)}: ${good ? "taken" : "refused"}`,
          { actual: status },
        );
      }
    },
  },
  "2.5/filter": {
    title: "a filter narrows the rows; without one all are exported",
    requirements: ["2.5-4"],
    needs: RUNS,
    async run(t) {
      const prepared = await named(t);
      const all = names(await rowsOf(t, (await exported(t, prepared)).id));
      t.fact("2.5-4", all === sorted(["alpha", "alphabet", "beta", "gamma"]), "no filter: every row", {
        actual: all,
      });
      for (const [filter, expected] of [
        ['eq(name, "alpha")', ["alpha"]],
        ['like(name, "alpha%")', ["alpha", "alphabet"]],
        ['and(eq(run_type, "llm"), like(name, "%eta"))', ["beta"]],
        ['and(eq(run_type, "llm"), and(like(name, "al%"), eq(name, "alpha")))', ["alpha"]],
      ] as const) {
        const actual = await filtered(t, prepared, filter);
        t.fact("2.5-4", actual === sorted(expected), filter, { expected, actual });
      }
    },
  },
  "2.5/filter-grammar": {
    title: "the rest of the filter language",
    requirements: ["2.5-4"],
    needs: RUNS,
    async run(t) {
      const prepared = await named(t);
      for (const [filter, expected] of [
        ['or(eq(name, "beta"), eq(name, "gamma"))', ["beta", "gamma"]],
        ['not(eq(run_type, "llm"))', ["alphabet", "gamma"]],
        ['neq(name, "beta")', ["alpha", "alphabet", "gamma"]],
        ['in(name, ["alpha", "gamma"])', ["alpha", "gamma"]],
        ['notlike(name, "alpha%")', ["beta", "gamma"]],
        [`gte(start_time, "${iso(prepared.from + 2 * HOUR)}")`, ["beta", "gamma"]],
        ['search("because")', ["alpha", "alphabet", "beta", "gamma"]],
      ] as const) {
        const actual = await filtered(t, prepared, filter);
        t.choice("export.filter_grammar", actual === sorted(expected), filter, { expected, actual });
      }
    },
  },
  "2.5/filter-malformed": {
    title: "a malformed filter is refused when the export is created",
    requirements: ["2.5-10"],
    needs: ORDER,
    async run(t) {
      const prepared = await prepare(t);
      for (const filter of ["eq(name", "eq(nonsense, 1)", "and()", "", "drop table"]) {
        const { status } = await t.call("POST", EXPORTS, { body: { ...orderBody(prepared), filter } });
        t.choice("2.5-10", status === 422, `filter ${JSON.stringify(filter)} is refused with 422`, {
          actual: status,
        });
      }
    },
  },
  "2.5/export-fields": {
    title: "export_fields chooses columns, for scheduled exports too",
    requirements: ["2.5-5", "2.7-2"],
    needs: RUNS,
    async run(t) {
      const prepared = await prepare(t, { days: 1 });
      const export_fields = ["name", "id", "tenant_id", "is_root"];
      const rows = await rowsOf(t, (await exported(t, prepared, { export_fields })).id);
      const columns = Object.keys(rows[0] ?? {});
      t.fact("2.5-5", sorted(columns) === sorted(export_fields), "only those columns are written", {
        actual: columns,
      });
      t.fact(
        "2.7-2",
        columns.includes("tenant_id") && columns.includes("is_root"),
        "export-only names are taken",
      );
      t.choice("export.fields_list", columns.join() === export_fields.join(), "in the order asked for", {
        actual: columns,
      });
      await refuses(t, "2.5-5", prepared, { "an unknown name": { export_fields: ["id", "nonsense"] } });
      const from = await t.now();
      const scheduled = orderBody({ ...prepared, from }, { interval_hours: 6, export_fields });
      t.fact(
        "2.5-5",
        (await t.call("POST", EXPORTS, { body: scheduled })).status < 300,
        "a schedule takes them",
      );
    },
  },
  "2.5/export-fields-old": {
    title: "export_fields is refused before service 0.12.11",
    requirements: ["2.5-5", "9-2"],
    needs: ORDER,
    settings: { versions: { service: "0.12.10", application: "0.12.41" } },
    async run(t) {
      const prepared = await prepare(t);
      const { status } = await t.call("POST", EXPORTS, {
        body: { ...orderBody(prepared), export_fields: ["id"] },
      });
      t.fact("2.5-5", isRefused(status), "a choice of columns is too new for this version", {
        actual: status,
      });
      t.fact("9-2", isRefused(status), "a feature follows the version that brought it");
      await order(t, prepared);
    },
  },
  "2.5/scheduled-old": {
    title: "scheduled exports are refused before service 0.10.42",
    requirements: ["2.5-8", "9-2"],
    needs: ORDER,
    settings: { versions: { service: "0.10.41", application: "0.10.108" } },
    async run(t) {
      const prepared = await prepare(t);
      const { status } = await t.call("POST", EXPORTS, { body: orderBody(prepared, { interval_hours: 6 }) });
      t.fact("2.5-8", isRefused(status), "a schedule is too new for this version", { actual: status });
      t.fact("9-2", isRefused(status), "a feature follows the version that brought it");
    },
  },
  "2.5/scheduled-new": {
    title: "scheduled exports are taken from service 0.10.42 on, export_fields from 0.12.11 on",
    requirements: ["2.5-8", "2.5-5", "9-2"],
    needs: ORDER,
    settings: { versions: { service: "0.12.11", application: "0.12.42" } },
    async run(t) {
      const prepared = await prepare(t);
      const from = await t.now();
      const body = orderBody({ ...prepared, from }, { interval_hours: 6, export_fields: ["id"] });
      const { status } = await t.call("POST", EXPORTS, { body });
      for (const id of ["2.5-8", "2.5-5", "9-2"] as const)
        t.fact(id, status < 300, "the version has it", { actual: status });
    },
  },
  "2.5/format-version": {
    title: "format_version takes v2_beta and no made-up word",
    requirements: ["2.5-6"],
    needs: ORDER,
    async run(t) {
      const prepared = await prepare(t);
      const made = await order(t, prepared, { format_version: "v2_beta" });
      t.fact("2.5-6", typeof made.id === "string", "v2_beta is taken");
      await refuses(t, "2.5-6", prepared, { "an unknown format": { format_version: "v9" } });
    },
  },
  "2.5/unknown-references": {
    title: "a destination or project that does not exist is not found",
    requirements: ["7-1", "2.5-1"],
    needs: ORDER,
    async run(t) {
      const prepared = await prepare(t);
      for (const member of ["bulk_export_destination_id", "session_id"]) {
        const body = { ...orderBody(prepared), [member]: t.draw.uuid() };
        const { status } = await t.call("POST", EXPORTS, { body });
        t.fact("2.5-1", isRefused(status), `${member} names something that exists`, { actual: status });
        t.choice("platform.unknown_id", status === 404, `an unknown ${member} is answered with 404`);
      }
    },
  },
  "4/content-type": {
    title: "bulk-export calls send JSON",
    requirements: ["4-1", "7-1"],
    needs: ORDER,
    async run(t) {
      const prepared = await prepare(t);
      const body = JSON.stringify(orderBody(prepared));
      const plain = await t.call("POST", EXPORTS, { body, headers: { "content-type": "text/plain" } });
      t.fact("4-1", isRefused(plain.status), "a body that is not sent as JSON is refused", {
        actual: plain.status,
      });
      t.choice("platform.content_type", plain.status === 415, "it is answered with 415", {
        actual: plain.status,
      });
      const broken = await t.call("POST", EXPORTS, { body: "{" });
      t.fact("4-1", isRefused(broken.status), "a body that is no JSON is refused", { actual: broken.status });
      t.choice("platform.invalid_request", broken.status === 422, "it is answered with 422");
    },
  },
  "2.6/run-per-day": {
    title: "an export has a run for each UTC day of its window",
    requirements: ["2.6-1", "4.5-1", "2.6-2"],
    needs: ORDER,
    async run(t) {
      const prepared = await prepare(t, { days: 3 });
      const { id } = await exported(t, { ...prepared, from: prepared.from + 6 * HOUR });
      const runs = await runsOf(t, id);
      t.must("4.5-1", runs.length > 0, "the runs of the export are answered");
      t.fact("2.6-1", runs.length === 3, "three days make three runs", { actual: runs.length });
      const starts = runs.map(({ start_time }) => instantOf(start_time)).sort((a, b) => a - b);
      const expected = [prepared.from + 6 * HOUR, prepared.from + DAY, prepared.from + 2 * DAY];
      t.choice(
        "export.partition_bounds",
        sorted(starts) === sorted(expected),
        "cut at UTC midnights and at the window",
      );
      for (const run of runs) {
        t.fact(
          "2.6-2",
          typeof run.id === "string" && IN_ISO.test(run.created_at),
          "a run has id and creation time",
        );
        t.fact("2.6-2", statusOf(run) === "COMPLETED", "a run has a status", { actual: run.status });
        t.fact("2.6-2", Number.isInteger(run.rows_exported), "a run tells its rows", {
          actual: run.rows_exported,
        });
        t.fact("2.6-2", typeof run.errors === "object" && run.errors !== null, "a run has errors");
      }
      const total = runs.reduce((sum, { rows_exported }) => sum + rows_exported, 0);
      // The rows of the first day begin before six o'clock, so the window leaves them out.
      t.fact("2.6-2", total === 6, "the rows of the window are counted", { expected: 6, actual: total });
    },
  },
});
