import { suite } from "../engine/case.ts";
import { accepted, equal, isRefused, refused, sameItems } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import { HOUR, iso } from "../engine/instant.ts";
import type { Members } from "../engine/json.ts";
import { ENHANCED_FORMAT, INTERVAL_HOURS } from "../facts/bulk-exports.ts";
import { EXPORT_ONLY_COLUMNS } from "../facts/columns.ts";
import {
  EXPORTS,
  exportBody,
  exportRows,
  FILES,
  type Order,
  type Prepared,
  placeOrder,
  prepare,
  prepareOrder,
  requireExport,
} from "./export-helpers.ts";

/** Creates exports with one mistake each; all of them must be refused. */
async function expectRefusals(
  t: Contract,
  id: "2.5-1" | "2.5-2" | "2.5-3" | "2.5-5" | "2.5-6",
  prepared: Prepared | Order,
  wrong: Readonly<Record<string, Members>>,
): Promise<void> {
  for (const [description, more] of Object.entries(wrong)) {
    const { status } = await t.call("POST", EXPORTS, {
      body: { ...exportBody(prepared), ...more },
    });
    t.fact(id, refused(status), `${description} is refused`);
  }
}

const names = (rows: readonly Members[]) => rows.map(({ name }) => name);

/** The names of the rows that an export with a filter contains. */
async function namesSelectedBy(t: Contract, prepared: Prepared, filter: string): Promise<readonly unknown[]> {
  return names(await exportRows(t, prepared, { filter }));
}

async function prepareNamedRows(t: Contract): Promise<Prepared> {
  const variety = [
    { name: "alpha", run_type: "llm" },
    { name: "alphabet", run_type: "chain" },
    { name: "beta", run_type: "llm", error: "broken" },
    { name: "gamma", run_type: "tool" },
  ];
  return prepare(t, { days: 1, perDay: variety.length, more: (index) => variety[index] as Members });
}

export const EXPORT_REQUEST_CASES = suite({
  "2.5/required-fields": {
    title: "required fields of an export are required, and their types are checked",
    requirements: ["2.5-1", "2.5-2"],
    needs: ["writes"],
    async run(t) {
      const order = await prepareOrder(t);
      const validReply = await placeOrder(t, order);
      await expectRefusals(t, "2.5-1", order, {
        "no destination": { bulk_export_destination_id: undefined },
        "no project": { session_id: undefined },
        "no start_time": { start_time: undefined },
        "a session_id that is not a UUID": { session_id: "my-project" },
        "a start_time that is not a time": { start_time: "yesterday" },
        "an end_time that is a number": { end_time: 7 },
        "a filter that is not a string": { filter: ["eq"] },
      });
      await expectRefusals(t, "2.5-2", order, {
        "a one-off export without end_time": { end_time: undefined },
        "a scheduled export with end_time": { interval_hours: 6 },
      });
      const reversed = { ...exportBody(order), end_time: iso(order.from) };
      const { status } = await t.call("POST", EXPORTS, { body: reversed });
      t.choice("export.reversed_window", equal(status, 422), "an empty window is refused");
      requireExport(t, order, validReply);
    },
  },
  "2.5/interval-hours": {
    title: "interval_hours is a whole number from 1 to 168",
    requirements: ["2.5-3"],
    needs: ["writes", "schedules"],
    async run(t) {
      const order = await prepareOrder(t);
      const validReply = await placeOrder(t, order);
      const from = await t.now();
      for (const [interval_hours, good] of [
        [INTERVAL_HOURS.least, true],
        [INTERVAL_HOURS.most, true],
        [INTERVAL_HOURS.least - 1, false],
        [INTERVAL_HOURS.most + 1, false],
        [1.5, false],
        ["6", false],
        [-1, false],
      ] as const) {
        if (good && !accepted(validReply.status).holds) continue;
        const body = exportBody({ ...order, from }, { interval_hours });
        const { status } = await t.call("POST", EXPORTS, { body });
        const holds = good ? status < 300 : isRefused(status);
        t.fact(
          "2.5-3",
          holds,
          `interval_hours ${JSON.stringify(interval_hours)}: ${good ? "accepted" : "refused"}`,
          { actual: status },
        );
      }
      requireExport(t, order, validReply);
    },
  },
  "2.5/filter": {
    title: "a filter selects rows; without a filter all rows are exported",
    requirements: ["2.5-4"],
    needs: FILES,
    async run(t) {
      const prepared = await prepareNamedRows(t);
      const all = names(await exportRows(t, prepared));
      t.fact(
        "2.5-4",
        sameItems(all, ["alpha", "alphabet", "beta", "gamma"]),
        "without a filter every row is exported",
      );
      for (const [filter, expected] of [
        ['eq(name, "alpha")', ["alpha"]],
        ['like(name, "alpha%")', ["alpha", "alphabet"]],
        ['and(eq(run_type, "llm"), like(name, "%eta"))', ["beta"]],
        ['and(eq(run_type, "llm"), and(like(name, "al%"), eq(name, "alpha")))', ["alpha"]],
      ] as const) {
        const actual = await namesSelectedBy(t, prepared, filter);
        t.fact("2.5-4", sameItems(actual, expected), filter);
      }
    },
  },
  "2.5/filter-grammar": {
    title: "the rest of the filter language",
    requirements: ["2.5-4"],
    needs: FILES,
    async run(t) {
      const prepared = await prepareNamedRows(t);
      for (const [filter, expected] of [
        ['or(eq(name, "beta"), eq(name, "gamma"))', ["beta", "gamma"]],
        ['not(eq(run_type, "llm"))', ["alphabet", "gamma"]],
        ['neq(name, "beta")', ["alpha", "alphabet", "gamma"]],
        ['in(name, ["alpha", "gamma"])', ["alpha", "gamma"]],
        ['notlike(name, "alpha%")', ["beta", "gamma"]],
        [`gte(start_time, "${iso(prepared.from + 2 * HOUR)}")`, ["beta", "gamma"]],
        ['search("because")', ["alpha", "alphabet", "beta", "gamma"]],
      ] as const) {
        const actual = await namesSelectedBy(t, prepared, filter);
        t.choice("export.filter_grammar", sameItems(actual, expected), filter);
      }
    },
  },
  "2.5/filter-malformed": {
    title: "a malformed filter is refused when the export is created",
    requirements: ["2.5-10"],
    needs: ["writes"],
    async run(t) {
      const prepared = await prepareOrder(t);
      const validReply = await placeOrder(t, prepared);
      for (const filter of ["eq(name", "eq(nonsense, 1)", "and()", "", "drop table"]) {
        const { status } = await t.call("POST", EXPORTS, { body: { ...exportBody(prepared), filter } });
        t.choice("2.5-10", equal(status, 422), `filter ${JSON.stringify(filter)} is refused with 422`);
      }
      requireExport(t, prepared, validReply);
    },
  },
  "2.5/export-fields": {
    title: "export_fields selects columns",
    requirements: ["2.5-5", "2.7-2"],
    needs: [...FILES, "columns"],
    async run(t) {
      const prepared = await prepare(t, { days: 1 });
      const export_fields = ["name", "id", ...EXPORT_ONLY_COLUMNS];
      const rows = await exportRows(t, prepared, { export_fields });
      const columns = Object.keys(rows[0] ?? {});
      t.fact("2.5-5", sameItems(columns, export_fields), "only these columns are written");
      t.fact(
        "2.7-2",
        EXPORT_ONLY_COLUMNS.every((name) => columns.includes(name)),
        "names that exist only in exports are accepted",
      );
      t.choice("export.fields_list", equal(columns, export_fields), "the columns are in the requested order");
    },
  },
  "2.5/export-fields-names": {
    title: "export_fields accepts the names of columns, also in scheduled exports, and no other names",
    requirements: ["2.5-5", "2.7-2"],
    needs: ["writes", "schedules", "columns"],
    async run(t) {
      const order = await prepareOrder(t);
      const validReply = await placeOrder(t, order);
      await expectRefusals(t, "2.5-5", order, {
        "an unknown name": { export_fields: ["id", "nonsense"] },
        "a string instead of a list": { export_fields: "id" },
        "a number instead of a name": { export_fields: [7] },
      });
      requireExport(t, order, validReply);
      const export_fields = ["name", "id", "tenant_id", "is_root"];
      const once = await placeOrder(t, order, { export_fields });
      t.fact("2.5-5", accepted(once.status), "names of columns are accepted");
      t.fact("2.7-2", accepted(once.status), "the names tenant_id and is_root are accepted");
      const from = await t.now();
      const { status } = await placeOrder(t, { ...order, from }, { interval_hours: 6, export_fields });
      t.fact("2.5-5", accepted(status), "a schedule accepts them");
    },
  },
  "2.5/format-version": {
    title: "format_version accepts v2_beta and refuses unknown values",
    requirements: ["2.5-6"],
    needs: ["writes"],
    async run(t) {
      const order = await prepareOrder(t);
      const validReply = await placeOrder(t, order);
      const unknown = await placeOrder(t, order, { format_version: "v9" });
      t.choice("export.unknown_format", refused(unknown.status), "an unknown format is refused");
      requireExport(t, order, validReply);
      const { status } = await placeOrder(t, order, { format_version: ENHANCED_FORMAT });
      t.fact("2.5-6", accepted(status), "v2_beta is accepted");
    },
  },
  "2.5/unknown-references": {
    title: "a destination or project that does not exist is answered with 404",
    requirements: ["7-1", "2.5-1"],
    needs: ["writes"],
    async run(t) {
      const prepared = await prepareOrder(t);
      const validReply = await placeOrder(t, prepared);
      for (const member of ["bulk_export_destination_id", "session_id"]) {
        const body = { ...exportBody(prepared), [member]: t.draw.uuid() };
        const { status } = await t.call("POST", EXPORTS, { body });
        if (member === "session_id")
          t.choice("export.unknown_project", refused(status), "an unknown project is refused");
        else t.fact("2.5-1", refused(status), `an unknown ${member} is refused`);
        t.choice("platform.unknown_id", equal(status, 404), `the reply to an unknown ${member} is 404`);
      }
      requireExport(t, prepared, validReply);
    },
  },
});
