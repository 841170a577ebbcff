import { type CaseRow, suite } from "../engine/case.ts";
import { equal, every, includes, isRefused } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import { HOUR, instantOf } from "../engine/instant.ts";
import type { Members } from "../engine/json.ts";
import { DESTINATION_ERRORS, type DestinationError, RETRY_KEY } from "../facts/bulk-exports.ts";
import {
  createDestination,
  DESTINATIONS,
  exportOf,
  filesOf,
  ingest,
  row,
  rowsOf,
  runsOf,
  statusOf,
  until,
} from "./export-helpers.ts";
import {
  arm,
  attempts,
  exportWithFault,
  FAULTS,
  hitsOf,
  retriedOnce,
  storeError,
  workerFault,
} from "./faulted-exports.ts";
import { listIn } from "./reading.ts";

async function expectError(
  t: Contract,
  key: DestinationError,
  config: Members,
  credentials: Members = {},
  alternative: DestinationError = key,
) {
  const name = DESTINATION_ERRORS[key];
  const names = [name, DESTINATION_ERRORS[alternative]];
  const { status, text, exchange } = await createDestination(t, config, credentials);
  const isNamed = isRefused(status) && names.some((field) => text.includes(field));
  t.fact("7.2-1", isNamed, `the error is named ${name}`, { expected: name, actual: text, exchange });
  t.choice("destination.error_overlap", text.includes(name), `the message begins with ${name}`, {
    actual: text,
    exchange,
  });
  t.choice("destination.error_status", equal(status, 400), "the reply is 400");
}

/** Checks that a failure ends the export without a retry. */
async function failsAtOnce(t: Contract, id: "7.3-4" | "7.3-5", rule: Members) {
  const { id: exportId, fault } = await exportWithFault(t, rule);
  t.fact(id, await until(t, exportId, "FAILED"), "the export is FAILED");
  t.fact(id, (await hitsOf(t, fault)) === 1, "the fault has triggered once");
  const runs = await runsOf(t, exportId);
  t.fact(id, every(runs.map(statusOf), "FAILED"), "the run is FAILED");
  const most = Math.max(0, ...runs.map(attempts));
  t.fact(id, most <= 1, "there was no retry", { expected: "there was one attempt at most", actual: most });
  await t.advance("PT1H");
  t.fact(id, statusOf(await exportOf(t, exportId)) === "FAILED", "the export stays FAILED");
  return exportId;
}

const notRetried = (title: string, id: "7.3-4" | "7.3-5", preset: string): CaseRow => ({
  title,
  requirements: [id],
  needs: FAULTS,
  run: async (t) => void (await failsAtOnce(t, id, { preset })),
});

const INVALID = DESTINATION_ERRORS.invalid_endpoint;

/** 4xx answers that are neither a missing bucket nor a missing permission. */
const REFUSALS = [
  "EntityTooLarge",
  "KeyTooLongError",
  "InvalidRequest",
  "PreconditionFailed",
  "MethodNotAllowed",
] as const;

const OUTAGES = ["SlowDown", "InternalError", "ServiceUnavailable", "RequestTimeout"] as const;

export const FAILURE_CASES = suite({
  "7.2/errors": {
    title: "each of the four documented destination errors has its own cause",
    requirements: ["7.2-1", "7-1"],
    needs: ["writes", "store_keys"],
    async run(t) {
      await expectError(t, "bucket_not_valid", { bucket_name: `missing-${t.draw.word()}` });
      await expectError(t, "key_id_does_not_exist", {}, { access_key_id: `NOBODY${t.draw.word()}` });
      await expectError(t, "invalid_endpoint", { endpoint_url: "http://127.0.0.1:9", region: undefined });
      const access_key_id = `denied-${t.draw.word()}`;
      const secret_access_key = t.secret(t.draw.word(24));
      await t.control("POST", "/s3/credentials", { access_key_id, secret_access_key, deny: ["put"] });
      await expectError(t, "access_denied", {}, { access_key_id, secret_access_key }, "bucket_not_valid");
    },
  },
  "7.2/overlap": {
    title: "the error for a wrong secret is Access denied",
    requirements: ["7.2-2"],
    needs: ["writes", "object_store"],
    async run(t) {
      const { text } = await createDestination(t, {}, { secret_access_key: t.secret(t.draw.word(20)) });
      t.choice(
        "7.2-2",
        includes(text, DESTINATION_ERRORS.access_denied),
        "the message begins with Access denied",
      );
    },
  },
  "7.2/nothing-kept": {
    title: "a refused destination does not exist",
    requirements: ["7-1"],
    needs: ["writes"],
    async run(t) {
      const display_name = t.draw.word(16);
      const config = { bucket_name: `missing-${t.draw.word()}` };
      const before = listIn((await t.call("GET", DESTINATIONS)).body);
      await createDestination(t, config);
      const after = listIn((await t.call("GET", DESTINATIONS)).body);
      t.choice("7-1", after.length === before.length, "the refused destination is not listed", {
        actual: display_name,
      });
    },
  },
  "7.3/interruption": {
    title: "an interrupted run resumes from its checkpoint",
    requirements: ["7.3-1", "8.3-2", "7.3-7", "2.6-2"],
    needs: [...FAULTS, "object_store"],
    settings: { limits: { rows_per_file: 1 } },
    async run(t) {
      const rule = { target: "worker", match: { at: "file.written", nth: 2 }, then: { crash: true } };
      const { exportId, prepared } = await retriedOnce(t, "7.3-1", rule);
      const ids = (await rowsOf(t, exportId)).map((row) => row.id);
      t.fact("8.3-2", equal(ids.length, new Set(ids).size), "no row is written twice");
      t.fact("7.3-1", equal(ids.length, prepared.rows.length), "no row is missing");
      const [run] = await runsOf(t, exportId);
      const files = run?.metadata.files ?? [];
      const storedFiles = await filesOf(t, exportId);
      const isOnce = files.length === storedFiles.length && new Set(files).size === files.length;
      t.fact("8.3-2", isOnce, "each file is reported once", { expected: storedFiles, actual: files });
      t.fact("2.6-2", equal(run?.rows_exported, prepared.rows.length), "each row is counted once");
    },
  },
  "7.3/interruption-keeps-files": {
    title: "files before the checkpoint are not written again",
    requirements: ["7.3-1", "8.3-2"],
    needs: [...FAULTS, "object_store"],
    settings: { limits: { rows_per_file: 1 } },
    async run(t) {
      const puts = await arm(t, {
        target: "s3",
        match: { op: "PutObject", key: "*.parquet" },
        then: { delay: "PT0.001S" },
        times: 100,
      });
      const { id } = await exportWithFault(t, {
        target: "worker",
        match: { at: "checkpoint.saved", nth: 2 },
        then: { crash: true },
      });
      t.fact("7.3-1", await until(t, id, "COMPLETED"), "the export completes");
      const uploads = await hitsOf(t, puts);
      t.fact("8.3-2", equal(uploads, (await filesOf(t, id)).length), "each file is uploaded once");
    },
  },
  "3.3/retry-reads-as-before": {
    title: "a retried run reads the rows as of its first attempt",
    requirements: ["3.3-5"],
    needs: [...FAULTS, "object_store"],
    async run(t) {
      const rule = workerFault("rows.read", { error: "resource_exhausted" });
      const { id, prepared, fault } = await exportWithFault(t, rule);
      await t.advance("PT5S");
      t.must("7.3-6", (await hitsOf(t, fault)) === 1, "the first attempt has failed within five seconds");
      const between = row(t, prepared.from + 12 * HOUR);
      await ingest(t, prepared.projectId, [between]);
      t.must("7.3-6", await until(t, id, "COMPLETED"), "the run is retried and the export completes");
      const actual = (await rowsOf(t, id)).map((sentRow) => sentRow.id);
      t.fact(
        "3.3-5",
        prepared.rows.every((sentRow) => actual.includes(sentRow.id)),
        "every row that existed when the run began is exported",
        { expected: prepared.rows.map((sentRow) => sentRow.id), actual },
      );
      t.choice(
        "export.read_as_of",
        !actual.includes(between.id),
        "a row ingested between the attempts is not exported",
        { expected: `no row ${between.id}`, actual },
      );
    },
  },
  "7.3/bucket-deleted": notRetried("a missing bucket is not retried", "7.3-4", "bucket_deleted"),
  "7.3/credentials-revoked": notRetried(
    "invalid credentials are not retried",
    "7.3-4",
    "credentials_revoked",
  ),
  "7.3/permission-denied": notRetried("a missing permission is not retried", "7.3-4", "permission_denied"),
  "7.3/store-refusals": {
    title: "every other 4xx of a store fails the run at once, under its own name",
    requirements: ["7.3-4"],
    needs: FAULTS,
    async run(t) {
      for (const code of REFUSALS) {
        const id = await failsAtOnce(t, "7.3-4", storeError(code));
        const [run] = await runsOf(t, id);
        const text = Object.values(run?.errors ?? {}).join();
        t.choice(
          "destination.own_error_names",
          includes(text, code),
          `it is recorded under the name ${code}`,
        );
      }
    },
  },
  "7.3/store-outages": {
    title: "an outage of the store interrupts the run",
    requirements: ["7.3-4", "7.3-7"],
    needs: FAULTS,
    async run(t) {
      for (const code of OUTAGES) {
        const { id } = await exportWithFault(t, storeError(code));
        t.choice("export.store_outage", await until(t, id, "COMPLETED"), `${code} passes`);
        const [run] = await runsOf(t, id);
        const recorded = run === undefined ? 0 : attempts(run);
        t.choice("export.interruption_counts", equal(recorded, 1), `${code} is recorded once`);
      }
    },
  },
  "7.2/own-names": {
    title: "only errors of the endpoint are reported as an invalid endpoint",
    requirements: ["7.2-1", "7.2-2"],
    needs: FAULTS,
    async run(t) {
      for (const code of ["EntityTooLarge", "InvalidRequest", "SlowDown"]) {
        await arm(t, { target: "s3", match: { op: "PutObject" }, then: { s3_error: code } });
        const { text, exchange } = await createDestination(t);
        t.fact("7.2-1", !text.includes(INVALID), `${code} is not reported as an invalid endpoint`, {
          exchange,
        });
        t.choice("destination.own_error_names", includes(text, code), `the error is named ${code}`);
      }
      const aws = { endpoint_url: undefined, region: "us-east-1" };
      await arm(t, { target: "s3", match: { op: "PutObject" }, then: { reset: true } });
      const { text, exchange } = await createDestination(t, aws);
      const message = "a destination without endpoint_url gets no invalid-endpoint error";
      t.fact("7.2-1", !text.includes(INVALID), message, { exchange });
    },
  },
  "7.3/destination-deleted": notRetried(
    "a deleted destination is not retried",
    "7.3-5",
    "destination_deleted",
  ),
  "7.3/processing-error": {
    title: "a processing error is retried",
    requirements: ["7.3-6", "7.3-7"],
    needs: FAULTS,
    async run(t) {
      await retriedOnce(t, "7.3-6", { preset: "serialization_error" });
      await retriedOnce(t, "7.3-6", workerFault("rows.read", { error: "resource_exhausted" }));
    },
  },
  "4.5/failed-run": {
    title: "a failed run has its errors and its creation time",
    requirements: ["7.3-7", "4.5-1"],
    needs: FAULTS,
    async run(t) {
      const { id } = await exportWithFault(t, { preset: "permission_denied" });
      await until(t, id, "FAILED");
      const [run] = await runsOf(t, id);
      t.must("4.5-1", run !== undefined, "the run of a failed export is returned");
      const [[key = "", text = ""] = []] = Object.entries(run?.errors ?? {});
      t.fact("7.3-7", RETRY_KEY.test(key) && text.length > 0, "the error is a string under retry_<n>", {
        actual: run?.errors,
      });
      t.fact("4.5-1", instantOf(run?.created_at) > 0, "the run has its creation time");
    },
  },
});
