import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import type { Operation } from "../../contracts/spec/operation.ts";
import { OPERATIONS } from "../../contracts/spec/operations.ts";
import { createExport, HEADERS, type PreparedExport, prepareExport, startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const UNKNOWN = "12345678-1234-4234-8234-123456789abc";

const rig = useRig("file", () => startRig());
let prepared: PreparedExport;

beforeAll(async () => {
  prepared = await prepareExport(rig, { count: 5 });
});

/** All that a refused request could have changed. */
async function everything(): Promise<string> {
  const paths = ["/api/v1/bulk-exports", "/api/v1/bulk-exports/destinations", "/sessions"];
  const lists = await Promise.all(paths.map((path) => rig.call("GET", path)));
  const { traces } = await rig.emulator.control<{ traces: unknown }>("GET", "/status");
  const { next } = await rig.emulator.control<{ next: unknown }>("GET", "/clock");
  return JSON.stringify([lists.map(({ body }) => body), traces, next]);
}

async function refusal(send: () => Promise<{ status: number; body: unknown }>, status: number, says: string) {
  const before = await everything();
  const reply = await send();
  expect({ status: reply.status, detail: (reply.body as { detail?: string })?.detail }).toEqual({
    status,
    detail: expect.stringContaining(says),
  });
  expect(await everything()).toBe(before);
}

describe("a bulk export is refused, and nothing is written", () => {
  it.each<[string, Record<string, unknown>, number, string]>([
    ["without an end", { end_time: undefined }, 422, "end_time"],
    ["with an end before its start", { end_time: "2026-02-24T00:00:00Z" }, 422, "end_time"],
    ["with an empty window", { end_time: "2026-02-25T00:00:00Z" }, 422, "end_time"],
    ["with a time without a zone", { start_time: "2026-02-25T00:00:00" }, 422, "start_time"],
    ["with a day that does not exist", { start_time: "2026-02-30T00:00:00Z" }, 422, "start_time"],
    [
      "with both an end and an interval",
      { interval_hours: 6, end_time: "2026-02-28T00:00:00Z" },
      422,
      "end_time",
    ],
    ["to an unknown destination", { bulk_export_destination_id: UNKNOWN }, 404, "bulk_export_destination_id"],
    ["of an unknown project", { session_id: UNKNOWN }, 404, "session_id"],
    ["of no project", { session_id: undefined }, 422, "session_id"],
    ["with no columns", { export_fields: [] }, 422, "export_fields"],
    ["with a column twice", { export_fields: ["id", "id"] }, 422, "export_fields"],
    ["with a broken filter", { filter: "eq(name," }, 422, "filter"],
    [
      "over ten thousand years",
      { start_time: "0001-01-01T00:00:00Z", end_time: "9999-01-01T00:00:00Z" },
      422,
      "days",
    ],
    ["to a leap second", { end_time: "2016-12-31T23:59:60Z" }, 422, "end_time: must not be a leap second"],
    [
      "with a first window that ends after the year 9999",
      { interval_hours: 168, start_time: "9999-12-30T00:00:00Z" },
      422,
      "start_time",
    ],
    [
      "with a century of windows to catch up with",
      { interval_hours: 1, start_time: "1926-01-01T00:00:00Z" },
      422,
      "windows",
    ],
  ])("%s", (_what, change, status, says) => refusal(() => createExport(rig, prepared, change), status, says));
});

describe("a body", () => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    rig.call("POST", "/api/v1/bulk-exports", body, headers);

  it("that is malformed is refused with 422", () => refusal(() => post('{"a":'), 422, "JSON"));
  it("that is empty is refused with 422", () =>
    refusal(() => rig.call("POST", "/api/v1/bulk-exports"), 422, "required"));
  it("that is not an object is refused with 422", () => refusal(() => post("[1]"), 422, "object"));
  it("that nests 3000 levels deep is refused with 422", () =>
    refusal(() => post(`${"[".repeat(3000)}${"]".repeat(3000)}`), 422, "deep"));
  it("that nests too deep for the JSON parser is refused with 422", () =>
    refusal(() => post("[".repeat(1_000_000)), 422, "limits.json_levels"));
  it("with another content type is refused with 415", () =>
    refusal(() => post("{}", { "content-type": "text/plain" }), 415, "application/json"));
  it("that is not UTF-8 is refused with 422", async () => {
    const reply = await fetch(`${rig.emulator.url}/runs`, {
      method: "POST",
      headers: HEADERS,
      body: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
    });
    expect(reply.status).toBe(422);
  });

  it("that is too large is refused with 413, sent at once, in chunks or compressed", async () => {
    const large = Buffer.alloc(21 * 1024 * 1024, 0x20);
    const send = (body: NonNullable<RequestInit["body"]>, headers = {}) =>
      fetch(`${rig.emulator.url}/runs/batch`, {
        method: "POST",
        headers: { ...HEADERS, ...headers },
        body,
        duplex: "half",
      } as RequestInit);
    const stream = new ReadableStream({
      start(controller) {
        for (let part = 0; part < 21; part += 1) controller.enqueue(large.subarray(0, 1024 * 1024));
        controller.close();
      },
    });
    const statuses = [
      (await send(large)).status,
      (await send(stream)).status,
      (await send(gzipSync(large), { "content-encoding": "gzip" })).status,
    ];
    expect(statuses).toEqual([413, 413, 413]);
    expect((await rig.call("GET", "/ok")).status).toBe(200);
  });

  it("with an unknown or broken content encoding is refused", async () => {
    const send = (encoding: string) =>
      fetch(`${rig.emulator.url}/runs`, {
        method: "POST",
        headers: { ...HEADERS, "content-encoding": encoding },
        body: "not packed",
      });
    expect((await send("compress")).status).toBe(415);
    expect([400, 415, 422]).toContain((await send("gzip")).status);
  });
});

describe("headers", () => {
  const get = (headers: Record<string, string>) =>
    fetch(`${rig.emulator.url}/api/v1/bulk-exports`, { headers }).then(({ status }) => status);

  it("bulk-export calls need X-Api-Key (401) and X-Tenant-Id (422) (§5-1)", async () => {
    expect(await get({})).toBe(401);
    expect(await get({ "x-tenant-id": HEADERS["x-tenant-id"] })).toBe(401);
    expect(await get({ "x-api-key": "k" })).toBe(422);
    expect(await get({ "x-api-key": "k", "x-tenant-id": "nobody" })).toBe(422);
    expect(await get({ "X-Api-KEY": "k", "X-Tenant-ID": HEADERS["x-tenant-id"].toUpperCase() })).toBe(200);
  });
});

describe("unknown fields", () => {
  it("are answered with X-Emulator-Warning, and refused with --strict", async () => {
    const { status, header, body } = await createExport(rig, prepared, { colour: "red" });
    expect(status).toBe(200);
    expect(header("x-emulator-warning")).toContain("body.colour");
    await rig.call("PATCH", `/api/v1/bulk-exports/${body.id}`, { status: "Cancelled" });
    const strict = await startRig({ strict: true });
    try {
      const own = await prepareExport(strict, { count: 5 });
      expect((await createExport(strict, own, { colour: "red" })).status).toBe(422);
      expect((await createExport(strict, own)).status).toBe(200);
    } finally {
      await strict.close();
    }
  });
});

describe("every path", () => {
  it.each([
    ["POST", "/runs/group"],
    ["POST", "/api/v1/runs/group"],
    ["GET", "/feedback/tokens"],
    ["POST", "/feedback/tokens"],
    ["PUT", "/sessions/resolutions"],
    ["GET", "/runs/rules"],
    ["PUT", "/threads/archive"],
  ])("with a word in the place of an id is unlisted: %s %s", async (method, path) => {
    const { status, header, body } = await rig.call(method, path, method === "GET" ? undefined : {});
    expect([status, header("allow")]).toEqual([404, undefined]);
    expect(JSON.stringify(body)).toContain("is not emulated: §");
  });

  it("with an id takes no method that the table does not have", async () => {
    const { status, header } = await rig.call("PUT", `/runs/${UNKNOWN}`, {});
    expect([status, header("allow")]).toEqual([405, expect.stringContaining("GET")]);
  });

  it.each(["PUT", "DELETE", "PATCH", "POST"])("takes no %s where the table has none", async (method) => {
    const { status, header } = await rig.call(method, "/openapi.json", method === "DELETE" ? undefined : {});
    expect(status).toBe(405);
    expect(header("allow")).toContain("GET");
  });

  it.each([
    [`/api/v1/bulk-exports/${UNKNOWN}`, 404],
    [`/api/v1/bulk-exports/${UNKNOWN}/runs`, 404],
    [`/api/v1/bulk-exports/${UNKNOWN}/runs/${UNKNOWN}`, 404],
    [`/api/v1/bulk-exports/destinations/${UNKNOWN}`, 404],
    [`/api/v1/bulk-exports/runs?source_bulk_export_id=${UNKNOWN}`, 404],
    ["/api/v1/bulk-exports/runs", 422],
    ["/api/v1/bulk-exports/", 404],
    ["/api/v1/nothing", 404],
    ["/", 404],
    ["/%ff%fe", 404],
    [`/runs/${UNKNOWN}`, 404],
    [`/sessions/${UNKNOWN}`, 404],
    ["/repos", 404],
  ])("GET %s is answered with %i", async (path, status) => {
    expect((await rig.call("GET", path)).status).toBe(status);
  });

  it("answers no request with a 5xx", async () => {
    const bodies = [
      undefined,
      "",
      "{",
      "null",
      "[]",
      "{}",
      '{"id":1}',
      '{"status":{}}',
      '{"post":5}',
      '{"__proto__":{"x":1}}',
      `"${"x".repeat(70_000)}"`,
    ];
    const requests = Object.values<Operation>(OPERATIONS).flatMap(({ method, path }) => {
      const ids = [UNKNOWN, "x", "%00", "..%2f.."].map((id) => path.replaceAll(/\{\w+\}/g, id));
      const targets = [...new Set(ids)];
      return targets.flatMap((target) =>
        (method === "GET" ? [undefined] : bodies).map((body) => ({ method, target, body })),
      );
    });
    const bad: string[] = [];
    for (const { method, target, body } of requests.filter((_, place) => place % 31 === 0)) {
      const { status } = await rig.call(method, target, body).catch(() => ({ status: 0 }));
      if (status === 0 || status >= 500) bad.push(`${method} ${target} ${body?.slice(0, 40)}: ${status}`);
    }
    expect(bad).toEqual([]);
  });

  it("answers HEAD as it answers GET, without the body", async () => {
    for (const [path, status] of [
      ["/ok", 200],
      ["/api/v1/nothing", 404],
    ] as const) {
      const reply = await fetch(rig.emulator.url + path, { method: "HEAD", headers: HEADERS });
      expect([reply.status, await reply.text()]).toEqual([status, ""]);
      expect(Number(reply.headers.get("content-length"))).toBeGreaterThan(0);
    }
  });

  it("stays up after input that is not HTTP", async () => {
    const { port, hostname } = new URL(rig.emulator.url);
    for (const text of [
      "\r\n\r\n",
      "GET",
      "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc",
      `GET /${"x".repeat(20_000)} HTTP/1.1\r\n\r\n`,
    ]) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => socket.end(text));
        socket
          .on("close", () => resolve())
          .on("error", () => resolve())
          .resume();
      });
    }
    expect((await rig.call("GET", "/ok")).status).toBe(200);
  });
});

describe("the control surface", () => {
  const control = (method: string, path: string, body?: unknown, headers = {}) =>
    rig.call<{ error: { code: string; message: string } }>(method, `/_emulator/v1${path}`, body, headers);

  it.each<[string, string, unknown, number]>([
    ["POST", "/clock/flow", { rate: 0 }, 422],
    ["POST", "/traces/generate", { count: 0 }, 422],
    ["POST", "/traces/generate", { count: 10, shape: "round" }, 422],
    [
      "POST",
      "/traces/generate",
      { count: 10, from: "2026-02-02T00:00:00Z", to: "2026-02-01T00:00:00Z" },
      422,
    ],
    ["POST", "/s3/buckets", { name: "No Bucket" }, 422],
    ["POST", "/s3/buckets", { name: "traces" }, 409],
    ["DELETE", "/s3/buckets/nothing", undefined, 404],
    ["PATCH", "/s3/credentials/nobody", { deny: ["put"] }, 404],
    ["PATCH", "/s3/credentials/emulator", { deny: ["fly"] }, 422],
    ["GET", `/exports/${UNKNOWN}/verify`, undefined, 404],
    ["GET", "/nothing", undefined, 404],
    ["PUT", "/clock", {}, 405],
  ])("%s %s %j is refused with %i", async (method, path, body, status) => {
    const reply = await control(method, path, body);
    expect(reply.status).toBe(status);
    expect(reply.body.error).toEqual(
      expect.objectContaining({ code: expect.any(String), message: expect.any(String) }),
    );
  });

  it("refuses foreign Origin and Host headers with 403", async () => {
    expect((await control("GET", "/clock", undefined, { origin: "https://evil.example" })).status).toBe(403);
    expect((await control("GET", "/clock", undefined, { origin: "http://localhost:3000" })).status).toBe(200);
    const { port, hostname } = new URL(rig.emulator.url);
    const status = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname, () =>
        socket.end("GET /_emulator/v1/clock HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
      );
      socket.once("data", (data) => resolve(String(data).slice(9, 12)));
    });
    expect(status).toBe("403");
  });
});
