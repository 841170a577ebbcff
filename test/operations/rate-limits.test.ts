import { beforeEach, describe, expect, it } from "vitest";
import { type Reply, startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const UUID = "5a0f4a6e-4bf5-4d0c-9c3e-0c6f3c1f7a11";

const rig = useRig("file", () =>
  startRig({ rate_limits: { enabled: true, scale: 0.005, trusted_proxies: ["127.0.0.1"] } }),
);
const control = <T = Record<string, never>>(method: string, path: string, body?: unknown) =>
  rig.emulator.control<unknown>(method, path, body) as Promise<T>;

beforeEach(() => control("POST", "/rate-limits/reset", {}));

interface Asked {
  readonly region?: "us" | "eu";
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

async function send(method: string, path: string, { region = "us", headers = {}, body }: Asked = {}) {
  const origin = region === "us" ? rig.emulator.url : rig.emulator.euUrl;
  const reply = await fetch(origin + path, {
    method,
    headers,
    ...(body !== undefined && { body }),
  });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, body: text === "" ? undefined : JSON.parse(text) };
}

describe("a refusal", () => {
  const key = { "x-api-key": "k" };

  it("is 429 with the body of the server's other errors, and names the time of the next request", async () => {
    await control("PUT", "/rate-limits/default_key", { remaining: 0 });
    const platform = await send("GET", "/api/v1/bulk-exports", { headers: key });
    expect(platform.status).toBe(429);
    expect(platform.body).toEqual({
      detail:
        "Rate limit exceeded: Default (API key), 5 requests in 10 seconds for each x-api-key. `emulator limits explain <method> <path>` shows when a request is accepted again.",
    });
    const names = ["retry-after", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];
    expect(names.map((name) => platform.headers.get(name))).toEqual(["10", "5", "0", "10"]);
    const agent = await send("GET", `/threads/${UUID}/runs`, { headers: key });
    expect(agent.status).toBe(429);
    expect(agent.body).toMatch(/^Rate limit exceeded/);
    const nowhere = await send("GET", "/nowhere", { headers: key });
    expect(nowhere).toMatchObject({
      status: 429,
      body: { detail: expect.stringContaining("Rate limit exceeded") },
    });
  });

  it("is sent before the body is read, changes nothing and is in the journal without the key", async () => {
    await control("PUT", "/rate-limits/runs_post", { remaining: 0 });
    const headers = { "x-api-key": "a-secret-key", "content-type": "application/json" };
    expect((await send("POST", "/runs", { headers, body: "{" })).status).toBe(429);
    const journal = await (await fetch(`${rig.emulator.url}/_emulator/v1/journal`)).text();
    const last = JSON.parse(journal.trim().split("\n").at(-1) ?? "");
    expect(last).toMatchObject({
      cause: {
        type: "request",
        name: "rate_limit",
        detail: { method: "POST", path: "/runs", row: "runs_post" },
      },
      refused: { status: 429, code: "rate_limited" },
    });
    expect(last).not.toHaveProperty("put");
    expect(journal).not.toContain("a-secret-key");
  });

  it("is not counted, and requests that fail otherwise are", async () => {
    await control("PUT", "/rate-limits/runs_post", { count: 2 });
    for (const status of [415, 415, 429, 429])
      expect((await send("POST", "/runs", { headers: key, body: "x" })).status).toBe(status);
    const explained = await control("GET", "/rate-limits/explain?method=POST&path=/runs&x-api-key=k");
    expect(explained.deciding).toMatchObject({ row: "runs_post", used: 2, remaining: 0 });
  });

  it("never limits the control API", async () => {
    await control("PUT", "/rate-limits/catch_all", { remaining: 0 });
    for (let n = 0; n < 5; n += 1) expect((await send("GET", "/_emulator/v1/clock")).status).toBe(200);
    expect((await send("GET", "/nowhere")).status).toBe(429);
  });
});

describe("OPTIONS", () => {
  const request = { origin: "http://localhost:5173", "access-control-request-method": "POST" };

  it.each(["/runs/query", "/auth", "/runs", "/nowhere"])("answers the preflight of %s", async (path) => {
    const headers = { ...request, "access-control-request-headers": "content-type, x-api-key" };
    const reply = await send("OPTIONS", path, { headers });
    expect(reply.status).toBe(204);
    expect(reply.headers.get("access-control-allow-origin")).toBe("http://localhost:5173");
    expect(reply.headers.get("access-control-allow-methods")).toBe("GET, POST, PUT, PATCH, DELETE");
    expect(reply.headers.get("access-control-allow-headers")).toBe("content-type, x-api-key");
    expect(reply.headers.get("allow")).toContain("OPTIONS");
  });

  it("is counted by address, and its refusal can be read by a page too", async () => {
    await control("PUT", "/rate-limits/system", { remaining: 1 });
    expect((await send("OPTIONS", "/runs", { headers: request })).status).toBe(204);
    const refusal = await send("OPTIONS", "/runs", { headers: request });
    expect(refusal.status).toBe(429);
    expect(refusal.headers.get("access-control-allow-origin")).toBe("http://localhost:5173");
  });

  it("is followed by replies that show their headers to pages, and only to pages", async () => {
    const page = await send("GET", "/nowhere", { headers: { origin: "http://localhost:5173" } });
    expect(page.headers.get("access-control-expose-headers")).toMatch(
      /content-location.*x-pagination-total.*x-pagination-next/,
    );
    const program = await send("GET", "/nowhere");
    expect(program.headers.has("access-control-allow-origin")).toBe(false);
  });
});

describe("the client's address", () => {
  it("is believed from a trusted proxy only", async () => {
    const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
    await control("PUT", "/rate-limits/catch_all", { count: 1 });
    expect((await send("GET", "/nowhere", from("198.51.100.1"))).status).toBe(404);
    expect((await send("GET", "/nowhere", from("198.51.100.1"))).status).toBe(429);
    expect((await send("GET", "/nowhere", from("198.51.100.2"))).status).toBe(404);
    const open = await startRig({ rate_limits: { enabled: true, rows: { catch_all: 1 } } });
    try {
      expect(
        (await open.call("GET", "/nowhere", undefined, { "x-api-key": "", "x-forwarded-for": "1.1.1.1" }))
          .status,
      ).toBe(404);
      expect(
        (await open.call("GET", "/nowhere", undefined, { "x-api-key": "", "x-forwarded-for": "2.2.2.2" }))
          .status,
      ).toBe(429);
    } finally {
      await open.close();
    }
  });
});

describe("the headers of a limit", () => {
  it("are off with the profile of the observed service, unless a setting enables them", async () => {
    for (const [headers, expected] of [
      [{}, null],
      [{ headers: "ratelimit" }, "10"],
    ] as const) {
      const rate_limits = { enabled: true, ...headers, rows: { default_key: 1 } };
      const own = await startRig({ profile: "observed", rate_limits });
      try {
        await own.call("GET", "/nowhere");
        const over = await own.call("GET", "/nowhere");
        expect([over.status, over.header("retry-after") ?? null]).toEqual([429, expected]);
      } finally {
        await own.close();
      }
    }
  });

  it.each([
    [
      "ratelimit",
      { "ratelimit-limit": "1", "ratelimit-remaining": "0", "ratelimit-reset": "10", "retry-after": null },
      { "ratelimit-limit": "1", "ratelimit-remaining": "0", "ratelimit-reset": "8", "retry-after": "8" },
    ],
    ["none", { "ratelimit-limit": null }, { "ratelimit-limit": null, "retry-after": null }],
    ["retry-after", { "retry-after": null }, { "retry-after": "8", "x-ratelimit-limit": null }],
    [
      "x-ratelimit",
      { "x-ratelimit-limit": "1", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "10" },
      {
        "x-ratelimit-limit": "1",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": "8",
        "retry-after": null,
      },
    ],
  ])("as %s", async (headers, admitted, refusedHeaders) => {
    const own = await startRig({ rate_limits: { enabled: true, headers, rows: { default_key: 1 } } });
    try {
      const viewOf = ({ header }: Reply, names: object) =>
        Object.fromEntries(Object.keys(names).map((name) => [name, header(name) ?? null]));
      expect(viewOf(await own.call("GET", "/nowhere"), admitted)).toEqual(admitted);
      await own.emulator.clock.advance("PT2.5S");
      expect(viewOf(await own.call("GET", "/nowhere"), refusedHeaders)).toEqual(refusedHeaders);
    } finally {
      await own.close();
    }
  });
});

describe("the limiter of a world", () => {
  it("is off in the library by default, and a tripped row still counts", async () => {
    const own = await startRig();
    try {
      for (let n = 0; n < 20; n += 1)
        expect((await own.call("POST", "/runs/stats", {})).status).not.toBe(429);
      await own.emulator.control("PUT", "/rate-limits/runs_stats", { remaining: 0 });
      expect((await own.call("POST", "/runs/stats", {})).status).toBe(429);
      await own.emulator.clock.advance("PT10S");
      for (let n = 0; n < 5; n += 1) expect((await own.call("POST", "/runs/stats", {})).status).not.toBe(429);
    } finally {
      await own.close();
    }
  });

  it("explains that a used-up row passes once it is no longer enforced", async () => {
    const own = await startRig({ rate_limits: { window: "sliding" } });
    const explained = () =>
      own.emulator.control("GET", "/rate-limits/explain?method=POST&path=/runs/stats&x-api-key=emulator-key");
    try {
      await own.emulator.control("PUT", "/rate-limits/runs_stats", { remaining: 1 });
      await own.emulator.clock.advance("PT9S");
      await own.call("POST", "/runs/stats", {});
      const usage = { row: "runs_stats", used: 1, remaining: 0 };
      expect(await explained()).toMatchObject({ passes: false, deciding: { ...usage, enforced: true } });
      await own.emulator.clock.advance("PT1S");
      expect(await explained()).toMatchObject({ passes: true, deciding: { ...usage, enforced: false } });
      expect((await own.call("POST", "/runs/stats", {})).status).not.toBe(429);
    } finally {
      await own.close();
    }
  });

  it("resets all counters, tripped limits and changed limits", async () => {
    await control("PUT", "/rate-limits/default_key", { remaining: 0, count: 3 });
    await rig.emulator.reset();
    const { rows, held } = await control<{ rows: { row: string; us: object }[]; held: number }>(
      "GET",
      "/rate-limits",
    );
    expect(held).toBe(0);
    expect(rows.find(({ row }) => row === "default_key")).toMatchObject({ us: { count: 5, identities: 0 } });
    expect((await send("GET", "/nowhere", { headers: { "x-api-key": "k" } })).status).toBe(404);
  });
});

describe("the control operations", () => {
  it("list the counters in use, the busiest first and bounded, with masked keys", async () => {
    await control("PUT", "/rate-limits/default_key", { count: 100 });
    for (let n = 0; n < 25; n += 1)
      await send("GET", "/nowhere", { headers: { "x-api-key": `lsv2_key_${n}` } });
    await send("GET", "/nowhere", { headers: { "x-api-key": "lsv2_key_7" } });
    const list = await control<{
      rows: { row: string; us: { in_use: { identity: string; used: number }[] } }[];
    }>("GET", "/rate-limits");
    const row = list.rows.find((one) => one.row === "default_key");
    expect(row).toMatchObject({
      match: ["any request"],
      identity: "x-api-key",
      us: { count: 100, identities: 25 },
      eu: { identities: 0 },
    });
    expect(row?.us.in_use).toHaveLength(20);
    expect(row?.us.in_use[0]).toMatchObject({
      used: 2,
      remaining: 98,
      identity: expect.stringMatching(/^ls… \([0-9a-f]{6}\)$/),
    });
    expect(new Set(row?.us.in_use.map(({ identity }) => identity)).size).toBe(20);
    expect(JSON.stringify(list)).not.toContain("lsv2_key");
  });

  it("explain all rows of a request, the one that decides, and when the next passes", async () => {
    await control("PUT", "/rate-limits/runs_query_key", { count: 2 });
    const headers = { "x-api-key": "a-secret-key" };
    for (let n = 0; n < 2; n += 1) await send("POST", "/runs/query", { headers });
    const before = await control<{ deciding: object }>("GET", "/clock");
    await rig.emulator.clock.advance("PT4S");
    const query = "method=post&path=/api/v1/runs/query&x-api-key=a-secret-key&x-user-id=ann&ip=10.0.0.9";
    const said = await control<Record<string, unknown>>("GET", `/rate-limits/explain?${query}`);
    const now = (before as unknown as { now: string }).now;
    expect(said).toMatchObject({
      region: "us",
      passes: false,
      deciding: {
        row: "runs_query_key",
        category: "Run query (API)",
        counted_by: "x-api-key",
        used: 2,
        remaining: 0,
        next_passes_in_seconds: 6,
        next_passes_at: expect.stringContaining(
          new Date(Date.parse(now) + 10_000).toISOString().slice(0, 19),
        ),
      },
    });
    expect(
      (said.matching as { row: string; decides: boolean }[]).map(({ row, decides }) => [row, decides]),
    ).toEqual([
      ["runs_query_key", true],
      ["runs_query_user", false],
      ["default_key", false],
      ["default_user", false],
      ["catch_all", false],
    ]);
    expect(JSON.stringify(said)).not.toContain("a-secret-key");
    const eu = await control("GET", `/rate-limits/explain?${query}&region=eu`);
    expect(eu).toMatchObject({
      region: "eu",
      passes: true,
      deciding: { used: 0, next_passes_in_seconds: 0 },
    });
    const again = await control("GET", `/rate-limits/explain?${query}`);
    expect(again).toEqual(said);
  });

  it("release one row, in one region or in both, and leave the others as they are", async () => {
    await control("PUT", "/rate-limits/runs_stats", { remaining: 0 });
    await control("PUT", "/rate-limits/runs_query_key", { count: 3 });
    await control("PUT", "/rate-limits/runs_query_key", { remaining: 0 });
    const states = async () => {
      const { rows } = await control<{ rows: { row: string; us: object; eu: object }[] }>(
        "GET",
        "/rate-limits",
      );
      const of = (name: string) => rows.find(({ row }) => row === name);
      return [of("runs_stats"), of("runs_query_key")].flatMap((row) => [row?.us, row?.eu]);
    };
    const tripped = { tripped_until: expect.any(String), tripped_remaining: 0 };
    const free = expect.not.objectContaining({ tripped_until: expect.anything() });
    const query = { ...tripped, count: 3 };
    expect(await states()).toMatchObject([tripped, tripped, query, query]);
    await control("POST", "/rate-limits/reset", { row: "runs_query_key", region: "eu" });
    expect(await states()).toEqual([
      expect.objectContaining(tripped),
      expect.objectContaining(tripped),
      expect.objectContaining(query),
      free,
    ]);
    expect((await states())[3]).toMatchObject({ count: 1, seconds: 10 });
    await control("POST", "/rate-limits/reset", { row: "runs_query_key" });
    expect((await states())[2]).toEqual(free);
    expect((await states())[0]).toMatchObject(tripped);
    const headers = { "x-api-key": "k", "content-type": "application/json" };
    expect((await send("POST", "/runs/query", { headers, body: "{}" })).status).not.toBe(429);
    expect((await send("GET", "/runs/stats", { headers })).status).toBe(429);
  });

  it("change a row in one region alone", async () => {
    const row = await control("PUT", "/rate-limits/runs_stats", { count: 3, seconds: 5, region: "eu" });
    expect(row).toMatchObject({
      row: "runs_stats",
      us: { count: 1, seconds: 10 },
      eu: { count: 3, seconds: 5 },
    });
    const request = { region: "eu", headers: { "x-api-key": "k" } } as const;
    const isRefused = async () => (await send("GET", "/runs/stats", request)).status === 429;
    for (const expected of [false, false, false, true]) expect(await isRefused()).toBe(expected);
    await rig.emulator.clock.advance("PT5S");
    expect(await isRefused()).toBe(false);
  });

  it.each([
    ["PUT", "/rate-limits/runs_quer_key", { remaining: 0 }, /Did you mean|no row/],
    ["PUT", "/rate-limits/runs_query_key", {}, /give remaining, count or seconds/],
    ["PUT", "/rate-limits/runs_query_key", { region: "eu" }, /give remaining, count or seconds/],
    ["PUT", "/rate-limits/runs_query_key", { remaining: -1 }, /remaining/],
    ["PUT", "/rate-limits/runs_query_key", { remaining: 99 }, /admits 1 requests/],
    ["PUT", "/rate-limits/runs_query_key", { count: 0 }, /count/],
    ["PUT", "/rate-limits/runs_query_key", { count: "5" }, /count/],
    ["PUT", "/rate-limits/runs_query_key", { seconds: 1.5 }, /seconds/],
    ["PUT", "/rate-limits/runs_query_key", { remaining: 0, region: "asia" }, /region/],
    ["PUT", "/rate-limits/runs_query_key", { remainig: 0 }, /remainig: is not a known field/],
    ["POST", "/rate-limits/reset", { row: "runs_quer_key" }, /row: .*runs_query_key/],
    ["POST", "/rate-limits/reset", { row: "runs_query_key", region: "asia" }, /region/],
    ["POST", "/rate-limits/reset", { region: "eu" }, /give row with region/],
    ["POST", "/rate-limits/reset", { rows: [] }, /rows: is not a known field/],
    ["GET", "/rate-limits/explain", undefined, /path/],
    ["GET", "/rate-limits/explain?path=runs", undefined, /slash/],
    ["GET", "/rate-limits/explain?path=/runs&x-apikey=k", undefined, /x-apikey: is not a known field/],
    ["GET", "/rate-limits/explain?path=/runs&region=asia", undefined, /region/],
    ["GET", "/rate-limits/explain?path=/runs&ip=nowhere", undefined, /ip/],
  ])("refuse %s %s with %j", async (method, path, body, message) => {
    await expect(control(method, path, body)).rejects.toThrow(message);
    const { rows } = await control<{ rows: { row: string }[] }>("GET", "/rate-limits");
    expect(rows.find(({ row }) => row === "runs_query_key")).toMatchObject({ us: { count: 1, seconds: 10 } });
  });
});
