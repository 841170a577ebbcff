import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { AGENT_LIMITS } from "../../../contracts/spec/agent/limits.ts";
import { COLUMN_NAMES } from "../../../contracts/spec/bulk-exports/columns.ts";
import {
  DESTINATION_ERROR_PREFIX,
  DESTINATION_ERRORS,
  EXPORT_FAILURES,
} from "../../../contracts/spec/failures.ts";
import {
  EXPORT_MOVES,
  EXPORT_RUN_MOVES,
  EXPORT_STATUS_NAMES,
  EXPORT_STATUSES,
  type Move,
  OBSERVED_SPELLINGS,
} from "../../../contracts/spec/lifecycle.ts";
import { INTERVAL_HOURS, LIMITS, LIST_RUNS, TIMINGS } from "../../../contracts/spec/limits.ts";
import { DEFAULT_VERSIONS, VERSION_GATES } from "../../../contracts/spec/versions.ts";

const SPEC = new URL("../../../contracts/spec/", import.meta.url);

test("the tables import nothing from outside their folder", () => {
  const files = readdirSync(SPEC, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  expect(files.length).toBeGreaterThan(40);
  for (const file of files) {
    const url = new URL(file, SPEC);
    const from = [...readFileSync(url, "utf8").matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)];
    const outside = from
      .map(([, path = ""]) => path)
      .filter((path) => !path.startsWith(".") || !new URL(path, url).href.startsWith(SPEC.href));
    expect(outside, file).toEqual([]);
  }
});

describe("§2.7 columns", () => {
  const GROUPS = {
    identifiers_and_hierarchy:
      "id tenant_id session_id trace_id parent_run_id parent_run_ids reference_example_id",
    basic_metadata: "name run_type start_time end_time status is_root dotted_order trace_tier",
    run_data: "inputs outputs error extra events",
    tags_and_feedback: "tags feedback_stats",
    token_usage_and_costs:
      "total_tokens prompt_tokens completion_tokens total_cost prompt_cost completion_cost first_token_time",
  };

  test("are 29, in the order of the five groups", () => {
    expect(COLUMN_NAMES).toEqual(Object.values(GROUPS).flatMap((names) => names.split(" ")));
    expect(COLUMN_NAMES).toHaveLength(29);
  });
});

describe("§3.1 statuses", () => {
  test("are six, of which four are final", () => {
    expect(EXPORT_STATUS_NAMES).toEqual([
      "CREATED",
      "RUNNING",
      "COMPLETED",
      "FAILED",
      "CANCELLED",
      "TIMEDOUT",
    ]);
    expect(EXPORT_STATUS_NAMES.filter((name) => EXPORT_STATUSES[name].final)).toEqual([
      "COMPLETED",
      "FAILED",
      "CANCELLED",
      "TIMEDOUT",
    ]);
  });

  test.each([
    ["exports", EXPORT_MOVES],
    ["export runs", EXPORT_RUN_MOVES],
  ] as [string, readonly Move[]][])(
    "no move of %s leads out of a final one, none is there twice",
    (_, moves) => {
      expect(moves.filter(({ from }) => EXPORT_STATUSES[from].final)).toEqual([]);
      const keys = moves.map(({ from, trigger }) => `${from} ${trigger}`);
      expect(new Set(keys).size).toBe(keys.length);
    },
  );

  test.each([
    ["CREATED", "cancel", "CANCELLED"],
    ["RUNNING", "cancel", "CANCELLED"],
    ["RUNNING", "run_failed", "FAILED"],
    ["RUNNING", "all_runs_completed", "COMPLETED"],
    ["RUNNING", "workflow_timeout", "TIMEDOUT"],
  ])("%s moves by %s to %s", (from, trigger, to) => {
    expect(EXPORT_MOVES).toContainEqual(expect.objectContaining({ from, trigger, to }));
  });

  test("have the spellings of the public service beside them", () => {
    expect(OBSERVED_SPELLINGS).toEqual({
      CREATED: "Created",
      RUNNING: "Running",
      COMPLETED: "Completed",
      FAILED: "Failed",
      CANCELLED: "Cancelled",
      TIMEDOUT: "TimedOut",
    });
  });
});

describe("§8 limits", () => {
  test.each([
    ["max_concurrent_runs_per_export", 45, 5],
    ["max_concurrent_exports_per_workspace", 15, 3],
    ["run_timeout", "PT4H", undefined],
    ["workflow_timeout", "PT72H", "PT48H"],
    ["max_retries", 20, undefined],
    ["retry_delay", "PT30S", undefined],
  ] as const)("%s is %s, elsewhere %s", (key, value, conflict) => {
    expect(LIMITS[key]).toMatchObject({ value });
    expect("conflict" in LIMITS[key] ? LIMITS[key].conflict : undefined).toBe(conflict);
    expect(LIMITS[key]).not.toHaveProperty("own");
  });

  test("the others are bounds of our own", () => {
    const own = Object.entries(LIMITS).flatMap(([key, row]) => ("own" in row ? [[key, row.value]] : []));
    expect(Object.fromEntries(own)).toMatchObject({
      ...Object.fromEntries(Object.entries(AGENT_LIMITS).map(([key, { value }]) => [key, value])),
      rows_per_file: 10_000,
      bytes_per_file: 64 * 1024 * 1024,
      body_bytes: 20 * 1024 * 1024,
      events_per_advance: 1_000_000,
    });
  });

  test("a spawned export runs ten minutes after its window; lists page by ten; hours go from 1 to 168", () => {
    expect(TIMINGS.spawn_grace.value).toBe("PT10M");
    expect(LIST_RUNS).toMatchObject({ limit: 10, offset: 0 });
    expect(INTERVAL_HOURS).toMatchObject({ minimum: 1, maximum: 168 });
  });
});

describe("§7 failures", () => {
  test("§7.2 names four errors, and each message begins with its name", () => {
    expect(Object.values(DESTINATION_ERRORS).map(({ name }) => name)).toEqual([
      "Access denied",
      "Bucket is not valid",
      "Key ID you provided does not exist",
      "Invalid endpoint",
    ]);
    for (const { name, message } of Object.values(DESTINATION_ERRORS))
      expect(message.startsWith(name)).toBe(true);
    expect(DESTINATION_ERROR_PREFIX).toBe("Failed to validate S3 destination: ");
  });

  test("§7.3 says which failures are tried again", () => {
    const retried = Object.entries(EXPORT_FAILURES).map(([key, { retry }]) => [key, retry]);
    expect(Object.fromEntries(retried)).toEqual({
      infrastructure_interruption: true,
      run_timeout: true,
      workflow_timeout: false,
      storage_error: false,
      destination_deleted: false,
      serialization_error: true,
      resource_exhausted: true,
    });
  });
});

describe("§9.4 versions", () => {
  test.each([
    ["session_token", { service: "0.10.34", application: "0.10.91" }],
    ["scheduled_exports", { service: "0.10.42", application: "0.10.109" }],
    ["export_fields", { service: "0.12.11", application: "0.12.42" }],
    ["webhook_settings", { agent_server: "0.5.36" }],
    ["disable_webhooks", { agent_server: "0.2.78" }],
  ] as const)("%s", (key, versions) => {
    const { feature: _, requirement: __, ...since } = VERSION_GATES[key];
    expect(since).toEqual(versions);
  });

  test("the emulated ones pass every gate", () => {
    const parts = (version: string) => version.split(".").map(Number);
    const atLeast = (have: string, need: string) => {
      const [a, b] = [parts(have), parts(need)];
      const first = a.findIndex((part, index) => part !== b[index]);
      return first === -1 || (a[first] as number) > (b[first] as number);
    };
    for (const gate of Object.values(VERSION_GATES))
      for (const [name, version] of Object.entries(DEFAULT_VERSIONS))
        if (name in gate) expect(atLeast(version, gate[name as never])).toBe(true);
  });
});
