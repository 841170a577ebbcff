import { suite } from "../engine/case.ts";
import { accepted, equal, refused, sameItems } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import { DAY, HOUR, instantOf, iso } from "../engine/instant.ts";
import {
  cancel,
  createExport,
  EXPORTS,
  exportBody,
  exportOf,
  exportsIn,
  inStatus,
  placeOrder,
  prepare,
  prepareOrder,
  requireExport,
  runExport,
  runsOf,
  statusOf,
  until,
} from "./export-helpers.ts";
import { hasList } from "./reading.ts";

const ORDER = ["writes", "ingest"] as const;

const IN_ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/i;

const hasZone = (time: unknown) => /(Z|[+-]\d\d:?\d\d)$/i.test(String(time));

const NO_ZONE =
  "times have the zone UTC. §2.5 shows start_time as an ISO 8601 UTC timestamp in a request. §4 does not show the form of times in replies";

/** §4.6 and §2.6 name a creation time, but do not show its form. */
function expectCreationTime(t: Contract, id: "4.6-1" | "2.6-2", created_at: unknown, text: string): void {
  const isTime = t.fact(id, !Number.isNaN(instantOf(created_at)), text, { actual: created_at });
  if (isTime)
    t.choice("platform.timestamp_suffix", IN_ISO.test(String(created_at)), `${text}, with the zone UTC`, {
      actual: created_at,
    });
}

export const EXPORT_CASES = suite({
  "4.3/create": {
    title: "an export is created",
    requirements: ["4.3-1", "2.5-7"],
    needs: ["writes"],
    async run(t) {
      const newExport = await createExport(t, await prepareOrder(t));
      t.fact("2.5-7", typeof newExport.status === "string", "an export has a status", {
        actual: newExport.status,
      });
    },
  },
  "4.4/read": {
    title: "reading an export returns its status and window",
    requirements: ["4.4-1", "2.5-1"],
    needs: ["writes"],
    async run(t) {
      const order = await prepareOrder(t);
      const { id } = await createExport(t, order);
      const exportRead = await exportOf(t, id);
      t.fact(
        "4.4-1",
        exportRead.id === id && typeof exportRead.status === "string",
        "the reply has the status",
        {
          expected: { id, status: "…" },
          actual: exportRead,
        },
      );
      if (exportRead.start_time === undefined) return;
      t.fact("2.5-1", instantOf(exportRead.start_time) === order.from, "the window is the requested window", {
        expected: iso(order.from),
        actual: exportRead.start_time,
      });
      const { start_time } = exportRead;
      // §2.5 shows the form of a request; §4 does not show that of a reply.
      if (hasZone(start_time))
        t.fact("2.5-1", IN_ISO.test(String(start_time)), "times are ISO 8601 in UTC", { actual: start_time });
      else t.choice("platform.timestamp_suffix", false, NO_ZONE, { actual: start_time });
    },
  },
  "4.6/list": {
    title: "the list of exports has their status and creation time",
    requirements: ["4.6-1"],
    needs: ["writes"],
    async run(t) {
      const { id, status } = await createExport(t, await prepareOrder(t));
      const listedExport = (await exportsIn(t)).find((item) => item.id === id);
      t.must("4.6-1", listedExport !== undefined, "the created export is listed", { expected: id });
      t.fact("4.6-1", typeof listedExport?.status === typeof status, "the entry has the status", {
        actual: listedExport,
      });
      expectCreationTime(t, "4.6-1", listedExport?.created_at, "the entry has the creation time");
    },
  },
  "4.7/stop": {
    title: "PATCH cancels an export",
    requirements: ["4.7-1"],
    needs: ["writes"],
    async run(t) {
      const { id } = await createExport(t, await prepareOrder(t));
      const stopped = await cancel(t, id);
      const exportRead = await exportOf(t, id);
      if (["COMPLETED", "FAILED", "TIMEDOUT"].includes(statusOf(exportRead)))
        t.lack(`an export that is still open when it is cancelled; this export is ${exportRead.status}`);
      t.fact("4.7-1", accepted(stopped.status), "PATCH with Cancelled is accepted");
      t.fact("4.7-1", inStatus(exportRead, "CANCELLED"), "the export is CANCELLED");
    },
  },
  "4.5/list-runs": {
    title: "the runs of an export can be listed",
    requirements: ["4.5-1"],
    needs: ["writes"],
    async run(t) {
      const { id } = await createExport(t, await prepareOrder(t));
      const { status, body } = await t.call<unknown>("GET", `${EXPORTS}/${id}/runs`);
      const isList = accepted(status).holds && hasList(body);
      t.fact("4.5-1", isList, "the reply is a list of runs", { actual: body });
    },
  },
  "4.4/status-moves": {
    title: "the returned status is the current status",
    requirements: ["4.4-1", "4.6-1"],
    needs: ["writes"],
    async run(t) {
      const { id } = await createExport(t, await prepareOrder(t));
      // The reply that creates an export need not have its creation time (§4.3).
      const { created_at } = (await exportsIn(t)).find((item) => item.id === id) ?? {};
      t.must("3.1-6", await until(t, id, "COMPLETED"), "an export whose runs succeed is COMPLETED");
      t.fact("4.4-1", statusOf(await exportOf(t, id)) === "COMPLETED", "GET returns the current status");
      const listedExport = (await exportsIn(t)).find((item) => item.id === id);
      t.fact(
        "4.6-1",
        listedExport !== undefined && statusOf(listedExport) === "COMPLETED",
        "the list has the current status",
      );
      t.fact("4.6-1", equal(listedExport?.created_at, created_at), "the creation time does not change");
    },
  },
  "4.6/list-all": {
    title: "the list contains every export, not only the first page",
    requirements: ["4.6-1"],
    needs: ["writes"],
    async run(t) {
      const prepared = await prepareOrder(t);
      const ids: string[] = [];
      for (let count = 0; count < 12; count++) ids.push((await createExport(t, prepared)).id);
      if (t.has("schedules")) {
        const scheduled = await placeOrder(t, { ...prepared, from: await t.now() }, { interval_hours: 6 });
        ids.push(requireExport(t, prepared, scheduled).id);
      }
      const listedIds = (await exportsIn(t)).filter(({ id }) => ids.includes(id)).map(({ id }) => id);
      t.fact("4.6-1", sameItems(listedIds, ids), "every export is listed once");
      t.choice("export.list_order", listedIds[0] === ids.at(-1), "the newest export is first");
      const paged = await exportsIn(t, {}, "?limit=5&offset=5");
      t.choice("export.list_paging", equal(paged.length, 5), "limit and offset select a page of the list");
    },
  },
  "4.4/unknown-id": {
    title: "an export that does not exist is answered with 404",
    requirements: ["7-1"],
    async run(t) {
      for (const [method, tail] of [
        ["GET", ""],
        ["GET", "/runs"],
        ...(t.has("writes") ? ([["PATCH", ""]] as const) : []),
      ] as const) {
        const body = method === "PATCH" ? { body: { status: "Cancelled" } } : {};
        // The case is about GET of an export; the others may be absent.
        const mayLack = method !== "GET" || tail !== "";
        const path = `${EXPORTS}/${t.draw.uuid()}${tail}`;
        const { status, text } = await t.call(method, path, { ...body, mayLack });
        t.choice("platform.unknown_id", equal(status, 404), `${method} …${tail} answers 404`);
        t.choice("platform.error_body", text.startsWith('{"detail":"'), "the error has the member detail");
      }
      const { status } = await t.call("GET", `${EXPORTS}/not-a-uuid`);
      t.choice(
        "platform.invalid_request",
        equal(status, 422),
        "the reply to an id that is not a UUID is 422",
      );
    },
  },
  "4/content-type": {
    title: "bulk-export calls require JSON",
    requirements: ["4-1", "7-1"],
    needs: ["writes"],
    async run(t) {
      const order = await prepareOrder(t);
      const placed = await placeOrder(t, order);
      const body = JSON.stringify(exportBody(order));
      const plain = await t.call("POST", EXPORTS, { body, headers: { "content-type": "text/plain" } });
      t.choice("4-1", refused(plain.status), "a body of another content type is refused");
      t.choice("platform.content_type", equal(plain.status, 415), "the reply is 415");
      const broken = await t.call("POST", EXPORTS, { body: "{" });
      t.fact("4-1", refused(broken.status), "a body that is not valid JSON is refused");
      t.choice("platform.invalid_request", equal(broken.status, 422), "the reply is 422");
      requireExport(t, order, placed);
    },
  },
  "2.6/run-per-day": {
    title: "an export has a run for each UTC day of its window",
    requirements: ["2.6-1", "4.5-1", "2.6-2"],
    needs: ORDER,
    async run(t) {
      const prepared = await prepare(t, { days: 3 });
      const begin = prepared.from + HOUR / 2;
      const { id } = await runExport(t, { ...prepared, from: begin });
      const runs = await runsOf(t, id);
      t.must("4.5-1", runs.length > 0, "the runs of the export are returned");
      t.fact("2.6-1", equal(runs.length, 3), "a window of three days has three runs");
      const starts = runs.map(({ start_time }) => instantOf(start_time)).sort((a, b) => a - b);
      const expected = [begin, prepared.from + DAY, prepared.from + 2 * DAY];
      t.choice(
        "export.partition_bounds",
        sameItems(starts, expected),
        "the runs are split at UTC midnights and at the ends of the window",
      );
      for (const run of runs) {
        t.fact("2.6-2", typeof run.id === "string", "a run has an id");
        expectCreationTime(t, "2.6-2", run.created_at, "a run has a creation time");
        t.fact("2.6-2", inStatus(run, "COMPLETED"), "a run has a status");
        t.fact("2.6-2", Number.isInteger(run.rows_exported), "a run has a row count", {
          actual: run.rows_exported,
        });
        t.fact("2.6-2", typeof run.errors === "object" && run.errors !== null, "a run has the member errors");
      }
      const total = runs.reduce((sum, { rows_exported }) => sum + rows_exported, 0);
      // The first row of the first day is too early for the window.
      t.fact("2.6-2", equal(total, 8), "the rows of the window are counted");
    },
  },
});
