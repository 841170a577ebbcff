import { getHttpOperationsFromSpec } from "@stoplight/prism-http/dist/utils/operations.js";
import {
  validateInput,
  validateOutput,
  validateSecurity,
} from "@stoplight/prism-http/dist/validator/index.js";
import { beforeAll, describe, expect, test } from "vitest";
import { openApiDocument } from "../../contracts/openapi/openapi.ts";
import { ASSUMPTIONS } from "../../contracts/spec/assumptions.ts";
import type { Operation } from "../../contracts/spec/operation.ts";
import { OPERATIONS } from "../../contracts/spec/operations.ts";

type PrismOperation = Awaited<ReturnType<typeof getHttpOperationsFromSpec>>[number];

interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly servers: readonly { readonly variables: Record<string, { readonly default: string }> }[];
  readonly paths: Record<string, Record<string, DocumentedOperation>>;
  readonly components: {
    readonly schemas: Record<string, { readonly properties?: Record<string, { readonly enum?: unknown }> }>;
  };
  readonly "x-emulator": { readonly assumptions: Record<string, { readonly value: unknown }> };
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters: readonly unknown[];
  readonly responses: Record<string, unknown>;
  readonly security: readonly unknown[];
  readonly "x-emulator": Record<string, unknown>;
}

const ROWS = Object.entries(OPERATIONS) as [string, Operation][];
/** Some rows share a method and path; the body decides. */
const CALLS = new Set(
  ROWS.flatMap(([, { method, path, alsoAt = [] }]) => [path, ...alsoAt].map((at) => `${method} ${at}`)),
);
const ID = "0a91a355-8a88-422c-9546-72c183b95b5c";
const NOW = "2026-01-01T00:00:00.000000Z";

const documentOf = (options = {}) => openApiDocument(options) as unknown as Document;

describe("the document", () => {
  const document = documentOf();

  test.each(ROWS)("has %s at each of its paths, with its section and statuses", (id, row) => {
    for (const path of [row.path, ...(row.alsoAt ?? [])]) {
      const match = document.paths[path]?.[row.method.toLowerCase()];
      const { or, ...own } = match?.["x-emulator"] ?? {};
      expect([own, or]).toContainEqual({
        operation: id,
        section: row.section,
        requirements: row.requirements,
        shown: row.shown,
      });
      const statuses = [row.reply.status, row.reply.or?.status ?? [], row.refusals].flat(2).map(String);
      const documented = Object.keys(match?.responses ?? {});
      if (or === undefined) expect(documented.sort()).toEqual(statuses.sort());
      else expect(documented).toEqual(expect.arrayContaining(statuses));
    }
  });

  test("has nothing but the operations, each under an id of its own", () => {
    const all = Object.values(document.paths).flatMap((path) => Object.values(path));
    expect(all).toHaveLength(CALLS.size);
    expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(CALLS.size);
  });

  test("refers only to components that it has", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(20);
    for (const [, kind, name] of references)
      expect(document.components).toHaveProperty([kind as string, name as string]);
  });

  test("says where both regions are, and which version it describes", () => {
    const { servers, info, openapi } = documentOf({
      regions: { us: "http://us.test", eu: "http://eu.test" },
      versions: { service: "0.12.11", application: "0.12.42", agent_server: "0.6.0" },
    });
    expect(openapi).toBe("3.1.0");
    expect(info.version).toBe("0.1.0");
    expect(info).toHaveProperty(["x-emulator", "versions", "service"], "0.12.11");
    expect(servers.map(({ variables }) => variables)).toEqual([
      { base_url: { default: "http://us.test" } },
      { eu_base_url: { default: "http://eu.test" } },
    ]);
  });

  test("follows the spelling of the statuses that is in force", () => {
    const statusesIn = ({ components }: Document) => components.schemas.BulkExport?.properties?.status?.enum;
    expect(statusesIn(document)).toContain("TIMEDOUT");
    const observed = documentOf({ assumptions: { "export.status_casing": "title" } });
    expect(statusesIn(observed)).toEqual([
      "Created",
      "Running",
      "Completed",
      "Failed",
      "Cancelled",
      "TimedOut",
    ]);
    expect(observed["x-emulator"].assumptions["export.status_casing"]?.value).toBe("title");
  });

  test("carries every assumption with the value in force", () => {
    expect(Object.keys(document["x-emulator"].assumptions)).toEqual(Object.keys(ASSUMPTIONS));
    expect(document["x-emulator"].assumptions["platform.timestamp_suffix"]?.value).toBe("Z");
  });

  test("asks for a key and a workspace where §5 does", () => {
    const operation = document.paths["/api/v1/bulk-exports"]?.post;
    expect(operation?.security).toEqual([{ apiKey: [] }]);
    expect(operation?.parameters).toContainEqual({ $ref: "#/components/parameters/Workspace" });
    expect(document.paths["/ok"]?.get?.security).toEqual([]);
  });
});

describe("Prism, reading the document", () => {
  let operations: readonly PrismOperation[] = [];

  beforeAll(async () => {
    operations = await getHttpOperationsFromSpec(openApiDocument());
  });

  const operation = (id: string) => {
    const match = operations.find(({ iid }) => iid === id);
    if (!match) throw new Error(`Prism found no ${id}.`);
    return match;
  };

  const findings = (verdict: { readonly _tag: string; readonly left?: unknown }) =>
    verdict._tag === "Left" ? (verdict.left as readonly { readonly message: string }[]) : [];

  const judgeReply = (id: string, statusCode: number, body: unknown) =>
    findings(
      validateOutput({
        resource: operation(id),
        element: { statusCode, headers: { "content-type": "application/json" }, body },
      }) as never,
    );

  const judgeRequest = (
    id: string,
    request: { path: string; body?: unknown; query?: object; headers?: object },
  ) => {
    const match = operation(id);
    const text = JSON.stringify(request.body ?? null);
    return findings(
      validateInput({
        resource: match,
        element: {
          method: match.method as "get",
          url: { path: request.path, query: (request.query ?? {}) as never },
          headers: {
            "x-tenant-id": "00000000-0000-4000-8000-000000000001",
            ...(request.body
              ? { "content-type": "application/json", "content-length": `${text.length}` }
              : {}),
            ...request.headers,
          },
          body: request.body,
        },
      }) as never,
    );
  };

  const bulkExport = {
    id: ID,
    tenant_id: ID,
    created_at: NOW,
    updated_at: NOW,
    bulk_export_destination_id: ID,
    session_id: ID,
    start_time: NOW,
    end_time: NOW,
    filter: null,
    export_fields: ["id", "is_root"],
    interval_hours: null,
    format_version: "v1",
    compression: "snappy",
    status: "RUNNING",
    finished_at: null,
    source_bulk_export_id: null,
  };

  const run = {
    id: ID,
    bulk_export_id: ID,
    status: "FAILED",
    created_at: NOW,
    updated_at: NOW,
    finished_at: NOW,
    start_time: NOW,
    end_time: NOW,
    rows_exported: 3,
    errors: { retry_0: "Run timeout", retry_10: "Run timeout" },
    metadata: { latest_cursor: null, rows_exported: 3, files: ["traces/part-00000.parquet"] },
  };

  test("finds as many operations as the tables have paths", () => {
    expect(operations).toHaveLength(CALLS.size);
  });

  test.each([
    ["getBulkExport", 200, bulkExport],
    ["listBulkExports", 200, [bulkExport, { ...bulkExport, status: "COMPLETED", finished_at: NOW }]],
    ["listBulkExportRuns", 200, [run, { ...run, errors: {} }]],
    ["getBulkExport", 404, { detail: "There is no such export." }],
    ["createRun", 202, {}],
    ["readyz", 200, { ready: true }],
  ] as const)("accepts a good reply of %s (%s)", (id, status, body) => {
    expect(judgeReply(id, status, body)).toEqual([]);
  });

  test.each([
    ["a status in title case", "getBulkExport", 200, { ...bulkExport, status: "Running" }],
    ["no status", "getBulkExport", 200, { ...bulkExport, status: undefined }],
    ["an id that is not a uuid", "getBulkExport", 200, { ...bulkExport, id: "7" }],
    ["a column that does not exist", "getBulkExport", 200, { ...bulkExport, export_fields: ["ids"] }],
    ["an object for a list", "listBulkExports", 200, bulkExport],
    ["rows counted in text", "listBulkExportRuns", 200, [{ ...run, rows_exported: "3" }]],
    ["errors under another name", "listBulkExportRuns", 200, [{ ...run, errors: { first: "no" } }]],
    ["no progress", "listBulkExportRuns", 200, [{ ...run, metadata: {} }]],
    ["an error of another shape", "getBulkExport", 404, { error: "There is no such export." }],
    ["a status that is not listed", "getBulkExport", 500, { detail: "No." }],
  ])("refuses a reply with %s", (_, id, status, body) => {
    expect(judgeReply(id, status, body)).not.toEqual([]);
  });

  const order = { bulk_export_destination_id: ID, session_id: ID, start_time: NOW, end_time: NOW };

  test("accepts good requests", () => {
    const path = "/api/v1/bulk-exports";
    expect(judgeRequest("createBulkExport", { path, body: order })).toEqual([]);
    expect(judgeRequest("listBulkExports", { path, query: { limit: "1000", offset: "0" } })).toEqual([]);
    expect(judgeRequest("getBulkExport", { path: `${path}/${ID}` })).toEqual([]);
    expect(judgeRequest("stopBulkExport", { path: `${path}/${ID}`, body: { status: "Cancelled" } })).toEqual(
      [],
    );
  });

  test.each([
    ["an order without a project", "createBulkExport", { body: { ...order, session_id: undefined } }],
    ["169 hours", "createBulkExport", { body: { ...order, interval_hours: 169 } }],
    ["no body", "createBulkExport", {}],
    ["another content type", "createBulkExport", { body: order, headers: { "content-type": "text/plain" } }],
    ["a page of 1001", "listBulkExports", { query: { limit: "1001" } }],
    ["no workspace", "listBulkExports", { headers: { "x-tenant-id": undefined } }],
    ["a workspace that is not a uuid", "listBulkExports", { headers: { "x-tenant-id": "mine" } }],
  ])("refuses a request with %s", (_, id, request) => {
    expect(judgeRequest(id, { path: "/api/v1/bulk-exports", ...request })).not.toEqual([]);
  });

  test("asks for the key", () => {
    const judge = (headers: Record<string, string>) =>
      findings(
        validateSecurity({
          resource: operation("listBulkExports"),
          element: { method: "get", url: { path: "/api/v1/bulk-exports" }, headers },
        } as never) as never,
      );
    expect(judge({ "x-api-key": "any" })).toEqual([]);
    expect(judge({})).not.toEqual([]);
  });
});
