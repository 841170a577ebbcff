import { beforeAll, describe, expect, it } from "vitest";
import { createExport, HEADERS, type PreparedExport, prepareExport, startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const OTHER = { "x-tenant-id": "00000000-0000-4000-8000-000000000002" };
const ROW = "cccccccc-0000-4000-8000-000000000001";

const rig = useRig("file", () => startRig());
let prepared: PreparedExport;
let exportId: string;

beforeAll(async () => {
  prepared = await prepareExport(rig);
  exportId = (await createExport(rig, prepared)).body.id;
  const row = {
    id: ROW,
    name: "mine",
    run_type: "chain",
    session_id: prepared.projectId,
    start_time: "2026-02-26T00:00:00Z",
  };
  await rig.call("POST", "/runs", row);
});

/** Everything that somebody else might try to see or to touch. */
function attempts(headers: Record<string, string>, origin: string) {
  const call = async (method: string, path: string, body?: unknown) => {
    const reply = await fetch(origin + path, {
      method,
      headers: { ...HEADERS, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: (await reply.json()) as unknown };
  };
  return {
    call,
    async expectNothing() {
      expect((await call("GET", "/api/v1/bulk-exports")).body).toEqual([]);
      expect((await call("GET", "/api/v1/bulk-exports/destinations")).body).toEqual([]);
      expect((await call("GET", "/sessions?name=shop")).body).toEqual([]);
      for (const [method, path, body] of [
        ["GET", `/api/v1/bulk-exports/${exportId}`],
        ["GET", `/api/v1/bulk-exports/${exportId}/runs`],
        ["PATCH", `/api/v1/bulk-exports/${exportId}`, { status: "Cancelled" }],
        ["GET", `/api/v1/bulk-exports/destinations/${prepared.destinationId}`],
        ["DELETE", `/api/v1/bulk-exports/destinations/${prepared.destinationId}`],
        ["GET", `/runs/${ROW}`],
        ["GET", `/sessions/${prepared.projectId}`],
      ] as const)
        expect([path, (await call(method, path, body)).status]).toEqual([path, 404]);
      const request = { session: [prepared.projectId] };
      expect((await call("POST", "/runs/query", request)).body).toMatchObject({ runs: [] });
      expect((await call("POST", "/runs/stats", request)).body).toMatchObject({ run_count: 0 });
      const stolen = {
        bulk_export_destination_id: prepared.destinationId,
        session_id: prepared.projectId,
        start_time: "2026-02-25T00:00:00Z",
        end_time: "2026-02-26T00:00:00Z",
      };
      expect((await call("POST", "/api/v1/bulk-exports", stolen)).status).toBe(404);
    },
  };
}

describe("what one workspace has", () => {
  it("another workspace cannot see, cancel or export (§5-3)", () =>
    attempts(OTHER, rig.emulator.url).expectNothing());

  it("is not in the other region, even for the same workspace (§1-2)", () =>
    attempts({}, rig.emulator.euUrl).expectNothing());

  it("is still there afterwards", async () => {
    expect((await rig.call("GET", `/api/v1/bulk-exports/${exportId}`)).body).toMatchObject({
      status: "CREATED",
    });
    expect((await rig.call("GET", `/runs/${ROW}`)).body).toMatchObject({ name: "mine" });
  });

  it("may have the name and the row id that another one uses", async () => {
    const { call } = attempts(OTHER, rig.emulator.url);
    const row = {
      id: ROW,
      name: "theirs",
      run_type: "chain",
      session_name: "shop",
      start_time: "2026-02-26T00:00:00Z",
    };
    expect((await call("POST", "/runs", row)).status).toBe(202);
    expect((await call("GET", `/runs/${ROW}`)).body).toMatchObject({ name: "theirs" });
    expect((await rig.call("GET", `/runs/${ROW}`)).body).toMatchObject({ name: "mine" });
  });
});

describe("a call without X-Tenant-Id, outside of bulk exports (5-6)", () => {
  it("uses the standard workspace", async () => {
    const reply = await fetch(`${rig.emulator.url}/runs/${ROW}`, { headers: { "x-api-key": "whoever" } });
    expect(await reply.json()).toMatchObject({ name: "mine" });
    for (const path of ["/auth", "/api/v1/auth"]) {
      const reply = await fetch(rig.emulator.url + path, { headers: { "x-api-key": "whoever" } });
      expect(await reply.json()).toEqual({ tenant_id: HEADERS["x-tenant-id"] });
    }
    expect((await fetch(`${rig.emulator.url}/auth`)).status).toBe(401);
  });

  it("needs no key (§5), unless keys are configured", async () => {
    const user = { "x-user-id": "somebody", "content-type": "application/json" };
    const post = (origin: string, path: string, body: object) =>
      fetch(origin + path, { method: "POST", headers: user, body: JSON.stringify(body) });
    const reply = await post(rig.emulator.url, "/runs/query", { id: [ROW] });
    expect(await reply.json()).toMatchObject({ runs: [{ name: "mine" }] });
    const { status } = await fetch(`${rig.emulator.url}/api/v1/bulk-exports`, {
      headers: { ...user, "x-tenant-id": HEADERS["x-tenant-id"] },
    });
    expect(status).toBe(401);
    const own = await startRig({ auth: { mode: "keys", keys: [{ key: "alpha", tenants: [] }] } });
    try {
      expect((await post(own.emulator.url, "/runs/query", { id: [ROW] })).status).toBe(401);
    } finally {
      await own.close();
    }
  });

  it("uses the first workspace of a configured key; other keys are refused then", async () => {
    const tenant = "00000000-0000-4000-8000-0000000000aa";
    const own = await startRig({ auth: { mode: "keys", keys: [{ key: "alpha", tenants: [tenant] }] } });
    try {
      const get = (path: string, headers: Record<string, string>) =>
        fetch(own.emulator.url + path, { headers });
      for (const path of ["/sessions", "/auth"]) {
        const strange = { "x-api-key": "alpha", "x-tenant-id": HEADERS["x-tenant-id"] };
        expect((await get(path, { "x-api-key": "beta" })).status).toBe(401);
        expect((await get(path, strange)).status).toBe(403);
      }
      const reply = await get("/auth", { "x-api-key": "alpha" });
      expect(await reply.json()).toEqual({ tenant_id: tenant });
      const creation = await fetch(`${own.emulator.url}/sessions`, {
        method: "POST",
        headers: { "x-api-key": "alpha", "content-type": "application/json" },
        body: JSON.stringify({ name: "first" }),
      });
      expect(await creation.json()).toMatchObject({ tenant_id: tenant });
    } finally {
      await own.close();
    }
  });

  it.each(["keys", "any"] as const)(
    "knows a key of one region only there, with auth.mode %s (1-5)",
    async (mode) => {
      const keys = [
        { key: "anywhere", tenants: [] },
        { key: "eu-only", tenants: [], region: "eu" },
        { key: "moved", tenants: ["00000000-0000-4000-8000-0000000000aa"], region: "us" },
        { key: "moved", tenants: ["00000000-0000-4000-8000-0000000000bb"], region: "eu" },
      ] as const;
      const own = await startRig({ auth: { mode, keys } });
      try {
        const get = (origin: string, key: string, more = {}) =>
          fetch(`${origin}/auth`, { headers: { "x-api-key": key, ...more } });
        const { url, euUrl } = own.emulator;
        expect((await get(url, "anywhere")).status).toBe(200);
        expect((await get(euUrl, "anywhere")).status).toBe(200);
        expect((await get(euUrl, "eu-only")).status).toBe(200);
        expect((await get(url, "eu-only")).status).toBe(401);
        expect((await get(url, "eu-only", { "x-user-id": "somebody" })).status).toBe(401);
        expect(await (await get(url, "moved")).json()).toMatchObject({ tenant_id: keys[2]?.tenants[0] });
        expect(await (await get(euUrl, "moved")).json()).toMatchObject({ tenant_id: keys[3]?.tenants[0] });
        const config = await own.emulator.control<{ settings: object }>("GET", "/config");
        expect(config.settings).toMatchObject({
          auth: { keys: [{ key: "an…" }, { key: "eu…", region: "eu" }, {}, {}] },
        });
      } finally {
        await own.close();
      }
    },
  );
});
