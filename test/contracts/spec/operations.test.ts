import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { Field } from "../../../contracts/spec/fields.ts";
import { accessOf, type Operation } from "../../../contracts/spec/operation.ts";
import type { BodyOf, PathOf, QueryOf, ReplyBodyOf } from "../../../contracts/spec/operations.ts";
import { OPERATIONS } from "../../../contracts/spec/operations.ts";
import { rowsCounting } from "../../../contracts/spec/rate-limits/rows.ts";
import {
  UNSHOWN_AREAS,
  UNSHOWN_PATHS,
  unshownArea,
  unshownPath,
} from "../../../contracts/spec/undocumented-paths.ts";
import { createRowFinder } from "../../../emulator/subjects/rate-limits/matching.ts";

const ROWS = Object.entries(OPERATIONS) as [string, Operation][];

const placesOf = ({ path, alsoAt = [] }: Operation) => [path, ...alsoAt];
const namesIn = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);

describe("the operations", () => {
  test.each([
    ["createBulkExportDestination", "POST /api/v1/bulk-exports/destinations", "4.2"],
    ["createBulkExport", "POST /api/v1/bulk-exports", "4.3"],
    ["getBulkExport", "GET /api/v1/bulk-exports/{export_id}", "4.4"],
    ["listBulkExportRuns", "GET /api/v1/bulk-exports/{export_id}/runs", "4.5"],
    ["listBulkExports", "GET /api/v1/bulk-exports", "4.6"],
    ["stopBulkExport", "PATCH /api/v1/bulk-exports/{export_id}", "4.7"],
  ] as const)("%s is %s of §%s and needs a workspace", (id, call, section) => {
    const { method, path, shown, workspace } = OPERATIONS[id];
    expect(`${method} ${path}`).toBe(call);
    expect(OPERATIONS[id]).toMatchObject({ section, shown: true, workspace: "required" });
    expect(shown && workspace).toBe("required");
  });

  test.each(ROWS)("%s names its requirements, its path's parameters and a fitting reply", (_, row) => {
    expect(row.requirements.length).toBeGreaterThan(0);
    for (const id of row.requirements) expect(id).toMatch(/^(?:\d+(?:\.\d+)?|X)-\d+$/);
    for (const path of placesOf(row)) expect(namesIn(path)).toEqual(Object.keys(row.pathParameters ?? {}));
    expect([200, 202, 204]).toContain(row.reply.status);
    if (row.shown) expect(row.reply.status).toBe(200);
    if (row.reply.status === 204) expect(row.reply.body).toBeUndefined();
  });

  test.each(ROWS)("%s can be refused for its identity, and its body for its form", (_, row) => {
    const unreadable = row.errors === "otlp" ? 400 : 422;
    if (row.workspace !== "none")
      expect(row.refusals).toEqual(expect.arrayContaining([401, 403, unreadable, 429]));
    if (row.body) expect(row.refusals).toEqual(expect.arrayContaining([413, 415, unreadable]));
    expect(row.refusals.filter((status) => status < 400 || status > 429)).toEqual([]);
  });

  test.each(ROWS)("%s can be refused with 429 wherever §8.5 counts it", (_, row) => {
    for (const path of placesOf(row))
      expect(row.refusals.includes(429)).toBe(rowsCounting(row.method, path).length > 0);
  });

  test.each([
    ["POST", "/runs/multipart"],
    ["GET", "/runs/{run_id}"],
    ["DELETE", "/sessions/{session_id}"],
    ["GET", "/openapi.json"],
    ["GET", "/ok"],
  ])("%s %s is counted by the rows that the emulator finds for it", (method, path) => {
    const requestPath = path.replaceAll(/\{\w+\}/g, "00000000-0000-4000-8000-000000000001");
    const finder = createRowFinder({ trigger_methods: "DELETE", has_newer_rows: false });
    expect(rowsCounting(method, path).length > 0).toBe(finder.find(method, requestPath).length > 0);
  });

  test("those that only read, or end something, although they carry a body, say so in a column", () => {
    const idsOf = (expected: string) =>
      ROWS.filter(([, row]) => !["GET", "DELETE"].includes(row.method) && accessOf(row) === expected).map(
        ([id]) => id,
      );
    expect(idsOf("reads").sort()).toEqual(
      [
        ...["countAssistants", "countCrons", "countThreads", "findThreadState", "queryRuns", "queryRunsV2"],
        ...[
          "listAssistantVersions",
          "queryThreads",
          "queryTraces",
          "statThreads",
          "searchAssistants",
          "searchCrons",
          "searchThreadHistory",
          "searchThreads",
          "statRuns",
        ],
        "validateFilter",
      ].sort(),
    );
    expect(idsOf("removes")).toEqual(["cancelThreadRun", "cancelRuns", "pruneThreads"]);
    for (const [, row] of ROWS) if (row.method === "GET") expect(accessOf(row)).toBe("reads");
  });

  test("only those that tell of the server are left out of recordings", () => {
    const leftOut = ROWS.filter(([, { recorded }]) => recorded === false).map(([id]) => id);
    expect(leftOut).toEqual(["ok", "livez", "readyz", "info", "openapi"]);
  });

  test("no two of them share a method and path, unless the body decides which is meant", () => {
    const plain = ROWS.filter(([, { when }]) => when === undefined);
    const calls = plain.flatMap(([, row]) => placesOf(row).map((path) => `${row.method} ${path}`));
    const decided = ROWS.filter(([, { when }]) => when !== undefined);
    expect(decided.map(([, { method, path }]) => `${method} ${path}`)).toEqual([
      "POST /runs",
      "POST /runs/batch",
    ]);
    for (const [, { method, path }] of decided) expect(calls).toContain(`${method} ${path}`);
    expect(new Set(calls).size).toBe(calls.length);
  });

  test("every ingest path is also below /api/v1", () => {
    for (const [, row] of ROWS)
      if (!row.path.startsWith("/api/v") && row.server === "platform")
        expect(row.alsoAt).toEqual([`/api/v1${row.path}`]);
  });

  test("none of their paths is listed as not in the specification", () => {
    const sample = (path: string) => path.replaceAll(/\{\w+\}/g, "00000000-0000-4000-8000-000000000001");
    for (const [id, row] of ROWS)
      for (const path of placesOf(row)) expect(unshownPath(row.method, sample(path)), id).toBeUndefined();
  });

  test("give their handlers exact types", () => {
    expectTypeOf<PathOf<"getBulkExportRun">>().toEqualTypeOf<
      { readonly export_id: string; readonly run_id: string } & Readonly<Record<never, never>>
    >();
    expectTypeOf<QueryOf<"listBulkExports">["limit"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<QueryOf<"listSpawnedRuns">["source_bulk_export_id"]>().toEqualTypeOf<string>();
    expectTypeOf<BodyOf<"stopBulkExport">["status"]>().toEqualTypeOf<"Cancelled">();
    expectTypeOf<BodyOf<"getBulkExport">>().toEqualTypeOf<undefined>();
    expectTypeOf<BodyOf<"createBulkExport">["interval_hours"]>().toEqualTypeOf<number | null | undefined>();
    expectTypeOf<ReplyBodyOf<"getBulkExport">["status"]>().toEqualTypeOf<
      "CREATED" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLED" | "TIMEDOUT"
    >();
  });
});

describe("a path that the specification does not show", () => {
  test.each([
    ["GET", "/repos", "8.5"],
    ["GET", "/repos/a/b", "8.5"],
    ["POST", "/any/charts/section", "8.5"],
    ["POST", "/x/v1/metadata/submit", "8.5"],
    ["POST", "/v1/metadata/submit", "8.5"],
    ["PUT", "/rules/7/trigger", "8.5"],
    ["GET", "/runs/rules", "4"],
    ["GET", "/api/v1/feedback/tokens", "4"],
    ["POST", "/feedback/tokens/7", "4"],
  ])("%s %s is named in §%s", (method, path, section) => {
    expect(unshownPath(method, path)?.section).toBe(section);
  });

  test.each([
    ["GET", "/sessions"],
    ["GET", "/feedback"],
    ["GET", "/repositories"],
    ["GET", "/examples-of-mine"],
    ["POST", "/runs/stats/more"],
    ["GET", "/thread/t/runs"],
    ["GET", "/"],
  ])("%s %s is none", (method, path) => {
    expect(unshownPath(method, path)).toBeUndefined();
  });

  test.each([
    "/assistants/a/schemas",
    "/threads/t/prune",
    "/thread/t/runs/",
    "/runs/crons/search/more",
    "/runs/wait/",
    "/store/items",
    "/a2a/7",
    "/mcp/",
    "/metrics",
    "/threads//runs",
    "//threads/t/",
    "/threads/t/runs/r/deeper/still/",
  ])("%s belongs to a group that §1 names", (path) => {
    expect(unshownArea(path)).toMatchObject({ section: "1", server: "agent" });
  });

  test.each(["/datasets", "/annotation-queues", "/api/v2/x", "/runs/", "/"])(
    "%s is in no section",
    (path) => {
      expect(unshownArea(path)).toMatchObject({ section: "4", server: "platform" });
    },
  );

  test("always says what the section does show", () => {
    for (const { says, section } of [...UNSHOWN_PATHS, ...UNSHOWN_AREAS]) {
      expect(says).toMatch(section === "4" ? /^shows no such path$/ : /^names [ -~]+[^.]$/);
      expect(section).toMatch(/^(?:1|4|8\.5)$/);
    }
  });
});

describe("the request bodies", () => {
  const judge = (field: Field<unknown>, value: unknown) => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    return ajv.compile(field as object)(value);
  };
  const oneOff = {
    bulk_export_destination_id: "0a91a355-8a88-422c-9546-72c183b95b5c",
    session_id: "af346d69-58a0-4fa3-bf11-5598bd7c0f65",
    start_time: "2026-01-01T00:00:00Z",
  };

  test.each([1, 6, 168])("%s hours are an interval (2.5-3)", (interval_hours) => {
    expect(judge(OPERATIONS.createBulkExport.body, { ...oneOff, interval_hours })).toBe(true);
  });

  test.each([0, 169, 1.5, "6", -1, true])("%s hours are none (2.5-3)", (interval_hours) => {
    expect(judge(OPERATIONS.createBulkExport.body, { ...oneOff, interval_hours })).toBe(false);
  });

  test.each([
    [{ export_fields: ["id", "tenant_id", "is_root"] }, true],
    [{ export_fields: null }, true],
    [{ export_fields: [] }, false],
    [{ export_fields: ["id", "id"] }, false],
    [{ export_fields: ["ids"] }, false],
    [{ format_version: "v2_beta" }, true],
    [{ format_version: "v2" }, false],
    [{ compression: "zstandard" }, true],
    [{ compression: "lz4" }, false],
    [{ session_id: undefined }, false],
    [{ start_time: 0 }, false],
  ])("an export with %j: %s", (part, verdict) => {
    const body = JSON.parse(JSON.stringify({ ...oneOff, ...part }));
    expect(judge(OPERATIONS.createBulkExport.body, body)).toBe(verdict);
  });

  const opened = {
    destination_type: "s3",
    display_name: "exports",
    config: { bucket_name: "traces", prefix: "daily", region: "us-east-1" },
    credentials: { access_key_id: "a", secret_access_key: "b" },
  };

  test.each([
    [{}, true],
    [{ credentials: undefined }, true],
    [{ config: { ...opened.config, endpoint_url: "not an address" } }, true],
    [{ config: { ...opened.config, prefix: "" } }, true],
    [{ config: { ...opened.config, prefix: undefined } }, false],
    [{ config: { ...opened.config, bucket_name: "" } }, false],
    [{ config: { ...opened.config, include_bucket_in_prefix: "yes" } }, false],
    [{ destination_type: "gcs" }, false],
    [{ display_name: undefined }, false],
    [{ credentials: { access_key_id: "a" } }, false],
  ])("a destination with %j: %s", (part, verdict) => {
    const body = JSON.parse(JSON.stringify({ ...opened, ...part }));
    expect(judge(OPERATIONS.createBulkExportDestination.body, body)).toBe(verdict);
  });

  test.each([
    ["Cancelled", true],
    ["CANCELLED", false],
    ["Running", false],
  ])("the change of an export to %s: %s", (status, verdict) => {
    expect(judge(OPERATIONS.stopBulkExport.body, { status })).toBe(verdict);
  });

  test("no reply has a place for secrets", () => {
    for (const [id, { reply }] of ROWS) {
      expect(JSON.stringify(reply.body ?? {}), id).not.toMatch(/secret_access_key|session_token/);
    }
  });

  test("every property says what it is and which requirement or choice it comes from", () => {
    const bodies = [OPERATIONS.createBulkExport, OPERATIONS.createBulkExportDestination].flatMap((row) => [
      row.body as Field<unknown>,
      row.reply.body as Field<unknown>,
    ]);
    for (const property of bodies.flatMap(leaves)) {
      expect(property).toMatchObject({ description: expect.stringMatching(/\.$/) });
      expect(property["x-requirement"]).toMatch(/^\d+\.?\d*-\d+$/);
    }
  });
});

function leaves(schema: Field<unknown>): readonly Field<unknown>[] {
  const properties = schema.properties as Record<string, Field<unknown>> | undefined;
  return properties ? Object.values(properties).flatMap(leaves) : [schema];
}
