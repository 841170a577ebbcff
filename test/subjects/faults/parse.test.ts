import { describe, expect, it, test } from "vitest";
import { FAULT_PRESETS, FAULT_TARGETS, type FaultPreset } from "../../../contracts/spec/faults.ts";
import { OPERATIONS } from "../../../contracts/spec/operations.ts";
import { Refusal } from "../../../emulator/kernel/refusal.ts";
import { readFault } from "../../../emulator/subjects/faults/parse.ts";
import type { LimitSettings } from "../../../emulator/subjects/settings.ts";

const LIMITS = { run_timeout_ms: 14_400_000, workflow_timeout_ms: 259_200_000 } as LimitSettings;

const readRule = (input: unknown) => readFault(input, LIMITS);

function refusalOf(input: unknown): Refusal {
  try {
    readRule(input);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(input)} was accepted`);
}

const onWorker = (then: object) => ({ target: "worker", then });
const onS3 = (then: object) => ({ target: "s3", then });
const onHttp = (then: object) => ({ target: "http", then });
const onWebhook = (then: object) => ({ target: "webhook", then });
const crash = onWorker({ crash: true });
const slow = onS3({ s3_error: "SlowDown" });
const down = onHttp({ status: 503 });
const loss = onWebhook({ drop: true });

describe("refused when written", () => {
  test.each<[unknown, string, RegExp]>([
    [[], "invalid_request", /^body: must be an object/],
    [{ then: { crash: true } }, "unknown_target", /Known: worker, s3, http, webhook/],
    [{ ...crash, target: "wroker" }, "unknown_target", /"wroker".* Did you mean worker\?/],
    [{ ...crash, target: "constructor" }, "unknown_target", /"constructor"/],
    [{ ...crash, tims: 2 }, "unknown_field", /"tims".* Did you mean times\?/],
    [{ ...crash, nth: 2 }, "unknown_field", /Write it inside match/],
    [{ ...crash, match: { times: 2 } }, "unknown_key", /Write times next to match/],
    [{ ...crash, match: { bucket: "b" } }, "unknown_key", /Known: export_id, run, at, attempt, nth/],
    [{ ...slow, match: { buket: "b" } }, "unknown_key", /Did you mean bucket\?/],
    [{ ...crash, match: "*" }, "invalid_request", /^match: must be an object/],
    [{ ...crash, match: { at: "file.writen" } }, "unknown_point", /Did you mean file\.written\?/],
    [{ ...crash, match: { at: 3 } }, "unknown_point", /Known: export\.running, run\.started/],
    [{ ...slow, match: { bucket: "" } }, "invalid_match", /match\.bucket/],
    [{ ...slow, match: { bucket: [] } }, "invalid_match", /takes 1 to 20/],
    [
      { ...slow, match: { op: ["PutObject", "PutObjekt"] } },
      "unknown_operation",
      /match\.op\[1\].*Did you mean PutObject\?/,
    ],
    [{ ...slow, match: { op: "putobject" } }, "unknown_operation", /Did you mean PutObject\?/],
    [{ ...slow, match: { op: "Putt*" } }, "unknown_operation", /"Putt\*"/],
    [
      { target: "s3", match: { op: "PutObject", at: "run.started" }, then: { delete_bucket: "b" } },
      "invalid_match",
      /op and at exclude each other/,
    ],
    [{ ...slow, match: { at: "export.running" } }, "invalid_then", /s3_error answers a request/],
    [
      { ...down, match: { op: "GET /api/v1/bulk-export" } },
      "unknown_operation",
      /Did you mean GET \/api\/v1\/bulk-exports\?/,
    ],
    [{ ...down, match: { op: "GET /api/v1/bulk-exports/0f" } }, "unknown_operation", /use match\.path/],
    [{ ...down, match: { op: "getBulkExprt" } }, "unknown_operation", /Did you mean getBulkExport\?/],
    [{ ...down, match: { region: "uss" } }, "unknown_region", /Did you mean us\?/],
    [{ ...crash, match: { nth: 0 } }, "invalid_count", /from 1 to/],
    [{ ...crash, match: { nth: [1, 2] } }, "invalid_count", /match\.nth/],
    [{ ...crash, match: { attempt: "1" } }, "invalid_count", /from 0 to/],
    [{ ...crash, times: 0 }, "invalid_count", /^times/],
    [{ ...crash, times: 1.5 }, "invalid_count", /^times/],
    [{ ...crash, ttl: "1H" }, "invalid_duration", /^ttl: .*30s/],
    [{ ...crash, ttl: "PT0S" }, "invalid_duration", /longer than zero/],
    [{ ...crash, ttl: "P1M" }, "invalid_duration", /months and years/],
    [{ ...crash, ttl: null }, "invalid_duration", /^ttl/],
    [{ target: "worker" }, "invalid_then", /Give one of crash, stall, error, delete_destination/],
    [onHttp({}), "invalid_then", /Give one of status, delay\./],
    [onWorker({ s3_error: "SlowDown" }), "unknown_then", /Known: crash/],
    [onWorker({ crsh: true }), "unknown_then", /Did you mean crash\?/],
    [onWorker({ crash: true, stall: "PT1S" }), "invalid_then", /crash and stall exclude each other/],
    [onS3({ delay: "PT1S", reset: true }), "invalid_then", /delay and reset/],
    [onHttp({ status: 503, delay: "PT1S" }), "invalid_then", /status and delay/],
    [onHttp({ body: {} }), "invalid_then", /Give one of/],
    [onHttp({ delay: "PT1S", headers: { a: "b" } }), "invalid_then", /delay and headers/],
    [onWebhook({ drop: true, delay: "PT1S" }), "invalid_then", /drop and delay/],
    [onWorker({ crash: false }), "invalid_then", /must be true/],
    [onWorker({ stall: 5 }), "invalid_duration", /then\.stall/],
    [onWorker({ error: "serialisation_error" }), "unknown_error", /Did you mean serialization_error\?/],
    [onS3({ s3_error: "SlowDwon" }), "unknown_error_code", /Did you mean SlowDown\?/],
    [onS3({ s3_error: "toString" }), "unknown_error_code", /"toString"/],
    [onS3({ delete_bucket: false }), "invalid_match", /then\.delete_bucket/],
    [onHttp({ status: 99 }), "invalid_status", /200 to 599/],
    [onWebhook({ status: "500" }), "invalid_status", /200 to 599/],
    [onHttp({ status: 503, headers: { a: "b\r\nc: d" } }), "invalid_then", /printable/],
    [onHttp({ status: 503, headers: { "Content-Length": "1" } }), "invalid_then", /Content-Length/],
    [onWebhook({ duplicate: 1000 }), "invalid_count", /1 to 100/],
    [
      { preset: "worker_crsh" },
      "unknown_preset",
      /Did you mean worker_crash\? Known: .*permission_denied, serialization_error/,
    ],
    [{ preset: "worker_crash", then: { crash: true } }, "unknown_field", /cannot be combined with preset/],
    [{ preset: "worker_crash", match: { bucket: "b" } }, "unknown_key", /Known: export_id/],
  ])("%j", (input, code, problem) => {
    const refusal = refusalOf(input);
    expect(refusal).toMatchObject({ status: 422, code });
    expect(`${refusal.message} ${refusal.hint ?? ""}`).toMatch(problem);
  });
});

describe("accepted", () => {
  test.each<[string, unknown]>([
    ["a crash", { ...crash, match: { export_id: "*", at: "file.written", nth: 1 }, times: 1 }],
    ["a stall", { target: "worker", match: { run: "*" }, then: { stall: "PT4H1S" } }],
    ["an error of S3", { ...slow, match: { op: "PutObject", bucket: "exports", nth: 3 }, times: 2 }],
    ["a bucket's end", { target: "s3", match: { at: "export.running" }, then: { delete_bucket: "exports" } }],
    ["a delayed webhook", { target: "webhook", match: { url: "*" }, then: { duplicate: 1, delay: "PT5M" } }],
    ["a webhook without match", loss],
    ["text that fits operations", { ...slow, match: { op: ["*Object", "Head*"] } }],
  ])("%s, unchanged", (_, input) => {
    expect(readRule(input)).toMatchObject(input as object);
  });

  it("an operation of http by template, with any parameter names, or by id", () => {
    const opOf = (op: string) => readRule({ ...down, match: { op } }).match.op;
    expect(opOf("GET /api/v1/bulk-exports/{export_id}")).toBe("GET /api/v1/bulk-exports/{export_id}");
    expect(opOf("get /api/v1/bulk-exports/{id}")).toBe("GET /api/v1/bulk-exports/{export_id}");
    expect(opOf("getBulkExport")).toBe("getBulkExport");
    expect(opOf("* /api/v1/bulk-exports*")).toBe("* /api/v1/bulk-exports*");
    for (const { method, path } of Object.values(OPERATIONS))
      expect(opOf(`${method} ${path}`)).toBe(`${method} ${path}`);
  });

  it("a rule with plane, the former name of target", () => {
    expect(readRule({ plane: "worker", then: { crash: true } })).toEqual(readRule(crash));
    expect(refusalOf({ plane: "workr", then: { crash: true } }).code).toBe("unknown_target");
  });

  it("nth is 1, times 1 and ttl null by default", () => {
    expect(readRule(crash)).toEqual({
      target: "worker",
      preset: null,
      match: {},
      then: { crash: true },
      times: 1,
      ttl: null,
      ttlMs: null,
    });
    expect(readRule({ ...crash, ttl: "PT1H", times: 3 })).toMatchObject({
      ttl: "PT1H",
      ttlMs: 3_600_000,
      times: 3,
    });
  });

  it("presets, each of which is a rule that could have been written", () => {
    for (const name of Object.keys(FAULT_PRESETS)) {
      const { target, match, then } = readRule({ preset: name });
      expect(readRule({ target, match, then })).toMatchObject({ target, match, then });
    }
  });

  it("a preset with a match, times and ttl of the caller's", () => {
    expect(
      readRule({ preset: "worker_crash", match: { run: "AB*", nth: 2 }, times: 3, ttl: "PT1H" }),
    ).toMatchObject({
      preset: "worker_crash",
      match: { at: "file.written", run: "ab*", nth: 2 },
      then: { crash: true },
      times: 3,
      ttl: "PT1H",
    });
  });
});

describe("the table", () => {
  it("names only members that exist", () => {
    for (const row of Object.values(FAULT_TARGETS))
      for (const member of Object.values(row.then) as { combinesWith?: readonly string[] }[])
        for (const other of member.combinesWith ?? []) expect(Object.keys(row.then)).toContain(other);
  });

  it("has every preset that interfaces promise", () => {
    const presets: Readonly<Record<string, FaultPreset>> = FAULT_PRESETS;
    expect(Object.keys(presets)).toEqual([
      "worker_crash",
      "run_timeout",
      "workflow_timeout",
      "bucket_deleted",
      "destination_deleted",
      "credentials_revoked",
      "permission_denied",
      "serialization_error",
    ]);
  });
});
