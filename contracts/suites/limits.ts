import { type CaseRow, suite } from "../engine/case.ts";
import { equal } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import { HOUR, midnight } from "../engine/instant.ts";
import { CONFLICTING, EXPORTS_AT_ONCE, RUNS_AT_ONCE, WORKFLOW_HOURS } from "../facts/bulk-exports.ts";
import {
  cancel,
  createDestination,
  createExport,
  DESTINATIONS,
  EXPORTS,
  type ExportBody,
  type ExportRunBody,
  exportBody,
  exportOf,
  exportsIn,
  type Identified,
  inStatus,
  type Prepared,
  prepare,
  project,
  row,
  runsOf,
  statusOf,
  until,
} from "./export-helpers.ts";
import { arm, hitsOf, storeError, workerFault } from "./faulted-exports.ts";
import { schedule } from "./lifecycle.ts";

const CAPACITY = ["writes", "ingest", "clock", "faults"] as const;

const running = (list: readonly { readonly status: unknown }[]) =>
  list.filter((item) => statusOf(item) === "RUNNING").length;

/** Stalls every export run as it starts. */
const armStall = (t: Contract, stall = "PT1H") =>
  arm(t, workerFault("run.started", { stall }, { times: 10_000 }));

/** How exports end whose runs stall, and by what. */
const ENDS = {
  cancelled: { status: "CANCELLED", stall: "PT1H", after: "PT1M" },
  failed: { status: "FAILED", stall: "PT1H", after: "PT1H1M" },
  timedout: { status: "TIMEDOUT", stall: "PT5H", after: `PT${WORKFLOW_HOURS}H1M` },
} as const;

/** Fifteen exports end in the same way, except that a single one is cancelled; the sixteenth gets a slot. */
function freedSlotCase(end: string, { status, stall, after }: (typeof ENDS)[keyof typeof ENDS]): CaseRow {
  return {
    title: `the slot of a ${end} export goes to the next export`,
    requirements: ["8.2-2"],
    needs: CAPACITY,
    async run(t) {
      const prepared = await prepare(t, { days: 1 });
      const fault = await armStall(t, stall);
      if (status === "FAILED") await arm(t, { ...storeError("AccessDenied"), times: EXPORTS_AT_ONCE });
      const ids = await createExports(t, prepared, EXPORTS_AT_ONCE + 1);
      await t.advance("PT1M");
      t.fact("8.2-2", equal(await hitsOf(t, fault), EXPORTS_AT_ONCE), "the 16th waits");
      const before = await hitsOf(t, fault);
      if (status === "CANCELLED") await cancel(t, ids[0] ?? "");
      await t.advance(after);
      t.fact("8.2-2", inStatus(await exportOf(t, ids[0] ?? ""), status), `the first export is ${status}`);
      t.fact("8.2-2", inStatus(await exportOf(t, ids.at(-1) ?? ""), "RUNNING"), "the 16th gets a free slot");
      t.fact("8.2-2", (await hitsOf(t, fault)) > before, "the 16th export begins to work");
    },
  };
}

async function createExports(t: Contract, prepared: Prepared, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push((await createExport(t, prepared)).id);
  return ids;
}

export const LIMIT_CASES = suite({
  "8.2/runs-per-export": {
    title: "at most 45 runs of an export work at the same time, the 46th waits",
    requirements: ["8.2-1", "8.2-5"],
    needs: CAPACITY,
    async run(t) {
      const prepared = await prepare(t, { days: RUNS_AT_ONCE + 3, perDay: 1 });
      const fault = await armStall(t);
      const { id } = await createExport(t, prepared);
      await t.advance("PT1M");
      const startedRuns = await hitsOf(t, fault);
      t.fact("8.2-1", equal(startedRuns, RUNS_AT_ONCE), "45 of 48 runs have begun");
      t.choice(
        "export.max_concurrent_runs",
        startedRuns === RUNS_AT_ONCE,
        "the larger number of the specification applies",
      );
      const runs = await runsOf(t, id);
      t.choice("export.run_moves", equal(running(runs), RUNS_AT_ONCE), "45 runs are RUNNING");
      await t.advance("PT1H10M");
      t.fact(
        "8.2-1",
        (await hitsOf(t, fault)) === RUNS_AT_ONCE + 3,
        "the other runs begin as slots become free",
      );
      t.fact("8.2-1", await until(t, id, "COMPLETED"), "the export completes");
    },
  },
  "8.2/exports-per-workspace": {
    title: "15 exports of a workspace work at the same time, the 16th waits, another workspace does not",
    requirements: ["8.2-2", "8.2-5"],
    needs: [...CAPACITY, "tenants"],
    async run(t) {
      const prepared = await prepare(t, { days: 1 });
      const fault = await armStall(t);
      const ids = await createExports(t, prepared, EXPORTS_AT_ONCE + 2);
      await t.advance("PT1M");
      const startedRuns = await hitsOf(t, fault);
      t.fact("8.2-2", equal(startedRuns, EXPORTS_AT_ONCE), "15 of 17 work");
      t.choice(
        "export.max_concurrent_exports",
        startedRuns === EXPORTS_AT_ONCE,
        "the larger number of the specification applies",
      );
      const mine = (await exportsIn(t)).filter(({ id }) => ids.includes(id));
      const waiting = mine.filter((item) => statusOf(item) === "CREATED").length;
      t.choice("export.start", equal(waiting, 2), "the two waiting exports are CREATED");
      t.fact("8.2-2", await startsInOtherWorkspace(t, fault), "an export of another workspace does not wait");
      await t.advance("PT1H1M");
      const later = await hitsOf(t, fault);
      t.fact("8.2-2", later >= EXPORTS_AT_ONCE + 3, "the waiting exports begin as slots become free", {
        actual: later,
      });
    },
  },
  ...Object.fromEntries(
    Object.entries(ENDS).map(([end, row]) => [`8.2/${end}-frees-place`, freedSlotCase(end, row)]),
  ),
  "8.2/ends-in-queue": {
    title: "a waiting export that is cancelled or cannot begin leaves its place to the next",
    requirements: ["8.2-2", "7.3-5"],
    needs: CAPACITY,
    async run(t) {
      const prepared = await prepare(t, { days: 1 });
      const other = (await createDestination(t)).body.id;
      const fault = await armStall(t);
      const [working = ""] = await createExports(t, prepared, EXPORTS_AT_ONCE);
      const [unable = ""] = await createExports(t, { ...prepared, destinationId: other }, 1);
      const [cancelled = "", last = ""] = await createExports(t, prepared, 2);
      await t.advance("PT1M");
      t.fact("8.2-2", equal(await hitsOf(t, fault), EXPORTS_AT_ONCE), "the 16th and later exports wait");
      await cancel(t, cancelled);
      const { status } = await t.call("DELETE", `${DESTINATIONS}/${other}`);
      if (!t.choice("destination.delete_in_use", status < 300, "a destination in use can be deleted")) return;
      await cancel(t, working);
      await t.advance("PT1M");
      t.fact("7.3-5", inStatus(await exportOf(t, unable), "FAILED"), "it fails without its destination");
      t.fact("8.2-2", inStatus(await exportOf(t, last), "RUNNING"), "the next export gets a free slot");
      t.fact("8.2-2", equal(await hitsOf(t, fault), EXPORTS_AT_ONCE + 1), "only one more begins to work");
    },
  },
  "8.2/spawned-counts": {
    title: "spawned exports use the slots of their workspace like other exports",
    requirements: ["8.2-2"],
    needs: [...CAPACITY, "schedules"],
    async run(t) {
      // A window over midnight would have two runs.
      const now = await t.now();
      if (now - midnight(now) >= 20 * HOUR) await t.advance("PT5H");
      const prepared = await prepare(t, { days: 1 });
      const fault = await armStall(t, "PT3H");
      await schedule(t, prepared, { interval_hours: 1 });
      await createExports(t, prepared, EXPORTS_AT_ONCE - 1);
      await t.advance("PT1H11M");
      t.fact("8.2-2", equal(await hitsOf(t, fault), EXPORTS_AT_ONCE), "14 exports and a spawned one work");
      await createExport(t, prepared);
      await t.advance("PT1M");
      t.fact("8.2-2", equal(await hitsOf(t, fault), EXPORTS_AT_ONCE), "the 16th export waits");
      await t.advance("PT1H");
      t.fact("8.2-2", equal(await hitsOf(t, fault), EXPORTS_AT_ONCE), "the second spawned export waits too");
    },
  },
  "8.2/settings": {
    title: "each limit can be set to the other number in the specification",
    requirements: ["8.2-5"],
    needs: CAPACITY,
    settings: {
      limits: {
        max_concurrent_runs_per_export: CONFLICTING.runsAtOnce,
        max_concurrent_exports_per_workspace: CONFLICTING.exportsAtOnce,
        workflow_timeout: `PT${CONFLICTING.workflowHours}H`,
      },
    },
    async run(t) {
      const prepared = await prepare(t, { days: 7, perDay: 1 });
      const fault = await armStall(t);
      const ids = await createExports(t, prepared, 4);
      await t.advance("PT1M");
      const runs: ExportRunBody[] = [];
      for (const id of ids) runs.push(...(await runsOf(t, id)));
      t.choice(
        "8.2-5",
        (await hitsOf(t, fault)) === 15,
        "five runs of each of three exports work at the same time",
        {
          actual: running(runs),
        },
      );
    },
  },
});

/** An export of a workspace of its own begins to work. */
async function startsInOtherWorkspace(t: Contract, fault: Identified): Promise<boolean> {
  const before = await hitsOf(t, fault);
  const headers = { "x-tenant-id": t.draw.uuid() };
  const now = await t.now();
  const projectId = await project(t, [row(t, now - 3_600_000)], headers);
  const { name, region, accessKeyId, secretAccessKey } = t.identity.bucket;
  const destination = await t.call<ExportBody>("POST", `${EXPORTS}/destinations`, {
    headers,
    body: {
      destination_type: "s3",
      display_name: "other",
      config: { bucket_name: name, prefix: "other", region },
      credentials: { access_key_id: accessKeyId, secret_access_key: secretAccessKey },
    },
  });
  const ids = { destinationId: destination.body.id, projectId };
  await t.call<ExportBody>("POST", EXPORTS, {
    headers,
    body: exportBody({ ...ids, from: now - 7_200_000, to: now }),
  });
  await t.advance("PT1M");
  return (await hitsOf(t, fault)) > before;
}
