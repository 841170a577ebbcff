import { beforeEach, describe, expect, it } from "vitest";
import type { EmulatorOptions } from "../../emulator/runtime/index.ts";
import { type Reply, type Rig, startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const rig = useRig("file", () =>
  startRig({ rate_limits: { enabled: true, scale: 0.005, trusted_proxies: ["127.0.0.1"] } }),
);
const control = <T = Record<string, never>>(method: string, path: string, body?: unknown) =>
  rig.emulator.control<unknown>(method, `/rate-limits${path}`, body) as Promise<T>;

beforeEach(() => control("POST", "/reset", {}));

interface SentRequest {
  readonly region?: "us" | "eu";
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

async function send(method: string, path: string, { region = "us", headers = {}, body }: SentRequest = {}) {
  const origin = region === "us" ? rig.emulator.url : rig.emulator.euUrl;
  const reply = await fetch(origin + path, { method, headers, ...(body !== undefined && { body }) });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, body: text === "" ? undefined : JSON.parse(text) };
}

/** What `act` returns for an emulator of its own. */
async function withRig<T>(options: EmulatorOptions, act: (own: Rig) => Promise<T>): Promise<T> {
  const own = await startRig(options);
  try {
    return await act(own);
  } finally {
    await own.close();
  }
}

const KEY = { "x-api-key": "a-secret-key", "content-type": "application/json" };

describe("a refusal (8.5-1)", () => {
  it("has the body of the server's other errors, and the time of the next request", async () => {
    await control("PUT", "/default_key", { remaining: 0 });
    const { status, headers, body } = await send("GET", "/api/v1/bulk-exports", { headers: KEY });
    const detail =
      "Rate limit exceeded: Default (API key), 5 requests in 10 seconds for each x-api-key. `emulator limits explain <method> <path>` shows when a request is accepted again.";
    expect([status, body]).toEqual([429, { detail }]);
    const names = ["retry-after", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];
    expect(names.map((name) => headers.get(name))).toEqual(["10", "5", "0", "10"]);
    expect(await send("GET", "/threads/x/runs", { headers: KEY })).toMatchObject({
      status: 429,
      body: detail,
    });
    expect(await send("GET", "/nowhere", { headers: KEY })).toMatchObject({ status: 429, body: { detail } });
  });

  it("is sent before the body is read, changes nothing and is in the journal without the key", async () => {
    await control("PUT", "/runs_post", { remaining: 0 });
    expect((await send("POST", "/runs", { headers: KEY, body: "{" })).status).toBe(429);
    const journal = await (await fetch(`${rig.emulator.url}/_emulator/v1/journal`)).text();
    const last = JSON.parse(journal.trim().split("\n").at(-1) ?? "");
    const detail = { method: "POST", path: "/runs", row: "runs_post" };
    const cause = { type: "request", name: "rate_limit", detail };
    expect(last).toMatchObject({ cause, refused: { status: 429, code: "rate_limited" } });
    expect(last).not.toHaveProperty("put");
    expect(journal).not.toContain("a-secret-key");
  });

  it("is not counted, and requests that fail otherwise are", async () => {
    await control("PUT", "/runs_post", { count: 2 });
    const headers = { "x-api-key": "k" };
    for (const status of [415, 415, 429, 429])
      expect((await send("POST", "/runs", { headers, body: "x" })).status).toBe(status);
    const { deciding } = await control("GET", "/explain?method=POST&path=/runs&x-api-key=k");
    expect(deciding).toMatchObject({ row: "runs_post", used: 2, remaining: 0 });
  });

  it("concerns no control operation", async () => {
    await control("PUT", "/catch_all", { remaining: 0 });
    expect((await send("GET", "/_emulator/v1/clock")).status).toBe(200);
    expect((await send("GET", "/nowhere")).status).toBe(429);
  });
});

describe("OPTIONS", () => {
  const origin = "http://localhost:5173";
  const preflight = { origin, "access-control-request-method": "POST" };

  it.each(["/runs/query", "/nowhere"])("answers the preflight of %s", async (path) => {
    const { status, headers } = await send("OPTIONS", path, {
      headers: { ...preflight, "access-control-request-headers": "content-type, x-api-key" },
    });
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-origin")).toBe(origin);
    expect(headers.get("access-control-allow-methods")).toBe("GET, POST, PUT, PATCH, DELETE");
    expect(headers.get("access-control-allow-headers")).toBe("content-type, x-api-key");
    expect(headers.get("allow")).toContain("OPTIONS");
  });

  it("is counted by address, and a page can read its refusal and the headers of replies", async () => {
    await control("PUT", "/system", { remaining: 1 });
    expect((await send("OPTIONS", "/runs", { headers: preflight })).status).toBe(204);
    const refusal = await send("OPTIONS", "/runs", { headers: preflight });
    expect([refusal.status, refusal.headers.get("access-control-allow-origin")]).toEqual([429, origin]);
    const exposed = (await send("GET", "/nowhere", { headers: { origin } })).headers;
    expect(exposed.get("access-control-expose-headers")).toMatch(
      /content-location.*x-pagination-total.*x-pagination-next/,
    );
    expect((await send("GET", "/nowhere")).headers.has("access-control-allow-origin")).toBe(false);
  });
});

it("the address of a client is believed from a trusted proxy only", async () => {
  const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
  await control("PUT", "/catch_all", { count: 1 });
  for (const [address, status] of [
    ["198.51.100.1", 404],
    ["198.51.100.1", 429],
    ["198.51.100.2", 404],
  ] as const)
    expect((await send("GET", "/nowhere", from(address))).status).toBe(status);
  await withRig({ rate_limits: { enabled: true, rows: { catch_all: 1 } } }, async (own) => {
    for (const [address, status] of [
      ["1.1.1.1", 404],
      ["2.2.2.2", 429],
    ] as const) {
      const headers = { "x-api-key": "", "x-forwarded-for": address };
      expect((await own.call("GET", "/nowhere", undefined, headers)).status).toBe(status);
    }
  });
});

describe("the headers of a limit", () => {
  const NAMES = ["limit", "remaining", "reset"];
  const viewOf = ({ header }: Reply, prefix: string) =>
    [...NAMES.map((name) => header(`${prefix}-${name}`)), header("retry-after")]
      .map((value) => value ?? "-")
      .join();

  it.each([
    ["spec", "ratelimit", "ratelimit", "1,0,10,-", "1,0,8,8"],
    ["spec", "none", "ratelimit", "-,-,-,-", "-,-,-,-"],
    ["spec", "retry-after", "x-ratelimit", "-,-,-,-", "-,-,-,8"],
    ["spec", "x-ratelimit", "x-ratelimit", "1,0,10,-", "1,0,8,-"],
    ["observed", undefined, "ratelimit", "-,-,-,-", "-,-,-,-"],
    ["observed", "ratelimit", "ratelimit", "1,0,10,-", "1,0,8,8"],
  ] as const)("in the profile %s as %s", async (profile, headers, prefix, admitted, refused) => {
    const rate_limits = { enabled: true, ...(headers && { headers }), rows: { default_key: 1 } };
    await withRig({ profile, rate_limits }, async (own) => {
      expect(viewOf(await own.call("GET", "/nowhere"), prefix)).toBe(admitted);
      await own.emulator.clock.advance("PT2.5S");
      expect(viewOf(await own.call("GET", "/nowhere"), prefix)).toBe(refused);
    });
  });
});

describe("the limiter of a world", () => {
  it("is off in the library by default, also after the window of a tripped row", () =>
    withRig({ rate_limits: { window: "sliding" } }, async ({ emulator, call }) => {
      const status = async () => (await call("POST", "/runs/stats", {})).status;
      const path = "/rate-limits/explain?method=POST&path=/runs/stats&x-api-key=emulator-key";
      for (let n = 0; n < 5; n += 1) expect(await status()).toBe(422);
      await emulator.control("PUT", "/rate-limits/runs_stats", { remaining: 1 });
      await emulator.clock.advance("PT9S");
      expect([await status(), await status()]).toEqual([422, 429]);
      const usage = { row: "runs_stats", used: 1, remaining: 0 };
      expect(await emulator.control("GET", path)).toMatchObject({
        passes: false,
        deciding: { ...usage, enforced: true },
      });
      await emulator.clock.advance("PT1S");
      expect(await emulator.control("GET", path)).toMatchObject({
        passes: true,
        deciding: { ...usage, enforced: false },
      });
      expect(await status()).toBe(422);
    }));

  it("loses all counters and changes in a reset", async () => {
    await control("PUT", "/default_key", { remaining: 0, count: 3 });
    await rig.emulator.reset();
    const { rows, held } = await control<{ rows: { row: string }[]; held: number }>("GET", "");
    expect(held).toBe(0);
    expect(rows.find(({ row }) => row === "default_key")).toMatchObject({ us: { count: 5, identities: 0 } });
  });
});

interface RowView {
  readonly row: string;
  readonly us: { readonly in_use: readonly { readonly identity: string }[] };
  readonly eu: object;
}

const rowView = async (name: string) =>
  (await control<{ rows: RowView[] }>("GET", "")).rows.find(({ row }) => row === name);

describe("the control operations", () => {
  it("list the counters in use, the busiest first and bounded, with masked keys", async () => {
    await control("PUT", "/default_key", { count: 100 });
    for (const n of [...Array(25).keys(), 7])
      await send("GET", "/nowhere", { headers: { "x-api-key": `lsv2_key_${n}` } });
    const row = await rowView("default_key");
    const us = { count: 100, identities: 25 };
    expect(row).toMatchObject({ match: ["any request"], identity: "x-api-key", us, eu: { identities: 0 } });
    const identities = row?.us.in_use.map(({ identity }) => identity) ?? [];
    expect([identities.length, new Set(identities).size]).toEqual([20, 20]);
    const identity = expect.stringMatching(/^ls… \([0-9a-f]{6}\)$/);
    expect(row?.us.in_use[0]).toMatchObject({ used: 2, remaining: 98, identity });
    expect(JSON.stringify(row)).not.toContain("lsv2_key");
  });

  it("explain all rows of a request, the one that decides, and when the next passes", async () => {
    await control("PUT", "/runs_query_key", { count: 2 });
    for (let n = 0; n < 2; n += 1) await send("POST", "/runs/query", { headers: KEY });
    const passesAt = new Date(Date.parse(rig.emulator.clock.now()) + 10_000).toISOString().slice(0, 19);
    await rig.emulator.clock.advance("PT4S");
    const query = "method=post&path=/api/v1/runs/query&x-api-key=a-secret-key&x-user-id=ann&ip=10.0.0.9";
    const explained = await control<{ matching: { row: string; decides: boolean }[] }>(
      "GET",
      `/explain?${query}`,
    );
    const counted = { row: "runs_query_key", category: "Run query (API)", counted_by: "x-api-key", used: 2 };
    expect(explained).toMatchObject({
      region: "us",
      passes: false,
      deciding: {
        ...counted,
        remaining: 0,
        next_passes_in_seconds: 6,
        next_passes_at: expect.stringContaining(passesAt),
      },
    });
    expect(explained.matching.map(({ row, decides }) => [row, decides])).toEqual([
      ["runs_query_key", true],
      ["runs_query_user", false],
      ["default_key", false],
      ["default_user", false],
      ["catch_all", false],
    ]);
    expect(JSON.stringify(explained)).not.toContain("a-secret-key");
    expect(await control("GET", `/explain?${query}&region=eu`)).toMatchObject({
      region: "eu",
      passes: true,
      deciding: { used: 0, next_passes_in_seconds: 0 },
    });
    expect(await control("GET", `/explain?${query}`)).toEqual(explained);
  });

  it("change and release one row, in one region or in both", async () => {
    await control("PUT", "/runs_stats", { remaining: 0 });
    await control("PUT", "/runs_query_key", { count: 3 });
    await control("PUT", "/runs_query_key", { remaining: 0 });
    const tripped = expect.objectContaining({ tripped_until: expect.any(String), tripped_remaining: 0 });
    const free = expect.not.objectContaining({ tripped_until: expect.anything() });
    await control("POST", "/reset", { row: "runs_query_key", region: "eu" });
    expect(await rowView("runs_query_key")).toMatchObject({ us: tripped, eu: free });
    expect(await rowView("runs_query_key")).toMatchObject({
      us: { count: 3 },
      eu: { count: 1, seconds: 10 },
    });
    await control("POST", "/reset", { row: "runs_query_key" });
    expect(await rowView("runs_query_key")).toMatchObject({ us: free, eu: free });
    expect(await rowView("runs_stats")).toMatchObject({ us: tripped, eu: tripped });
    await control("POST", "/reset", {});
    const changed = await control("PUT", "/runs_stats", { count: 3, seconds: 5, region: "eu" });
    expect(changed).toMatchObject({ us: { count: 1, seconds: 10 }, eu: { count: 3, seconds: 5 } });
    const request = { region: "eu", headers: KEY } as const;
    for (const isRefused of [false, false, false, true])
      expect((await send("GET", "/runs/stats", request)).status === 429).toBe(isRefused);
    await rig.emulator.clock.advance("PT5S");
    expect((await send("GET", "/runs/stats", request)).status).not.toBe(429);
  });

  it.each([
    ["PUT", "/runs_quer_key", { remaining: 0 }, /Did you mean runs_query_key/],
    ["PUT", "/zzz", { remaining: 0 }, /rate-limits lists the rows/],
    ["PUT", "/runs_query_key", {}, /give remaining, count or seconds/],
    ["PUT", "/runs_query_key", { region: "eu" }, /give remaining, count or seconds/],
    ["PUT", "/runs_query_key", { remaining: -1 }, /remaining/],
    [
      "PUT",
      "/runs_query_key",
      { remaining: 99 },
      /remaining: must be at most 1, since runs_query_key admits 1 /,
    ],
    ["PUT", "/runs_query_key", { count: 0 }, /count/],
    ["PUT", "/runs_query_key", { count: "5" }, /count/],
    ["PUT", "/runs_query_key", { seconds: 1.5 }, /seconds/],
    ["PUT", "/runs_query_key", { remaining: 0, region: "asia" }, /region/],
    ["PUT", "/runs_query_key", { remainig: 0 }, /remainig: is not a known field/],
    ["POST", "/reset", { row: "runs_quer_key" }, /row: .*runs_query_key/],
    ["POST", "/reset", { row: "runs_query_key", region: "asia" }, /region/],
    ["POST", "/reset", { region: "eu" }, /give row with region/],
    ["POST", "/reset", { rows: [] }, /rows: is not a known field/],
    ["GET", "/explain", undefined, /path/],
    ["GET", "/explain?path=runs", undefined, /must start with a slash/],
    ["GET", "/explain?path=/runs&x-apikey=k", undefined, /x-apikey: is not a known field/],
    ["GET", "/explain?path=/runs&region=asia", undefined, /region/],
    ["GET", "/explain?path=/runs&ip=nowhere", undefined, /ip/],
  ])("refuse %s %s with %j, and change nothing", async (method, path, body, message) => {
    await expect(control(method, path, body)).rejects.toThrow(message);
    expect(await rowView("runs_query_key")).toMatchObject({ us: { count: 1, seconds: 10 } });
  });
});
