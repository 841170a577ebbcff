import { type CaseRow, suite } from "../engine/case.ts";
import { equal, every } from "../engine/check.ts";
import { HOUR, SECOND } from "../engine/instant.ts";
import type { Members } from "../engine/json.ts";
import { RETRIES, RUN_HOURS, WORKFLOW_HOURS } from "../facts/bulk-exports.ts";
import { exportOf, runsOf, statusOf, until } from "./export-helpers.ts";
import {
  attempts,
  exportWithFault,
  FAULTS,
  hitsOf,
  retriedOnce,
  storeError,
  workerFault,
} from "./faulted-exports.ts";

/** Failures that are retried, with the time from the start of an attempt to its failure. */
const RETRIED: Readonly<Record<string, readonly [rule: Members, lasts: string]>> = {
  "": [workerFault("run.started", { error: "resource_exhausted" }), "PT0S"],
  "-crash": [workerFault("run.started", { crash: true }), "PT0S"],
  "-timeout": [workerFault("run.started", { stall: "PT5H" }), `PT${RUN_HOURS}H`],
  "-outage": [storeError("SlowDown"), "PT0S"],
};

function delayCase(rule: Members, lasts: string): CaseRow {
  return {
    title: `every retry after ${JSON.stringify(rule.then)} comes thirty seconds after the failure`,
    requirements: ["8.3-1"],
    needs: FAULTS,
    async run(t) {
      const { id, fault } = await exportWithFault(t, { ...rule, times: 3 });
      await until(t, id, "RUNNING");
      for (const expected of [1, 2, 3]) {
        await t.advance(lasts);
        await t.advance("PT29.999S");
        const isFinal = statusOf(await exportOf(t, id)) === "FAILED";
        if (rule.target === "s3" && !t.choice("export.store_outage", !isFinal, "an outage is retried"))
          return;
        t.fact("8.3-1", equal(await hitsOf(t, fault), expected), "no retry starts before 30 s");
        await t.advance("PT0.001S");
        if (expected < 3)
          t.fact("8.3-1", equal(await hitsOf(t, fault), expected + 1), "there is a retry after 30 s");
      }
    },
  };
}

export const TIMEOUT_CASES = suite({
  "7.3/run-timeout": {
    title: "a run that exceeds its timeout is retried",
    requirements: ["7.3-2", "7.3-7"],
    needs: FAULTS,
    async run(t) {
      await retriedOnce(t, "7.3-2", { preset: "run_timeout" });
    },
  },
  "7.3/workflow-timeout": {
    title: "an export that exceeds its timeout is TIMEDOUT and is not retried",
    requirements: ["7.3-3", "3.1-7", "3.1-9"],
    needs: FAULTS,
    async run(t) {
      const { id } = await exportWithFault(t, { preset: "workflow_timeout" });
      t.fact("3.1-7", await until(t, id, "TIMEDOUT"), "the export is TIMEDOUT");
      await t.advance("P1D");
      t.fact("7.3-3", statusOf(await exportOf(t, id)) === "TIMEDOUT", "the export is not retried");
      const siblings = (await runsOf(t, id)).map(statusOf);
      t.choice("3.1-9", every(siblings, "TIMEDOUT"), "the runs of the export end with it");
    },
  },
  "8.3/retries": {
    title: "after 20 retries, thirty seconds apart, the run and its export are FAILED",
    requirements: ["8.3-1", "3.1-5", "7.3-6"],
    needs: FAULTS,
    async run(t) {
      const rule = workerFault("rows.read", { error: "serialization_error" }, { times: 1000 });
      const { id, fault } = await exportWithFault(t, rule);
      await until(t, id, "RUNNING");
      const began = await t.now();
      t.fact("3.1-5", await until(t, id, "FAILED"), "a run without retries left makes the export FAILED");
      const took = ((await t.now()) - began) / SECOND;
      const waits = RETRIES.most * RETRIES.delaySeconds;
      const hits = await hitsOf(t, fault);
      t.fact("8.3-1", equal(hits, 1 + RETRIES.most), "there are one attempt and 20 retries");
      t.fact(
        "8.3-1",
        took >= waits && took < waits + RETRIES.delaySeconds,
        "retries are thirty seconds apart",
        {
          expected: "all attempts take 600 s and a little more",
          actual: took,
        },
      );
      const [run] = await runsOf(t, id);
      t.fact("7.3-6", equal(run && attempts(run), 1 + RETRIES.most), "each attempt is recorded");
    },
  },
  ...Object.fromEntries(
    Object.entries(RETRIED).map(([slug, [rule, lasts]]) => [
      `8.3/retry-delay${slug}`,
      delayCase(rule, lasts),
    ]),
  ),
  "3.1/failed-siblings": {
    title: "the other runs end with a FAILED export",
    requirements: ["3.1-9", "3.1-5"],
    needs: FAULTS,
    async run(t) {
      const { id } = await exportWithFault(t, { preset: "permission_denied" }, { days: 3 });
      t.fact("3.1-5", await until(t, id, "FAILED"), "one failed run makes the export FAILED");
      const statuses = (await runsOf(t, id)).map(statusOf);
      t.choice("3.1-9", every(statuses, "FAILED", "COMPLETED"), "no run is left open");
    },
  },
  "8.2/run-timeout": {
    title: "a run can take four hours and no longer",
    requirements: ["8.2-3"],
    needs: FAULTS,
    async run(t) {
      for (const [stall, expected] of [
        ["PT3H59M", 0],
        ["PT4H1S", 1],
      ] as const) {
        const { id } = await exportWithFault(t, workerFault("run.started", { stall }));
        t.must("8.2-3", await until(t, id, "COMPLETED"), "the export completes");
        const [run] = await runsOf(t, id);
        t.fact(
          "8.2-3",
          equal(run && attempts(run), expected),
          `number of failed attempts after a stall of ${stall}`,
        );
      }
    },
  },
  "8.2/workflow-timeout": {
    title: "an export can take 72 hours after it becomes RUNNING",
    requirements: ["8.2-4", "8.2-5"],
    needs: FAULTS,
    async run(t) {
      // Eighteen attempts of four hours and their pauses last a little longer than 72 hours.
      const rule = workerFault("run.started", { stall: "PT5H" }, { times: 100 });
      const { id } = await exportWithFault(t, rule);
      await until(t, id, "RUNNING");
      const began = await t.now();
      t.fact("8.2-4", await until(t, id, "TIMEDOUT"), "the export is TIMEDOUT");
      const took = ((await t.now()) - began) / HOUR;
      t.fact("8.2-4", Math.abs(took - WORKFLOW_HOURS) < 0.01, "after 72 hours", {
        expected: WORKFLOW_HOURS,
        actual: took,
      });
      t.choice("export.workflow_timeout_start", took >= WORKFLOW_HOURS, "the time is counted from RUNNING");
    },
  },
  "3.1/completed-needs-all": {
    title: "an export is COMPLETED only when every run is",
    requirements: ["3.1-6"],
    needs: FAULTS,
    async run(t) {
      const { id } = await exportWithFault(t, workerFault("run.started", { stall: "PT1H" }), { days: 3 });
      await t.advance("PT30M");
      const half = (await runsOf(t, id)).map(statusOf);
      t.fact(
        "3.1-6",
        half.includes("COMPLETED") && statusOf(await exportOf(t, id)) === "RUNNING",
        "the export is RUNNING while one run stalls",
        {
          actual: half,
        },
      );
      t.fact("3.1-6", await until(t, id, "COMPLETED"), "the export is COMPLETED when all runs are");
      t.fact(
        "3.1-6",
        (await runsOf(t, id)).every((run) => statusOf(run) === "COMPLETED"),
        "the runs of the export are COMPLETED",
      );
    },
  },
});
