import { equal } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import type { Members } from "../engine/json.ts";
import { RETRY_KEY } from "../facts/bulk-exports.ts";
import {
  createExport,
  type ExportRunBody,
  type Identified,
  prepare,
  runsOf,
  until,
} from "./export-helpers.ts";

export const FAULTS = ["writes", "ingest", "clock", "faults"] as const;

export const attempts = ({ errors }: ExportRunBody) => Object.keys(errors ?? {}).length;

/** A fault rule for a point in the life of an export run. */
export const workerFault = (at: string, then: Members, more: Members = {}): Members => ({
  target: "worker",
  match: { at },
  then,
  ...more,
});

/** An error with which the store answers the next put of an export file. */
export const storeError = (s3_error: string): Members => ({
  target: "s3",
  match: { op: "PutObject", key: "*.parquet" },
  then: { s3_error },
});

export function arm(t: Contract, rule: Members): Promise<Identified> {
  return t.control<Identified>("POST", "/faults", rule);
}

export async function hitsOf(t: Contract, { id }: Identified): Promise<number> {
  return Number((await t.control<{ readonly hits: number }>("GET", `/faults/${id}`)).hits);
}

/** Creates an export of one run under a fault. */
export async function exportWithFault(t: Contract, rule: Members, limit: Members = {}) {
  const prepared = await prepare(t, { days: 1, perDay: 4, ...limit });
  const fault = await arm(t, rule);
  const { id } = await createExport(t, prepared);
  return { prepared, fault, id };
}

/** Checks that a failure is retried: the export completes with one recorded attempt. */
export async function retriedOnce(t: Contract, id: "7.3-1" | "7.3-2" | "7.3-6", rule: Members) {
  const { id: exportId, prepared, fault } = await exportWithFault(t, rule);
  t.fact(id, await until(t, exportId, "COMPLETED"), "the run is retried and the export completes");
  const [run] = await runsOf(t, exportId);
  t.must("7.3-7", run !== undefined, "the run is returned");
  t.fact(id, equal(await hitsOf(t, fault), 1), "one attempt has failed");
  const isRecorded = equal(run && attempts(run), 1);
  // Errors are recorded when they are known ones (§7.3); that an interruption is one is not said.
  if (id !== "7.3-1")
    t.fact("7.3-7", isRecorded, "the attempt that failed is recorded", { actual: run?.errors });
  else if (!t.choice("export.interruption_counts", isRecorded, "the interruption is recorded"))
    return { exportId, prepared };
  t.fact(
    "7.3-7",
    Object.keys(run?.errors ?? {}).every((key) => RETRY_KEY.test(key)),
    "the error is under retry_<n>",
    { actual: run?.errors },
  );
  t.choice(
    "export.retry_numbering",
    Object.keys(run?.errors ?? {})[0] === "retry_0",
    "the first attempt is retry_0",
  );
  return { exportId, prepared };
}
