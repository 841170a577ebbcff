import { beforeEach, describe, expect, it, test } from "vitest";
import { handleControl } from "../../emulator/control/gateway.ts";
import { createGateway } from "../../emulator/http/gateway.ts";
import { Refusal } from "../../emulator/kernel/refusal.ts";
import { HANDLERS } from "../../emulator/runtime/handlers.ts";
import type { ControlContext } from "../../emulator/subjects/control-operation.ts";
import type { HttpReply, HttpRequest } from "../../emulator/subjects/message.ts";
import { openWorld, type TestWorld } from "../support/world.ts";

const HEADERS = {
  host: "localhost",
  "x-api-key": "emulator-key",
  "x-tenant-id": "00000000-0000-4000-8000-000000000001",
};
const LIST = "/api/v1/bulk-exports";

let scene: TestWorld;
const gateway = createGateway(HANDLERS);

beforeEach(() => {
  scene = openWorld();
});

function requestOf(method: string, path: string, body?: unknown, region = "us"): HttpRequest {
  const bytes = body === undefined ? new Uint8Array(0) : new TextEncoder().encode(JSON.stringify(body));
  return { region, method, path, query: "", headers: HEADERS, body: bytes, address: "127.0.0.1" };
}

async function control(method: string, path: string, body?: unknown) {
  const context = { world: scene.world } as unknown as ControlContext;
  const reply = await handleControl(context, requestOf(method, `/_emulator/v1${path}`, body));
  return { status: reply.status, body: JSON.parse(String(reply.body)) };
}

async function arm(rule: object): Promise<string> {
  const { status, body } = await control("POST", "/faults", rule);
  expect(status).toBe(200);
  return body.id;
}

const call = (path = LIST, region = "us"): Promise<HttpReply> =>
  gateway.handle(scene.world, requestOf("GET", path, undefined, region));

const hitsOf = async (id: string) => (await control("GET", `/faults/${id}`)).body.hits;

describe("/faults", () => {
  it("arms a rule and answers with its id and hits", async () => {
    const rule = {
      target: "worker",
      match: { export_id: "*", at: "file.written" },
      then: { crash: true },
      ttl: "PT1H",
    };
    const { status, body } = await control("POST", "/faults", rule);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      ...rule,
      preset: null,
      times: 1,
      hits: 0,
      seen: 0,
      state: "armed",
      armed_at: "2026-03-01T00:00:00.000000Z",
      expires_at: "2026-03-01T01:00:00.000000Z",
    });
    expect((await control("GET", `/faults/${body.id}`)).body).toEqual(body);
    expect((await control("GET", "/faults")).body).toEqual([body]);
  });

  it("shows the rule of a preset", async () => {
    const { body } = await control("POST", "/faults", { preset: "permission_denied", times: 2 });
    expect(body).toMatchObject({
      preset: "permission_denied",
      target: "s3",
      match: { op: ["PutObject", "CreateMultipartUpload"] },
      then: { s3_error: "AccessDenied" },
      times: 2,
    });
  });

  it("removes one rule, or all", async () => {
    const [one] = [await arm({ preset: "worker_crash" }), await arm({ preset: "run_timeout" })];
    expect(await control("DELETE", `/faults/${one}`)).toEqual({ status: 200, body: { deleted: one } });
    expect((await control("GET", `/faults/${one}`)).status).toBe(404);
    expect((await control("DELETE", `/faults/${one}`)).status).toBe(404);
    expect(await control("DELETE", "/faults")).toEqual({ status: 200, body: { deleted: 1 } });
    expect((await control("GET", "/faults")).body).toEqual([]);
  });

  it("refuses an unknown value with 422 and the nearest one, and arms nothing", async () => {
    expect(await control("POST", "/faults", { target: "s3", then: { s3_error: "SlowDwon" } })).toEqual({
      status: 422,
      body: {
        error: {
          code: "unknown_error_code",
          message: 'then.s3_error: "SlowDwon" is unknown.',
          hint: expect.stringMatching(/^Did you mean SlowDown\?/),
        },
      },
    });
    expect((await control("POST", "/faults", [])).status).toBe(422);
    expect((await control("GET", "/faults")).body).toEqual([]);
    expect(scene.world.defect).toBeUndefined();
  });

  it("counts hits", async () => {
    const id = await arm({ target: "http", match: { op: "listBulkExports" }, then: { status: 503 } });
    await call();
    expect(await hitsOf(id)).toBe(1);
  });
});

describe("the http target", () => {
  it("answers in place of the handler up to `times` times", async () => {
    const id = await arm({
      target: "http",
      match: { op: "GET /api/v1/bulk-exports/{export_id}" },
      then: { status: 503 },
      times: 2,
    });
    const one = `${LIST}/00000000-0000-4000-8000-000000000009`;
    const statuses = [];
    for (const path of [LIST, one, one, one]) statuses.push((await call(path)).status);
    expect(statuses).toEqual([200, 503, 503, 404]);
    expect(await hitsOf(id)).toBe(2);
  });

  test.each<[object, Partial<HttpReply>]>([
    [
      { status: 503 },
      {
        status: 503,
        body: `{"detail":"A fault answers GET ${LIST} with 503. \`emulator fault list\` lists the faults."}`,
        headers: { "content-type": "application/json" },
      },
    ],
    [
      { status: 429, body: { detail: "slow down" }, headers: { "Retry-After": "5" } },
      {
        status: 429,
        body: '{"detail":"slow down"}',
        headers: { "content-type": "application/json", "retry-after": "5" },
      },
    ],
    [
      { status: 502, body: "<html>Bad Gateway</html>", headers: { "content-type": "text/html" } },
      { status: 502, body: "<html>Bad Gateway</html>", headers: { "content-type": "text/html" } },
    ],
    [{ status: 500, body: null }, { body: "null" }],
    [{ status: 204 }, { status: 204, body: "", headers: {} }],
  ])("%j", async (then, reply) => {
    await arm({ target: "http", match: { op: "listBulkExports" }, then });
    expect(await call()).toMatchObject(reply);
  });

  it("distinguishes regions and paths", async () => {
    await arm({ target: "http", match: { region: "eu", path: "/api/v1/*" }, then: { status: 503 } });
    expect((await call()).status).toBe(200);
    expect((await call("/ok", "eu")).status).toBe(200);
    expect((await call(LIST, "eu")).status).toBe(503);
  });

  it("does not run the handler", async () => {
    await arm({ target: "http", match: { op: "POST /sessions" }, then: { status: 500 } });
    const before = scene.world.state().records;
    const reply = await gateway.handle(scene.world, requestWithBody("/sessions", { name: "mine" }));
    expect(reply.status).toBe(500);
    expect({ ...scene.world.state().records, faults: [] }).toEqual({ ...before, faults: [] });
  });

  it("does not count requests that are refused anyway, nor those of the control surface", async () => {
    const id = await arm({ target: "http", then: { status: 503 } });
    expect((await call(`${LIST}/no-uuid`)).status).toBe(422);
    expect((await call("/nowhere")).status).toBe(404);
    expect((await control("GET", "/faults")).status).toBe(200);
    expect((await control("GET", `/faults/${id}`)).body).toMatchObject({ seen: 0, hits: 0 });
  });

  it("holds a request in virtual time, and carries it out at its own instant", async () => {
    await arm({ target: "http", match: { op: "POST /sessions" }, then: { delay: "PT5M" } });
    const delay = delayBegun();
    const pending = gateway.handle(scene.world, requestWithBody("/sessions", { name: "mine" }));
    await delay;
    await scene.advance("PT4M59S");
    expect(entriesOf("createProject")).toHaveLength(1);
    await scene.advance("PT1H");
    expect((await pending).status).toBe(200);
    expect(entriesOf("createProject").map(({ now }) => now)).toEqual([
      "2026-03-01T00:00:00.000000Z",
      "2026-03-01T00:05:00.000000Z",
    ]);
  });

  it("answers a delayed request when the world ends", async () => {
    await arm({ target: "http", match: { op: "listBulkExports" }, then: { delay: "PT5M" } });
    const delay = delayBegun();
    const pending = call();
    await delay;
    scene.world.end(new Refusal(409, "reset", "The world was reset."));
    expect((await pending).status).toBe(409);
  });

  it("leaves the journal of other requests unchanged", async () => {
    await arm({ target: "http", match: { op: "POST /sessions" }, then: { status: 500 } });
    await call();
    expect(entriesOf("listBulkExports")).toHaveLength(1);
  });
});

function requestWithBody(path: string, body: unknown): HttpRequest {
  const request = requestOf("POST", path, body);
  return { ...request, headers: { ...HEADERS, "content-type": "application/json" } };
}

/** Resolves when a request is held. */
function delayBegun(): Promise<void> {
  return new Promise((resolve) => {
    scene.world.journal.follow(({ scheduled = [] }) => {
      if (scheduled.some(({ kind }) => kind === "http.delay_over")) resolve();
    });
  });
}

function entriesOf(name: string) {
  return scene.world.journal.since(0).filter(({ cause }) => cause.name === name);
}
