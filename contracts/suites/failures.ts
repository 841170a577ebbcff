import { suite } from "../case.ts";
import type { Contract, Members } from "../contract.ts";
import { HOUR, instantOf, SECOND } from "../instant.ts";
import { DESTINATION_ERRORS, type DestinationErrorKey } from "../spec/failures.ts";
import {
  arm,
  createDestination,
  DESTINATIONS,
  type ExportRunBody,
  exportOf,
  hitsOf,
  isRefused,
  order,
  prepare,
  rowsOf,
  runsOf,
  statusOf,
  until,
} from "./world.ts";

const FAULTS = ["writes", "ingest", "clock", "faults"] as const;

const attempts = ({ errors }: ExportRunBody) => Object.keys(errors).length;

const RETRY_KEY = /^retry_(0|[1-9]\d*)$/;

async function expectError(
  t: Contract,
  key: DestinationErrorKey,
  config: Members,
  credentials: Members = {},
) {
  const { name } = DESTINATION_ERRORS[key];
  const { status, text, exchange } = await createDestination(t, config, credentials);
  t.fact("7.2-1", isRefused(status) && text.includes(name), `the error is named ${name}`, {
    expected: name,
    actual: text,
    exchange,
  });
  t.choice("destination.error_status", status === 400, "it is answered with 400", { actual: status });
}

/** One export under a fault that strikes one attempt of its only run. */
async function struck(t: Contract, rule: Members, limit: Members = {}) {
  const prepared = await prepare(t, { days: 1, perDay: 4, ...limit });
  const fault = await arm(t, rule);
  const { id } = await order(t, prepared);
  return { prepared, fault, id };
}

/** A failure that is tried again: the export completes with one attempt on record. */
async function retriedOnce(t: Contract, id: "7.3-1" | "7.3-2" | "7.3-6", rule: Members) {
  const { id: exportId, prepared } = await struck(t, rule);
  t.fact(id, await until(t, exportId, "COMPLETED"), "the run is tried again and the export completes");
  const [run] = await runsOf(t, exportId);
  t.must("7.3-7", run !== undefined && attempts(run) === 1, "the attempt that failed is recorded", {
    actual: run?.errors,
  });
  t.fact(
    "7.3-7",
    Object.keys(run?.errors ?? {}).every((key) => RETRY_KEY.test(key)),
    "under retry_<n>",
    { actual: run?.errors },
  );
  t.choice(
    "export.retry_numbering",
    Object.keys(run?.errors ?? {})[0] === "retry_0",
    "the first attempt is retry_0",
  );
  return { exportId, prepared };
}

/** A failure that ends the export at its first attempt. */
async function failsAtOnce(t: Contract, id: "7.3-4" | "7.3-5", rule: Members) {
  const { id: exportId, fault } = await struck(t, rule);
  t.fact(id, await until(t, exportId, "FAILED"), "the export is FAILED");
  t.fact(id, (await hitsOf(t, fault)) === 1, "the fault has struck once");
  const runs = await runsOf(t, exportId);
  t.fact(
    id,
    runs.every((run) => statusOf(run) === "FAILED"),
    "its run is FAILED",
    { actual: runs.map(statusOf) },
  );
  const most = Math.max(0, ...runs.map(attempts));
  t.fact(id, most <= 1, "there was no retry", { expected: "one attempt at most", actual: most });
  await t.advance("PT1H");
  t.fact(id, statusOf(await exportOf(t, exportId)) === "FAILED", "and it stays FAILED");
}

export const FAILURE_CASES = suite({
  "7.2/errors": {
    title: "the four named errors of a destination come from their causes",
    requirements: ["7.2-1", "7-1"],
    needs: ["writes", "control"],
    async run(t) {
      await expectError(t, "bucket_not_valid", { bucket_name: `missing-${t.draw.word()}` });
      await expectError(t, "key_id_does_not_exist", {}, { access_key_id: `NOBODY${t.draw.word()}` });
      await expectError(t, "invalid_endpoint", { endpoint_url: "http://127.0.0.1:9", region: undefined });
      const access_key_id = `denied-${t.draw.word()}`;
      const secret_access_key = t.secret(t.draw.word(24));
      await t.control("POST", "/s3/credentials", { access_key_id, secret_access_key, deny: ["put"] });
      await expectError(t, "access_denied", {}, { access_key_id, secret_access_key });
    },
  },
  "7.2/overlap": {
    title: "a wrong secret is Access denied",
    requirements: ["7.2-2"],
    needs: ["writes"],
    async run(t) {
      const { text } = await createDestination(t, {}, { secret_access_key: t.secret(t.draw.word(20)) });
      t.choice("7.2-2", text.includes(DESTINATION_ERRORS.access_denied.name), "it is Access denied", {
        actual: text,
      });
    },
  },
  "7.2/nothing-kept": {
    title: "a destination that was refused does not exist",
    requirements: ["7-1"],
    needs: ["writes"],
    async run(t) {
      const display_name = t.draw.word(16);
      const config = { bucket_name: `missing-${t.draw.word()}` };
      const { body: before } = await t.call<readonly Members[]>("GET", DESTINATIONS);
      await createDestination(t, config);
      const { body: after } = await t.call<readonly Members[]>("GET", DESTINATIONS);
      t.choice("7-1", after.length === before.length, "nothing is kept of it", { actual: display_name });
    },
  },
  "7.3/interruption": {
    title: "an interrupted run goes on from its checkpoint",
    requirements: ["7.3-1", "8.3-2", "7.3-7"],
    needs: [...FAULTS, "object_store"],
    settings: { limits: { rows_per_file: 1 } },
    async run(t) {
      const rule = { plane: "worker", match: { at: "file.written", nth: 2 }, then: { crash: true } };
      const { exportId, prepared } = await retriedOnce(t, "7.3-1", rule);
      const ids = (await rowsOf(t, exportId)).map((row) => row.id);
      t.fact("8.3-2", ids.length === new Set(ids).size, "no row is written twice", { actual: ids.length });
      t.fact("7.3-1", ids.length === prepared.rows.length, "no row is missing", { actual: ids.length });
      const [run] = await runsOf(t, exportId);
      const files = run?.metadata.files ?? [];
      t.fact("8.3-2", files.length === 4 && new Set(files).size === 4, "four files of one row each", {
        actual: files,
      });
    },
  },
  "7.3/interruption-keeps-files": {
    title: "what was written before the checkpoint is not written again",
    requirements: ["7.3-1", "8.3-2"],
    needs: FAULTS,
    settings: { limits: { rows_per_file: 1 } },
    async run(t) {
      const puts = await arm(t, {
        plane: "s3",
        match: { op: "PutObject", key: "*.parquet" },
        then: { delay: "PT0.001S" },
        times: 100,
      });
      const { id } = await struck(t, {
        plane: "worker",
        match: { at: "checkpoint.saved", nth: 2 },
        then: { crash: true },
      });
      t.fact("7.3-1", await until(t, id, "COMPLETED"), "the export completes");
      const written = await hitsOf(t, puts);
      t.fact("8.3-2", written === 4, "each of four files is put once", { expected: 4, actual: written });
    },
  },
  "7.3/run-timeout": {
    title: "a run over its time is tried again",
    requirements: ["7.3-2", "7.3-7"],
    needs: FAULTS,
    async run(t) {
      await retriedOnce(t, "7.3-2", { preset: "run_timeout" });
    },
  },
  "7.3/workflow-timeout": {
    title: "an export over its time is TIMEDOUT and not tried again",
    requirements: ["7.3-3", "3.1-7", "3.1-9"],
    needs: FAULTS,
    async run(t) {
      const { id } = await struck(t, { preset: "workflow_timeout" });
      t.fact("3.1-7", await until(t, id, "TIMEDOUT"), "the export is TIMEDOUT");
      await t.advance("P1D");
      t.fact("7.3-3", statusOf(await exportOf(t, id)) === "TIMEDOUT", "it is not tried again");
      const siblings = (await runsOf(t, id)).map(statusOf);
      t.choice(
        "3.1-9",
        siblings.every((status) => status === "TIMEDOUT"),
        "its runs end with it",
        { actual: siblings },
      );
    },
  },
  "7.3/bucket-deleted": {
    title: "a missing bucket is not tried again",
    requirements: ["7.3-4"],
    needs: FAULTS,
    run: (t) => failsAtOnce(t, "7.3-4", { preset: "bucket_deleted" }),
  },
  "7.3/credentials-revoked": {
    title: "invalid credentials are not tried again",
    requirements: ["7.3-4"],
    needs: FAULTS,
    run: (t) => failsAtOnce(t, "7.3-4", { preset: "credentials_revoked" }),
  },
  "7.3/permission-denied": {
    title: "a missing permission is not tried again",
    requirements: ["7.3-4"],
    needs: FAULTS,
    run: (t) => failsAtOnce(t, "7.3-4", { preset: "permission_denied" }),
  },
  "7.3/destination-deleted": {
    title: "a deleted destination is not tried again",
    requirements: ["7.3-5"],
    needs: FAULTS,
    run: (t) => failsAtOnce(t, "7.3-5", { preset: "destination_deleted" }),
  },
  "7.3/processing-error": {
    title: "a processing error is tried again",
    requirements: ["7.3-6", "7.3-7"],
    needs: FAULTS,
    async run(t) {
      await retriedOnce(t, "7.3-6", { preset: "serialization_error" });
      await retriedOnce(t, "7.3-6", {
        plane: "worker",
        match: { at: "rows.read" },
        then: { error: "resource_exhausted" },
      });
    },
  },
  "8.3/retries": {
    title: "20 retries, thirty seconds apart, then the run and its export are FAILED",
    requirements: ["8.3-1", "3.1-5", "7.3-6"],
    needs: FAULTS,
    async run(t) {
      const rule = {
        plane: "worker",
        match: { at: "rows.read" },
        then: { error: "serialization_error" },
        times: 1000,
      };
      const { id, fault } = await struck(t, rule);
      await until(t, id, "RUNNING");
      const began = await t.now();
      t.fact("3.1-5", await until(t, id, "FAILED"), "a run without retries left makes the export FAILED");
      const took = ((await t.now()) - began) / SECOND;
      const hits = await hitsOf(t, fault);
      t.fact("8.3-1", hits === 21, "one attempt and 20 retries", { expected: 21, actual: hits });
      t.fact("8.3-1", took >= 600 && took < 630, "thirty seconds between any two of them", {
        expected: "600 s and a bit",
        actual: took,
      });
      const [run] = await runsOf(t, id);
      t.fact("7.3-6", run !== undefined && attempts(run) === 21, "each attempt is on record", {
        actual: run && attempts(run),
      });
    },
  },
  "8.3/retry-delay": {
    title: "a retry comes thirty seconds after the failure, the first as the last",
    requirements: ["8.3-1"],
    needs: FAULTS,
    async run(t) {
      const rule = {
        plane: "worker",
        match: { at: "run.started" },
        then: { error: "resource_exhausted" },
        times: 3,
      };
      const { id, fault } = await struck(t, rule);
      await until(t, id, "RUNNING");
      t.fact("8.3-1", (await hitsOf(t, fault)) === 1, "the first attempt is at once");
      for (const expected of [2, 3]) {
        await t.advance("PT29.999S");
        t.fact("8.3-1", (await hitsOf(t, fault)) === expected - 1, "29.999 s later there is no retry yet");
        await t.advance("PT0.001S");
        t.fact("8.3-1", (await hitsOf(t, fault)) === expected, "after 30 s there is", {
          actual: await hitsOf(t, fault),
        });
      }
    },
  },
  "3.1/failed-siblings": {
    title: "the other runs end with a FAILED export",
    requirements: ["3.1-9", "3.1-5"],
    needs: FAULTS,
    async run(t) {
      const { id } = await struck(t, { preset: "permission_denied" }, { days: 3 });
      t.fact("3.1-5", await until(t, id, "FAILED"), "one failed run makes the export FAILED");
      const statuses = (await runsOf(t, id)).map(statusOf);
      t.choice(
        "3.1-9",
        statuses.every((status) => status === "FAILED" || status === "COMPLETED"),
        "none is left open",
        {
          actual: statuses,
        },
      );
    },
  },
  "8.2/run-timeout": {
    title: "a run may take four hours and no longer",
    requirements: ["8.2-3"],
    needs: FAULTS,
    async run(t) {
      for (const [stall, expected] of [
        ["PT3H59M50S", 0],
        ["PT4H1S", 1],
      ] as const) {
        const { id } = await struck(t, { plane: "worker", match: { at: "run.started" }, then: { stall } });
        t.must("8.2-3", await until(t, id, "COMPLETED"), "the export completes");
        const [run] = await runsOf(t, id);
        t.fact(
          "8.2-3",
          run !== undefined && attempts(run) === expected,
          `a stall of ${stall}: attempts that failed`,
          {
            expected,
            actual: run && attempts(run),
          },
        );
      }
    },
  },
  "8.2/workflow-timeout": {
    title: "an export may take 72 hours from RUNNING on",
    requirements: ["8.2-4", "8.2-5"],
    needs: FAULTS,
    async run(t) {
      // Eighteen attempts of four hours and their pauses last a little longer than 72 hours.
      const rule = { plane: "worker", match: { at: "run.started" }, then: { stall: "PT5H" }, times: 100 };
      const { id } = await struck(t, rule);
      await until(t, id, "RUNNING");
      const began = await t.now();
      t.fact("8.2-4", await until(t, id, "TIMEDOUT"), "the export is TIMEDOUT");
      const took = ((await t.now()) - began) / HOUR;
      t.fact("8.2-4", Math.abs(took - 72) < 0.01, "after 72 hours", { expected: 72, actual: took });
      t.choice("export.workflow_timeout_start", took >= 72, "counted from RUNNING");
    },
  },
  "4.5/failed-run": {
    title: "a failed run tells its errors and when it ended",
    requirements: ["7.3-7", "4.5-1"],
    needs: FAULTS,
    async run(t) {
      const { id } = await struck(t, { preset: "permission_denied" });
      await until(t, id, "FAILED");
      const [run] = await runsOf(t, id);
      t.must("4.5-1", run !== undefined, "the run of a failed export is answered");
      const [[key = "", text = ""] = []] = Object.entries(run?.errors ?? {});
      t.fact("7.3-7", RETRY_KEY.test(key) && text.length > 0, "its error is a text under retry_<n>", {
        actual: run?.errors,
      });
      t.fact("4.5-1", instantOf(run?.created_at) > 0, "it has the time of its creation");
    },
  },
  "3.1/completed-needs-all": {
    title: "an export is COMPLETED only when every run is",
    requirements: ["3.1-6"],
    needs: FAULTS,
    async run(t) {
      const { id } = await struck(
        t,
        { plane: "worker", match: { at: "run.started" }, then: { stall: "PT1H" } },
        { days: 3 },
      );
      await t.advance("PT30M");
      const half = (await runsOf(t, id)).map(statusOf);
      t.fact(
        "3.1-6",
        half.includes("COMPLETED") && statusOf(await exportOf(t, id)) === "RUNNING",
        "one run stalls: RUNNING",
        {
          actual: half,
        },
      );
      t.fact("3.1-6", await until(t, id, "COMPLETED"), "all done: COMPLETED");
      t.fact(
        "3.1-6",
        (await runsOf(t, id)).every((run) => statusOf(run) === "COMPLETED"),
        "and so are its runs",
      );
    },
  },
});
