import { describe, expect, test } from "vitest";
import { openApiDocument } from "../../contracts/openapi/openapi.ts";
import { ASSUMPTIONS } from "../../contracts/spec/assumptions.ts";
import type { Operation } from "../../contracts/spec/operation.ts";
import { OPERATIONS } from "../../contracts/spec/operations.ts";

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
