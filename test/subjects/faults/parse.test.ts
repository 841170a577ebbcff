import { describe, expect, it, test } from "vitest";
import { FAULT_PRESETS, FAULT_TARGETS, type FaultPreset } from "../../../contracts/spec/faults.ts";
import { OPERATIONS } from "../../../contracts/spec/operations.ts";
import { Refusal } from "../../../emulator/kernel/refusal.ts";
import { readFault } from "../../../emulator/subjects/faults/parse.ts";
import type { LimitSettings } from "../../../emulator/subjects/settings.ts";

const LIMITS = { run_timeout_ms: 14_400_000, workflow_timeout_ms: 259_200_000 } as LimitSettings;

function read(input: unknown) {
  return readFault(input, LIMITS);
}

function refusalOf(input: unknown): Refusal {
  try {
    read(input);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(input)} was accepted`);
}

const crash = { target: "worker", then: { crash: true } };
const slow = { target: "s3", then: { s3_error: "SlowDown" } };
const down = { target: "http", then: { status: 503 } };
const lost = { target: "webhook", then: { drop: true } };

describe("refused when written", () => {
  test.each<[string, unknown, string, RegExp]>([
    ["no object", [], "invalid_request", /^body: must be an object/],
    ["no target", { then: { crash: true } }, "unknown_target", /Known: worker, s3, http, webhook/],
    ["unknown target", { ...crash, target: "wroker" }, "unknown_target", /"wroker".* Did you mean worker\?/],
    ["a target of every object", { ...crash, target: "constructor" }, "unknown_target", /"constructor"/],
    ["unknown member", { ...crash, tims: 2 }, "unknown_field", /"tims".* Did you mean times\?/],
    ["nth outside match", { ...crash, nth: 2 }, "unknown_field", /Write it inside match/],
    ["times inside match", { ...crash, match: { times: 2 } }, "unknown_key", /Write times next to match/],
    [
      "unknown key",
      { ...crash, match: { bucket: "b" } },
      "unknown_key",
      /Known: export_id, run, at, attempt, nth/,
    ],
    ["misspelt key", { ...slow, match: { buket: "b" } }, "unknown_key", /Did you mean bucket\?/],
    ["match of no object", { ...crash, match: "*" }, "invalid_request", /^match: must be an object/],
    [
      "unknown point",
      { ...crash, match: { at: "file.writen" } },
      "unknown_point",
      /Did you mean file\.written\?/,
    ],
    [
      "point of another kind",
      { ...crash, match: { at: 3 } },
      "unknown_point",
      /Known: export\.running, run\.started/,
    ],
    ["empty text", { ...slow, match: { bucket: "" } }, "invalid_match", /match\.bucket/],
    ["empty list", { ...slow, match: { bucket: [] } }, "invalid_match", /takes 1 to 20/],
    [
      "a word of a list",
      { ...slow, match: { op: ["PutObject", "PutObjekt"] } },
      "unknown_operation",
      /match\.op\[1\].*Did you mean PutObject\?/,
    ],
    [
      "unknown operation of S3",
      { ...slow, match: { op: "putobject" } },
      "unknown_operation",
      /Did you mean PutObject\?/,
    ],
    ["text that fits no operation", { ...slow, match: { op: "Putt*" } }, "unknown_operation", /"Putt\*"/],
    [
      "op and at",
      { target: "s3", match: { op: "PutObject", at: "run.started" }, then: { delete_bucket: "b" } },
      "invalid_match",
      /op and at exclude each other/,
    ],
    [
      "a point for an answer",
      { ...slow, match: { at: "export.running" } },
      "invalid_then",
      /s3_error answers a request/,
    ],
    [
      "unknown operation",
      { ...down, match: { op: "GET /api/v1/bulk-export" } },
      "unknown_operation",
      /Did you mean GET \/api\/v1\/bulk-exports\?/,
    ],
    [
      "a path without its template",
      { ...down, match: { op: "GET /api/v1/bulk-exports/0f" } },
      "unknown_operation",
      /use match\.path/,
    ],
    [
      "unknown operation id",
      { ...down, match: { op: "getBulkExprt" } },
      "unknown_operation",
      /Did you mean getBulkExport\?/,
    ],
    ["unknown region", { ...down, match: { region: "uss" } }, "unknown_region", /Did you mean us\?/],
    ["nth from 0", { ...crash, match: { nth: 0 } }, "invalid_count", /from 1 to/],
    ["nth as a list", { ...crash, match: { nth: [1, 2] } }, "invalid_count", /match\.nth/],
    ["attempt of text", { ...crash, match: { attempt: "1" } }, "invalid_count", /from 0 to/],
    ["times of 0", { ...crash, times: 0 }, "invalid_count", /^times/],
    ["times of a half", { ...crash, times: 1.5 }, "invalid_count", /^times/],
    ["ttl that is not a duration", { ...crash, ttl: "1h" }, "invalid_duration", /^ttl: .*PT30S/],
    ["ttl of nothing", { ...crash, ttl: "PT0S" }, "invalid_duration", /longer than zero/],
    ["ttl of months", { ...crash, ttl: "P1M" }, "invalid_duration", /months and years/],
    ["ttl of null", { ...crash, ttl: null }, "invalid_duration", /^ttl/],
    ["no then", { target: "worker" }, "invalid_then", /Give one of crash, stall, error, delete_destination/],
    ["empty then", { target: "http", then: {} }, "invalid_then", /Give one of status, delay\./],
    [
      "then of another target",
      { target: "worker", then: { s3_error: "SlowDown" } },
      "unknown_then",
      /Known: crash/,
    ],
    ["misspelt then", { target: "worker", then: { crsh: true } }, "unknown_then", /Did you mean crash\?/],
    [
      "several thens",
      { target: "worker", then: { crash: true, stall: "PT1S" } },
      "invalid_then",
      /crash and stall exclude each other/,
    ],
    [
      "several thens of s3",
      { target: "s3", then: { delay: "PT1S", reset: true } },
      "invalid_then",
      /delay and reset/,
    ],
    [
      "status and delay",
      { target: "http", then: { status: 503, delay: "PT1S" } },
      "invalid_then",
      /status and delay/,
    ],
    ["a body without status", { target: "http", then: { body: {} } }, "invalid_then", /Give one of/],
    [
      "headers of a delay",
      { target: "http", then: { delay: "PT1S", headers: { a: "b" } } },
      "invalid_then",
      /delay and headers/,
    ],
    [
      "drop and delay",
      { target: "webhook", then: { drop: true, delay: "PT1S" } },
      "invalid_then",
      /drop and delay/,
    ],
    ["crash of false", { target: "worker", then: { crash: false } }, "invalid_then", /must be true/],
    ["stall of a number", { target: "worker", then: { stall: 5 } }, "invalid_duration", /then\.stall/],
    [
      "unknown processing error",
      { target: "worker", then: { error: "serialisation_error" } },
      "unknown_error",
      /Did you mean serialization_error\?/,
    ],
    [
      "unknown error code",
      { target: "s3", then: { s3_error: "SlowDwon" } },
      "unknown_error_code",
      /Did you mean SlowDown\?/,
    ],
    [
      "a code of every object",
      { target: "s3", then: { s3_error: "toString" } },
      "unknown_error_code",
      /"toString"/,
    ],
    [
      "a bucket of false",
      { target: "s3", then: { delete_bucket: false } },
      "invalid_match",
      /then\.delete_bucket/,
    ],
    ["status of 99", { target: "http", then: { status: 99 } }, "invalid_status", /200 to 599/],
    ["status of text", { target: "webhook", then: { status: "500" } }, "invalid_status", /200 to 599/],
    [
      "header with a line break",
      { target: "http", then: { status: 503, headers: { a: "b\r\nc: d" } } },
      "invalid_then",
      /printable/,
    ],
    [
      "header that the server sets",
      { target: "http", then: { status: 503, headers: { "Content-Length": "1" } } },
      "invalid_then",
      /Content-Length/,
    ],
    ["a thousand copies", { target: "webhook", then: { duplicate: 1000 } }, "invalid_count", /1 to 100/],
    [
      "unknown preset",
      { preset: "worker_crsh" },
      "unknown_preset",
      /Did you mean worker_crash\? Known: .*permission_denied, serialization_error/,
    ],
    [
      "preset with then",
      { preset: "worker_crash", then: { crash: true } },
      "unknown_field",
      /cannot be combined with preset/,
    ],
    [
      "preset with a key of another target",
      { preset: "worker_crash", match: { bucket: "b" } },
      "unknown_key",
      /Known: export_id/,
    ],
  ])("%s", (_, input, code, says) => {
    const refusal = refusalOf(input);
    expect(refusal).toMatchObject({ status: 422, code });
    expect(`${refusal.message} ${refusal.hint ?? ""}`).toMatch(says);
  });
});

describe("accepted", () => {
  test.each<[string, unknown]>([
    ["a crash", { ...crash, match: { export_id: "*", at: "file.written", nth: 1 }, times: 1 }],
    ["a stall", { target: "worker", match: { run: "*" }, then: { stall: "PT4H1S" } }],
    ["an error of S3", { ...slow, match: { op: "PutObject", bucket: "exports", nth: 3 }, times: 2 }],
    ["a bucket's end", { target: "s3", match: { at: "export.running" }, then: { delete_bucket: "exports" } }],
    ["a delayed webhook", { target: "webhook", match: { url: "*" }, then: { duplicate: 1, delay: "PT5M" } }],
    ["a webhook without match", lost],
    ["text that fits operations", { ...slow, match: { op: ["*Object", "Head*"] } }],
  ])("%s, unchanged", (_, input) => {
    expect(read(input)).toMatchObject(input as object);
  });

  it("an operation of http by template, with any parameter names, or by id", () => {
    const opOf = (op: string) => read({ ...down, match: { op } }).match.op;
    expect(opOf("GET /api/v1/bulk-exports/{export_id}")).toBe("GET /api/v1/bulk-exports/{export_id}");
    expect(opOf("get /api/v1/bulk-exports/{id}")).toBe("GET /api/v1/bulk-exports/{export_id}");
    expect(opOf("getBulkExport")).toBe("getBulkExport");
    expect(opOf("* /api/v1/bulk-exports*")).toBe("* /api/v1/bulk-exports*");
    for (const { method, path } of Object.values(OPERATIONS))
      expect(opOf(`${method} ${path}`)).toBe(`${method} ${path}`);
  });

  it("a rule with plane, the former name of target", () => {
    expect(read({ plane: "worker", then: { crash: true } })).toEqual(read(crash));
    expect(refusalOf({ plane: "workr", then: { crash: true } }).code).toBe("unknown_target");
  });

  it("nth is 1, times 1 and ttl null by default", () => {
    expect(read(crash)).toEqual({
      target: "worker",
      preset: null,
      match: {},
      then: { crash: true },
      times: 1,
      ttl: null,
      ttlMs: null,
    });
    expect(read({ ...crash, ttl: "PT1H", times: 3 })).toMatchObject({
      ttl: "PT1H",
      ttlMs: 3_600_000,
      times: 3,
    });
  });

  it("presets, each of which is a rule that could have been written", () => {
    for (const name of Object.keys(FAULT_PRESETS)) {
      const { target, match, then } = read({ preset: name });
      expect(read({ target, match, then })).toMatchObject({ target, match, then });
    }
  });

  it("a preset with a match, times and ttl of the caller's", () => {
    expect(
      read({ preset: "worker_crash", match: { run: "AB*", nth: 2 }, times: 3, ttl: "PT1H" }),
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
      for (const member of Object.values(row.then) as { beside?: readonly string[] }[])
        for (const other of member.beside ?? []) expect(Object.keys(row.then)).toContain(other);
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
