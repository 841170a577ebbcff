import { type CaseRow, suite } from "../engine/case.ts";
import { accepted, equal, isRefused, refused } from "../engine/check.ts";
import type { CallOptions, Contract, Reply } from "../engine/contract.ts";
import type { Region } from "../engine/http-message.ts";
import { RATE_LIMITS, type RateLimit, type RateLimitId } from "../spec/rate-limits/rows.ts";
import type { RequirementId } from "../spec/requirements.ts";
import { EXPORTS } from "./export-helpers.ts";

const LIMITED = ["control", "clock", "writes"] as const;
const ON = { rateLimits: "on" } as const;

/** Limits up to this count are tested request by request; larger ones are lowered first. */
const MAX_REQUESTS = 300;
const AT_ONCE = 40;
const LEFT = 3;

/** Requests that a row counts; `{uuid}` is replaced by a new one. */
const PROBES: Readonly<Record<RateLimitId, readonly [method: string, path: string][]>> = {
  system: [
    ["OPTIONS", "/api/v1/bulk-exports"],
    ["GET", "/info"],
    ["POST", "/some/v1/metadata/submit"],
  ],
  auth_key: [["GET", "/auth"]],
  auth_user: [["GET", "/auth"]],
  beacon: [["POST", "/v1/beacon"]],
  repos_key: [["GET", "/repos"]],
  repos_user: [["GET", "/repos"]],
  runs_batch: [["POST", "/runs/batch"]],
  otel_traces: [["POST", "/otel/v1/traces"]],
  charts_key: [["POST", "/api/v1/charts/preview"]],
  charts_user: [["POST", "/api/v1/charts/preview"]],
  runs_multipart: [["POST", "/runs/multipart"]],
  runs_query_key: [["POST", "/runs/query"]],
  runs_query_user: [["POST", "/runs/query"]],
  generate_key: [["POST", "/generate"]],
  generate_user: [["POST", "/generate"]],
  commits_key: [["GET", "/commits"]],
  commits_user: [["GET", "/commits"]],
  deletion_key: [
    ["DELETE", "/sessions/{uuid}"],
    ["DELETE", "/some/trigger"],
  ],
  deletion_user: [
    ["DELETE", "/sessions/{uuid}"],
    ["DELETE", "/some/trigger"],
  ],
  runs_post: [["POST", "/runs"]],
  runs_patch: [["PATCH", "/runs/{uuid}"]],
  feedback: [["POST", "/feedback"]],
  runs_lookup: [
    ["GET", "/runs/{uuid}"],
    ["GET", "/api/v1/runs/{uuid}"],
  ],
  examples: [["GET", "/api/v1/examples"]],
  default_key: [["GET", "/api/v1/bulk-exports"]],
  default_user: [["GET", "/api/v1/bulk-exports"]],
  public_download: [["GET", "/public/download"]],
  runs_stats: [["POST", "/runs/stats"]],
  catch_all: [["GET", "/nothing/here"]],
};

/** Headers of a caller of this kind, under a name. */
function callerOf({ identity }: RateLimit, name: string): Readonly<Record<string, string | null>> {
  const nobody = { "x-api-key": null };
  if (identity === "IP") return nobody;
  return identity === "x-api-key" ? { "x-api-key": `contract-${name}` } : { ...nobody, "x-user-id": name };
}

type SendRequest = (field: number) => Promise<Reply>;

function requesterOf(t: Contract, id: RateLimitId, name: string, region: Region): SendRequest {
  const probes = PROBES[id];
  const headers = callerOf(RATE_LIMITS[id], name);
  const options: CallOptions = { region, headers, unjudged: true };
  return (field) => {
    const [method, path] = probes[field % probes.length] as [string, string];
    const body = method === "POST" || method === "PATCH" ? { body: {} } : {};
    return t.call(method, path.replace("{uuid}", t.draw.uuid()), { ...options, ...body });
  };
}

async function requestMany(send: SendRequest, count: number): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let from = 0; from < count; from += AT_ONCE) {
    const fields = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => from + index);
    const replies = await Promise.all(fields.map(send));
    statuses.push(...replies.map(({ status }) => status));
  }
  return statuses;
}

/** Checks the reported count of a large limit, then lowers it to a few requests. */
async function withShortWindow(
  t: Contract,
  id: RateLimitId,
  requirement: RequirementId,
  region: Region,
): Promise<void> {
  const row: RateLimit = RATE_LIMITS[id];
  const [method, path] = PROBES[id][0] as [string, string];
  const query = new URLSearchParams({ method, path: path.replace("{uuid}", t.draw.uuid()), region });
  if (row.identity !== "IP")
    query.set(row.identity === "x-api-key" ? "x-api-key" : "x-user-id", "contract-asker");
  const reported = await t.control("GET", `/rate-limits/explain?${query}`);
  const expected = `"count":${row.count[region]},"seconds":${row.seconds}`;
  t.fact(
    requirement,
    JSON.stringify(reported).includes(expected),
    `${id} admits ${row.count[region]} in ${row.seconds} s`,
    {
      expected,
      actual: reported,
    },
  );
  await t.control("PUT", `/rate-limits/${id}`, { count: LEFT, region });
}

async function isExhausted(
  t: Contract,
  id: RateLimitId,
  requirement: RequirementId,
  region: Region,
): Promise<void> {
  const row: RateLimit = RATE_LIMITS[id];
  const isLarge = row.count[region] > MAX_REQUESTS;
  if (isLarge) await withShortWindow(t, id, requirement, region);
  const count = isLarge ? LEFT : row.count[region];
  const send = requesterOf(t, id, `a-${region}`, region);
  const statuses = await requestMany(send, count);
  const early = statuses.filter((status) => status === 429).length;
  t.fact(requirement, equal(early, 0), `${count} requests pass in ${region}`);
  const over = await send(0);
  const isStopped = isRefused(over.status) && over.status !== statuses[0];
  t.fact(requirement, isStopped, `request ${count + 1} is refused in ${region}`, { actual: over.status });
  t.choice("rate_limit.status", equal(over.status, 429), "it is answered with 429");
  for (const field of PROBES[id].keys()) {
    const { status } = await send(field);
    t.fact(requirement, equal(status, over.status), `${PROBES[id][field]?.join(" ")} counts in the same row`);
  }
  if (row.identity !== "IP") {
    const { status } = await requesterOf(t, id, `b-${region}`, region)(0);
    t.fact("8.5-3", status !== 429, "another identity is counted apart", {
      expected: "not 429",
      actual: status,
    });
  }
  await t.advance(`PT${row.seconds}S`);
  const later = await send(0);
  t.fact(requirement, later.status !== 429, `after ${row.seconds} s requests pass again`, {
    expected: "not 429",
    actual: later.status,
  });
}

/** Calls without a key, by the rate limit that counts them. */
const SYSTEM_CALLS: Readonly<Record<string, readonly (readonly [method: string, path: string])[]>> = {
  system: [
    ["GET", "/info"],
    ["GET", "/api/v1/info"],
    ["OPTIONS", EXPORTS],
  ],
  catch_all: [["GET", "/openapi.json"]],
};

const HEALTH_PATHS = ["/ok", "/livez", "/readyz"] as const;

const TWO_VALUES: readonly RateLimitId[] = ["commits_key", "commits_user", "runs_stats"];

const ROW_CASES = (Object.keys(RATE_LIMITS) as RateLimitId[]).map((id): readonly [string, CaseRow] => {
  const row: RateLimit = RATE_LIMITS[id];
  const isPeculiar = TWO_VALUES.includes(id);
  const others: readonly RequirementId[] = row.identity === "IP" ? [] : ["8.5-3"];
  return [
    `8.5/${id.replaceAll("_", "-")}`,
    {
      title: `${PROBES[id].map((probe) => probe.join(" ")).join(", ")} by ${row.identity}: ${row.count.us} in ${row.seconds} s`,
      requirements: ["8.5-1", ...others, ...(isPeculiar ? (["8.5-2"] as const) : [])],
      needs: isPeculiar ? [...LIMITED, "eu"] : LIMITED,
      settings: ON,
      async run(t) {
        await isExhausted(t, id, "8.5-1", "us");
        if (isPeculiar) await isExhausted(t, id, "8.5-2", "eu");
      },
    },
  ];
});

export const RATE_LIMIT_CASES = suite({
  ...Object.fromEntries(ROW_CASES),
  "8.5/identities": {
    title: "keys, users and addresses are counted apart",
    requirements: ["8.5-3", "5-2"],
    needs: LIMITED,
    settings: ON,
    async run(t) {
      const send = (headers: Readonly<Record<string, string | null>>) =>
        t.call("POST", "/generate", { body: {}, headers: { "x-api-key": null, ...headers }, unjudged: true });
      await requestMany(() => send({ "x-api-key": "one" }), 30);
      t.fact(
        "8.5-3",
        (await send({ "x-api-key": "one" })).status === 429,
        "the first key has used up its 30",
      );
      t.fact("8.5-3", (await send({ "x-api-key": "two" })).status !== 429, "another key has not");
      t.fact("8.5-3", (await send({ "x-user-id": "one" })).status !== 429, "a user of the same name has not");
      await requestMany(() => send({ "x-user-id": "one" }), 29);
      t.fact("5-2", (await send({ "x-user-id": "one" })).status === 429, "a user is counted by x-user-id");
      t.fact("5-2", (await send({ "x-user-id": "two" })).status !== 429, "another user apart");
      t.fact("5-2", (await send({})).status !== 429, "without identity the address is counted");
      await requestMany(
        () => t.call("GET", "/nothing", { headers: { "x-api-key": null }, unjudged: true }),
        100,
      );
      const nobody = await t.call("GET", "/nothing", { headers: { "x-api-key": null }, unjudged: true });
      t.fact("5-2", equal(nobody.status, 429), "a caller without a header is counted by address");
    },
  },
  "8.5/system-endpoints": {
    title: "server information and preflight requests are rate-limited, health endpoints are not",
    requirements: ["8.5-1"],
    needs: LIMITED,
    settings: ON,
    async run(t) {
      const headers = { "x-api-key": null, "x-tenant-id": null };
      for (const [row, calls] of Object.entries(SYSTEM_CALLS)) {
        await t.control("PUT", `/rate-limits/${row}`, { remaining: 0 });
        for (const [method, path] of calls) {
          const { status, body } = await t.call(method, path, { headers });
          t.fact("8.5-1", refused(status), `${method} ${path} is refused by ${row}`);
          t.choice("rate_limit.status", equal(status, 429), "it is answered with 429");
          t.choice("rate_limit.body", typeof body.detail === "string", "the body says why", { actual: body });
        }
      }
      for (const path of HEALTH_PATHS) {
        const { status } = await t.call("GET", path, { headers });
        t.choice("rate_limit.health", status !== 429, `${path} is not counted`, { actual: status });
      }
      await t.control("POST", "/rate-limits/reset", {});
      for (const [method, path] of Object.values(SYSTEM_CALLS).flat()) {
        const { status } = await t.call(method, path, { headers });
        t.fact("8.5-1", accepted(status), `${method} ${path} passes again`);
      }
    },
  },
  "8.5/both-headers": {
    title: "a request with both headers counts by its key",
    requirements: ["8.5-4"],
    needs: LIMITED,
    settings: ON,
    async run(t) {
      const both = { "x-api-key": "contract-both", "x-user-id": "somebody" };
      const send = () => t.call("POST", "/runs/query", { body: {}, headers: both, unjudged: true });
      await requestMany(send, 15);
      t.choice("rate_limit.both_headers", (await send()).status === 429, "15 as a key, not 300 as a user");
    },
  },
});
