import { suite } from "../engine/case.ts";
import { accepted, equal, includes, refused } from "../engine/check.ts";
import type { Members } from "../engine/json.ts";
import {
  cancel,
  createExport,
  EXPORTS,
  exportBody,
  exportOf,
  exportRows,
  exportsIn,
  ingest,
  prepare,
  project,
  row,
  statusOf,
} from "./export-helpers.ts";

const BOTH = ["writes", "ingest", "eu"] as const;
const TENANTS = ["writes", "ingest", "tenants"] as const;

const UNLISTED = [
  ["GET", "/api/v1/nonsense"],
  ["GET", "/nonsense"],
  ["GET", "/store/items"],
  ["GET", "/metrics"],
  ["GET", "/datasets"],
  ["GET", "/repos"],
] as const;

const UNLISTED_WRITES = [
  ["POST", "/mcp"],
  ["POST", "/examples"],
  ["POST", "/annotation-queues"],
  ["DELETE", "/api/v1/bulk-exports/nonsense/nonsense"],
] as const;

/** Paths, and whether the agent server answers them (§2.3). */
const FAMILIES = [
  ["/threads/", true],
  ["/threads/00000000-0000-4000-8000-0000000000aa/runs/", true],
  ["/threads/00000000-0000-4000-8000-0000000000aa/nonsense/deeper", true],
  ["/threads//runs", true],
  ["/assistants/search/deeper/still", true],
  ["/runs/crons/", true],
  ["/store/items/deeper/", true],
  ["/api/v1/bulk-exports/", false],
  ["/api/v1/bulk-exports/a/b/c", false],
  ["/nonsense/", false],
] as const;

const ANYWHERE = "contract-key-anywhere";
const EU_ONLY = "contract-key-eu";

export const CALLER_CASES = suite({
  "1/both-regions": {
    title: "both regions respond",
    requirements: ["1-1"],
    needs: ["eu"],
    async run(t) {
      for (const region of ["us", "eu"] as const) {
        const { status } = await t.call("GET", EXPORTS, { region });
        t.fact("1-1", equal(status, 200), `the ${region} region responds`);
      }
    },
  },
  "1/separate-regions": {
    title: "data of one region is not visible in the other",
    requirements: ["1-2"],
    needs: BOTH,
    async run(t) {
      const prepared = await prepare(t);
      const { id } = await createExport(t, prepared);
      const region = "eu";
      const readReply = await t.call("GET", `${EXPORTS}/${id}`, { region });
      t.fact("1-2", refused(readReply.status), "the other region does not return the export");
      const listedExports = await exportsIn(t, { region });
      t.fact(
        "1-2",
        !listedExports.some((item) => item.id === id),
        "the other region does not list the export",
      );
      const stop = await t.call("PATCH", `${EXPORTS}/${id}`, { region, body: { status: "Cancelled" } });
      t.fact("1-2", refused(stop.status), "the other region cannot cancel the export");
      t.fact("1-2", statusOf(await exportOf(t, id)) !== "CANCELLED", "the export continues");
      const across = await t.call("POST", EXPORTS, { region, body: exportBody(prepared) });
      t.fact("1-2", refused(across.status), "the other region does not know its destination and project");
      const runId = prepared.rows[0]?.id;
      const trace = await t.call("GET", `/api/v1/runs/${runId}`, { region });
      t.fact("1-2", refused(trace.status), "the other region does not return the trace rows");
    },
  },
  "1/key-region": {
    title: "a key of one region is refused in the other, a key without a region is accepted in both",
    requirements: ["1-5"],
    needs: ["eu"],
    settings: {
      auth: {
        mode: "keys",
        keys: [
          { key: ANYWHERE, tenants: [] },
          { key: EU_ONLY, tenants: [], region: "eu" },
        ],
      },
    },
    async run(t) {
      for (const [key, region, expected] of [
        [ANYWHERE, "us", 200],
        [ANYWHERE, "eu", 200],
        [EU_ONLY, "eu", 200],
        [EU_ONLY, "us", 401],
      ] as const) {
        const { status } = await t.call("GET", EXPORTS, { region, headers: { "x-api-key": key } });
        t.choice("platform.key_region", equal(status, expected), `${key} in ${region}: ${expected}`);
      }
    },
  },
  "1/unlisted-families": {
    title: "trailing slashes and deeper paths get the errors of their path family",
    requirements: ["1-3"],
    async run(t) {
      for (const [path, isAgent] of FAMILIES) {
        const { status, body } = await t.call<unknown>("GET", path, { unchecked: true });
        t.choice("platform.unlisted_path", equal(status, 404), `GET ${path}: 404`, { actual: status });
        const kind = isAgent ? "string" : "object";
        t.choice("agent.error_body", equal(typeof body, kind), `GET ${path}: the body has type ${kind}`);
      }
    },
  },
  "1/unlisted-paths": {
    title: "undocumented paths get one status that clients do not retry, never a success",
    requirements: ["1-3"],
    async run(t) {
      for (const [method, path] of t.has("writes") ? [...UNLISTED, ...UNLISTED_WRITES] : UNLISTED) {
        const { status, text } = await t.call(method, path);
        t.choice("platform.unlisted_path", equal(status, 404), `${method} ${path}: 404`, { actual: status });
        t.choice(
          "platform.unlisted_path",
          includes(text, "§"),
          "the body names the section that does not define the path",
        );
      }
      if (!t.has("writes")) return;
      // Not DELETE: another server might do it.
      const { status } = await t.call("PUT", EXPORTS);
      t.choice(
        "platform.method_not_allowed",
        equal(status, 405),
        "an undocumented method is answered with 405",
      );
    },
  },
  "1/health": {
    title: "health and server information endpoints return 200",
    requirements: ["1-3"],
    async run(t) {
      for (const path of ["/ok", "/info"]) {
        const { status } = await t.call("GET", path, { headers: { "x-api-key": null, "x-tenant-id": null } });
        t.choice("platform.health_endpoints", equal(status, 200), `${path} answers`);
      }
    },
  },
  "5/key": {
    title: "the key header identifies the caller, in any letter case",
    requirements: ["5-1", "5-7"],
    async run(t) {
      const { apiKey } = t.identity;
      for (const name of ["X-API-Key", "x-api-key", "X-Api-Key"]) {
        const { status } = await t.call("GET", EXPORTS, { headers: { "x-api-key": null, [name]: apiKey } });
        t.fact("5-1", equal(status, 200), `${name} is accepted`);
      }
      const without = await t.call("GET", EXPORTS, { headers: { "x-api-key": null } });
      t.choice("5-7", refused(without.status), "a bulk-export call without a key is refused");
      t.choice("platform.missing_key", equal(without.status, 401), "the reply without a key is 401");
      const nowhere = await t.call("GET", EXPORTS, { headers: { "x-tenant-id": null } });
      t.choice("5-7", refused(nowhere.status), "a bulk-export call without X-Tenant-Id is refused");
      t.choice("platform.missing_tenant", equal(nowhere.status, 422), "the reply without X-Tenant-Id is 422");
    },
  },
  "5/workspaces": {
    title: "exports are not visible in other workspaces",
    requirements: ["5-3"],
    needs: TENANTS,
    async run(t) {
      const prepared = await prepare(t);
      const { id } = await createExport(t, prepared);
      const headers = { "x-tenant-id": t.draw.uuid() };
      const readReply = await t.call("GET", `${EXPORTS}/${id}`, { headers });
      t.choice(
        "platform.workspace_separation",
        equal(readReply.status, 404),
        "another workspace cannot read the export",
      );
      const listedExports = await exportsIn(t, { headers });
      t.choice("5-3", equal(listedExports.length, 0), "another workspace does not list the export");
      const stop = await t.call("PATCH", `${EXPORTS}/${id}`, { headers, body: { status: "Cancelled" } });
      t.choice("5-3", equal(stop.status, 404), "another workspace cannot cancel the export");
      const theft = await t.call("POST", EXPORTS, { headers, body: exportBody(prepared) });
      t.choice("5-3", equal(theft.status, 404), "another workspace cannot export its rows");
      await cancel(t, id);
    },
  },
  "5/default-workspace": {
    title: "ingest without X-Tenant-Id uses the workspace of the key",
    requirements: ["5-6"],
    needs: [...TENANTS, "object_store"],
    async run(t) {
      const none = { "x-tenant-id": null };
      const { body } = await t.call<Members>("POST", "/api/v1/sessions", {
        body: { name: t.draw.word(12) },
        headers: none,
      });
      const now = await t.now();
      const sentRow = row(t, now - 3_600_000);
      const { status } = await t.call("POST", "/runs/batch", {
        body: { post: [{ ...sentRow, session_id: body.id }] },
        headers: none,
      });
      t.choice("platform.default_workspace", accepted(status), "the rows are ingested");
      const reply = await t.call<Members>("GET", `/api/v1/runs/${sentRow.id}`, { headers: none });
      t.choice("5-6", equal(reply.body.id, sentRow.id), "the rows are found in that workspace");
    },
  },
  "8.5/ingest-round-trip": {
    title: "trace rows are returned and exported unchanged",
    requirements: ["X-1"],
    needs: [...TENANTS, "object_store"],
    async run(t) {
      const prepared = await prepare(t, { days: 1, perDay: 1 });
      const [first] = prepared.rows;
      const { body } = await t.call<Members>("GET", `/api/v1/runs/${first?.id}`);
      t.choice(
        "X-1",
        body.name === first?.name && body.session_id === prepared.projectId,
        "the row is returned",
      );
      const late = row(t, prepared.from + 7_200_000, { end_time: null, outputs: null });
      await ingest(t, prepared.projectId, [late]);
      const patch = await t.call("PATCH", `/runs/${late.id}`, {
        body: { end_time: first?.end_time, outputs: { done: true } },
      });
      t.choice("X-1", accepted(patch.status), "the row is changed");
      const rows = await exportRows(t, prepared);
      const changedRun = rows.find((run) => run.id === late.id);
      t.choice("X-1", includes(String(changedRun?.outputs), "done"), "the export contains the change");
      await project(t, []);
    },
  },
  "8.5/tracing-clients": {
    title:
      "a row without an id is ingested and found by its thread; invalid spans are refused as OTLP/HTTP defines",
    requirements: ["X-1"],
    needs: ["writes", "ingest"],
    async run(t) {
      const session = await project(t, []);
      const thread = t.draw.word(12);
      const { id: _, trace_id, dotted_order, ...rest } = row(t, await t.now());
      const nameless = { ...rest, session_id: session, extra: { metadata: { thread_id: thread } } };
      const reply = await t.call("POST", "/runs", { body: nameless });
      t.choice("ingest.missing_id", accepted(reply.status), "a row without an id is ingested", {
        actual: reply.status,
      });
      const { body } = await t.call<Members>("POST", "/runs/query", {
        body: { session: [session], filter: `eq(thread_id, "${thread}")` },
      });
      const listedRun = (body.runs as readonly Members[] | undefined)?.[0];
      t.choice("query.thread", equal(listedRun?.thread_id, thread), "the row has the id of its thread");
      for (const spans of [{ resourceSpans: 5 }, { resource_spans: [] }]) {
        const { status } = await t.call("POST", "/otel/v1/traces", { body: spans });
        t.choice("ingest.span_errors", equal(status, 400), `${JSON.stringify(spans)} is refused with 400`);
      }
    },
  },
});
