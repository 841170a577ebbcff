import { suite } from "../engine/case.ts";
import { accepted, equal, every } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import { HOUR, instantOf, iso, MINUTE } from "../engine/instant.ts";
import type { Members } from "../engine/json.ts";
import { EXPORT_STATUS_NAMES, SPAWN_DELAY_MINUTES } from "../facts/bulk-exports.ts";
import {
  cancel,
  createExport,
  EXPORTS,
  type ExportBody,
  exportBody,
  exportOf,
  exportsIn,
  ingest,
  inStatus,
  type Prepared,
  prepare,
  row,
  rowsOf,
  runExport,
  runsOf,
  statusOf,
  until,
} from "./export-helpers.ts";
import { arm, workerFault } from "./faulted-exports.ts";

const ENDING = ["writes", "ingest"] as const;
const LIFECYCLE_NEEDS = [...ENDING, "clock"] as const;
export const SCHEDULES = [...LIFECYCLE_NEEDS, "schedules"] as const;

/** Creates a scheduled export, by default of six hours from the target's time on. */
export async function schedule(
  t: Contract,
  prepared: Prepared,
  more: Members = { interval_hours: 6 },
  from?: number,
) {
  const start = from ?? (await t.now());
  const { body } = await t.call<ExportBody>("POST", EXPORTS, {
    body: exportBody({ ...prepared, from: start }, more),
  });
  t.must("4.3-1", typeof body.id === "string", "a scheduled export is created and has an id");
  return { id: body.id, start };
}

const childrenOf = async (t: Contract, id: string) =>
  (await exportsIn(t)).filter((each) => each.source_bulk_export_id === id);

/** The exports that a schedule has spawned, by window. A server may create them before they are due to run. */
export async function spawnedBy(t: Contract, id: string): Promise<readonly ExportBody[]> {
  const now = await t.now();
  const isEarly = ({ end_time }: ExportBody) => instantOf(end_time) + GRACE > now;
  return (await childrenOf(t, id))
    .filter((each) => !isEarly(each))
    .sort((a, b) => instantOf(a.start_time) - instantOf(b.start_time));
}

/** Stalls each export run for an hour as it starts. */
const stallRuns = (t: Contract) => arm(t, workerFault("run.started", { stall: "PT1H" }, { times: 100 }));

/** §3.3: how long after its window a spawned export runs. */
export const GRACE = SPAWN_DELAY_MINUTES * MINUTE;

export const windowOf = ({ start_time, end_time }: ExportBody) => [
  instantOf(start_time),
  instantOf(end_time),
];

export const LIFECYCLE_CASES = suite({
  "3.1/statuses": {
    title: "an export goes from CREATED to RUNNING to COMPLETED",
    requirements: ["3.1-1", "3.1-6", "3.1-8"],
    needs: ENDING,
    async run(t) {
      const newExport = await createExport(t, await prepare(t));
      const isDocumented = (status: unknown) =>
        (EXPORT_STATUS_NAMES as readonly unknown[]).includes(String(status).toUpperCase());
      t.fact("3.1-1", isDocumented(newExport.status), "the status is one of the six documented values", {
        actual: newExport.status,
      });
      const isTitle = t.chosen("export.status_casing") === "title";
      const pattern = isTitle ? /^[A-Z][a-z]+$/ : /^[A-Z]+$/;
      t.fact(
        "3.1-1",
        pattern.test(newExport.status),
        `statuses are ${isTitle ? "in title case" : "in capitals"}`,
        { actual: newExport.status },
      );
      t.choice(
        "export.start",
        statusOf(newExport) === "CREATED",
        "a one-off export is CREATED for one second",
      );
      if (t.has("clock")) {
        await t.advance("PT1S");
        t.choice(
          "export.start",
          statusOf(await exportOf(t, newExport.id)) === "RUNNING",
          "then it is RUNNING",
        );
      }
      t.fact("3.1-6", await until(t, newExport.id, "COMPLETED"), "the export is COMPLETED when all runs are");
      for (const run of await runsOf(t, newExport.id))
        t.fact("3.1-1", isDocumented(run.status), "the status of a run is one of the six documented values");
    },
  },
  "3.1/cancel-created": {
    title: "a CREATED export can be cancelled and stays cancelled",
    requirements: ["3.1-2", "3.1-3"],
    needs: LIFECYCLE_NEEDS,
    async run(t) {
      const { id } = await createExport(t, await prepare(t));
      const { status } = await cancel(t, id);
      t.fact("3.1-2", accepted(status), "PATCH with Cancelled is accepted");
      t.fact("3.1-2", inStatus(await exportOf(t, id), "CANCELLED"), "the export is CANCELLED at once");
      await t.advance("P1D");
      t.fact("3.1-3", statusOf(await exportOf(t, id)) === "CANCELLED", "a day later it is CANCELLED");
    },
  },
  "3.1/cancel-running": {
    title: "a RUNNING export is cancelled with its runs",
    requirements: ["3.1-2", "3.1-3", "3.1-9", "3.1-8"],
    needs: [...LIFECYCLE_NEEDS, "faults"],
    async run(t) {
      await stallRuns(t);
      const { id } = await createExport(t, await prepare(t, { days: 3 }));
      await t.advance("PT1M");
      t.choice("export.start", inStatus(await exportOf(t, id), "RUNNING"), "the export is RUNNING");
      await cancel(t, id);
      t.fact("3.1-2", statusOf(await exportOf(t, id)) === "CANCELLED", "the export is CANCELLED");
      await t.advance("P1D");
      t.fact("3.1-3", statusOf(await exportOf(t, id)) === "CANCELLED", "the export does not continue");
      const siblings = (await runsOf(t, id)).map(statusOf);
      t.choice("3.1-9", every(siblings, "CANCELLED"), "the runs of the export end with it");
      const again = await cancel(t, id);
      t.choice("export.cancel_final", equal(again.status, 409), "the reply is 409");
      const restart = await t.call("PATCH", `${EXPORTS}/${id}`, { body: { status: "Running" } });
      t.fact("3.1-3", restart.status >= 400, "a finished export cannot be restarted", {
        actual: restart.status,
      });
      t.choice("export.cancel_words", equal(restart.status, 422), "any other body is refused with 422");
    },
  },
  "3.1/cancel-final": {
    title: "a COMPLETED export stays COMPLETED",
    requirements: ["3.1-8"],
    needs: ENDING,
    async run(t) {
      const { id } = await runExport(t, await prepare(t, { days: 1 }));
      const { status } = await cancel(t, id);
      t.choice("export.cancel_final", equal(status, 409), "PATCH answers 409");
      t.choice("3.1-8", statusOf(await exportOf(t, id)) === "COMPLETED", "the export is unchanged");
    },
  },
  "3.1/cancel-schedule": {
    title: "a cancelled schedule spawns no more exports; spawned exports continue",
    requirements: ["3.1-4"],
    needs: [...SCHEDULES, "faults"],
    async run(t) {
      const prepared = await prepare(t);
      const { id, start } = await schedule(t, prepared);
      await stallRuns(t);
      await ingest(t, prepared.projectId, [row(t, start + HOUR)]);
      await t.advance("PT6H10M");
      const [child] = await spawnedBy(t, id);
      t.must("3.1-4", child !== undefined, "the schedule has spawned an export");
      // A server may also list exports that are not due yet.
      const spawnedIds = (await childrenOf(t, id)).map((each) => each.id);
      await cancel(t, id);
      t.fact("3.1-4", statusOf(await exportOf(t, id)) === "CANCELLED", "the schedule is CANCELLED");
      t.fact("3.1-4", statusOf(await exportOf(t, child?.id ?? "")) !== "CANCELLED", "it is not CANCELLED");
      await t.advance("PT12H");
      const further = (await childrenOf(t, id)).filter((each) => !spawnedIds.includes(each.id));
      t.fact("3.1-4", equal(further.length, 0), "no further export is spawned");
      const spawnedExport = await exportOf(t, child?.id ?? "");
      t.fact("3.1-4", inStatus(spawnedExport, "COMPLETED"), "the spawned export has continued");
    },
  },
  "3.1/cancel-spawned": {
    title: "a spawned export can be cancelled alone",
    requirements: ["3.1-4"],
    needs: [...SCHEDULES, "faults"],
    async run(t) {
      const prepared = await prepare(t);
      const { id, start } = await schedule(t, prepared);
      await ingest(t, prepared.projectId, [row(t, start + HOUR)]);
      await stallRuns(t);
      await t.advance("PT6H10M");
      const [child] = await spawnedBy(t, id);
      t.must("3.1-4", child !== undefined, "the schedule has spawned an export");
      await cancel(t, child?.id ?? "");
      t.fact("3.1-4", statusOf(await exportOf(t, id)) !== "CANCELLED", "the schedule is still RUNNING");
      await t.advance("PT6H");
      t.fact("3.1-4", (await spawnedBy(t, id)).length === 2, "the schedule spawns the next export");
    },
  },
  "3.3/late-rows": {
    title: "rows ingested within ten minutes after the window are exported, later ones are not",
    requirements: ["3.3-5"],
    needs: [...SCHEDULES, "object_store"],
    async run(t) {
      const prepared = await prepare(t);
      const { id, start } = await schedule(t, prepared);
      const late = row(t, start + HOUR);
      const tooLate = row(t, start + 2 * HOUR);
      await t.advance({ to: iso(start + 6 * HOUR + 9 * MINUTE) });
      await ingest(t, prepared.projectId, [late]);
      await t.advance({ to: iso(start + 6 * HOUR + GRACE) });
      await ingest(t, prepared.projectId, [tooLate]);
      await t.advance("PT1H");
      const [child] = await spawnedBy(t, id);
      const rows = await rowsOf(t, child?.id ?? "");
      t.fact(
        "3.3-5",
        rows.some((exportedRow) => exportedRow.id === late.id),
        "a row in time is exported",
      );
      t.choice(
        "export.read_as_of",
        !rows.some((exportedRow) => exportedRow.id === tooLate.id),
        "a row ingested later is not exported",
      );
    },
  },
  "3.3/catch-up": {
    title: "a schedule that starts in the past spawns its past windows",
    requirements: ["3.3-6", "3.3-2"],
    needs: SCHEDULES,
    async run(t) {
      const prepared = await prepare(t);
      const now = await t.now();
      const { id, start } = await schedule(t, prepared, { interval_hours: 6 }, now - 24 * HOUR);
      await t.advance("PT1M");
      const all = await spawnedBy(t, id);
      t.choice("3.3-6", equal(all.length, 3), "three past windows are exported");
      for (const [index, child] of all.entries())
        t.fact(
          "3.3-2",
          child.start_time === undefined || windowOf(child)[0] === start + index * 6 * HOUR,
          "windows have no gap",
          { actual: child.start_time },
        );
    },
  },
  "3.3/schedule-status": {
    title: "a schedule is CREATED, then RUNNING, and never ends by itself",
    requirements: ["3.3-7"],
    needs: SCHEDULES,
    async run(t) {
      const { id } = await schedule(t, await prepare(t), { interval_hours: 24 });
      t.choice(
        "export.schedule_status",
        statusOf(await exportOf(t, id)) === "CREATED",
        "it is CREATED at first",
      );
      await t.advance("P4D");
      t.choice(
        "export.schedule_capacity",
        statusOf(await exportOf(t, id)) === "RUNNING",
        "the schedule is RUNNING after four days",
      );
    },
  },
});
