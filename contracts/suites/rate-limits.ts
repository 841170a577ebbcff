import { type CaseRow, suite } from "../engine/case.ts";
import { equal, isRefused, refused } from "../engine/check.ts";
import type { CallOptions, Contract, Reply } from "../engine/contract.ts";
import type { Region } from "../engine/http-message.ts";
import type { Members } from "../engine/json.ts";
import { RATE_FACT_IDS, RATE_FACTS, type RateFact, type RateFactId } from "../facts/rate-limits.ts";
import type { RequirementId } from "../spec/requirements.ts";
import { EXPORTS } from "./export-helpers.ts";

const LIMITED = ["control", "clock", "writes"] as const;
const ASKED = ["writes", "bursts"] as const;
const ON = { rateLimits: "on" } as const;

/** Limits up to this count are tested request by request; larger ones are lowered first. */
const MAX_REQUESTS = 300;
/** The same for servers that are not started for the case. */
const MAX_REQUESTS_ANYWHERE = 100;
const AT_ONCE = 40;
const LEFT = 3;

/** Headers of a caller of this kind, under a name. */
function callerOf({ identity }: RateFact, name: string): Readonly<Record<string, string | null>> {
  const nobody = { "x-api-key": null };
  if (identity === "IP") return nobody;
  return identity === "x-api-key" ? { "x-api-key": `contract-${name}` } : { ...nobody, "x-user-id": name };
}

type SendRequest = (field: number) => Promise<Reply>;

function requesterOf(t: Contract, id: RateFactId, name: string, region: Region): SendRequest {
  const row: RateFact = RATE_FACTS[id];
  const headers = callerOf(row, name);
  return (field) => {
    const options: CallOptions = { region, headers, unchecked: true, mayLack: field > 0 };
    const [method, path] = row.requests[field % row.requests.length] ?? row.requests[0];
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

/** Whether a request was refused for another reason than the first one; the status of a limit is not shown (§8.5). */
const isStopped = (status: number, [first]: readonly number[]) =>
  (isRefused(status) || status === 503) && status !== first;

/** Ends the case on a server that does not say that it has the limits, and that shows none. */
async function requireLimits(
  t: Contract,
  send: SendRequest,
  count: number,
  statuses: readonly number[],
): Promise<void> {
  if (t.isPrepared || t.isClaimed("8.5")) return;
  if (statuses.every((status) => status === 401 || status === 403))
    t.lack("generated API keys (the server refuses them)");
  const more = await requestMany(send, count);
  if (more.some((status) => isStopped(status, statuses))) return;
  t.lack("the rate limits of the hosted service (--implements 8.5 makes them a FAIL)");
}

/** Lets a window end. */
async function endWindow(t: Contract, seconds: number): Promise<void> {
  if (t.has("clock")) await t.advance(`PT${seconds}S`);
  else await t.reach.wait(seconds * SECOND_MS);
}

const SECOND_MS = 1000;

/** Checks how the limit is explained. */
async function expectExplanation(
  t: Contract,
  id: RateFactId,
  requirement: RequirementId,
  region: Region,
): Promise<void> {
  const row: RateFact = RATE_FACTS[id];
  const [[method, path]] = row.requests;
  const query = new URLSearchParams({ method, path: path.replace("{uuid}", t.draw.uuid()), region });
  if (row.identity !== "IP")
    query.set(row.identity === "x-api-key" ? "x-api-key" : "x-user-id", "contract-asker");
  const { deciding } = await t.control<{ readonly deciding: Members | null }>(
    "GET",
    `/rate-limits/explain?${query}`,
  );
  const { count, seconds, category } = deciding ?? {};
  const expectation = `${id} admits ${row[region].count} in ${row[region].seconds} s`;
  t.fact(requirement, equal({ count, seconds }, row[region]), expectation);
  t.fact("8.5-7", equal(category, row.category), "the reply names the category of the row");
}

async function expectLimit(
  t: Contract,
  id: RateFactId,
  requirement: RequirementId,
  region: Region,
): Promise<void> {
  const row: RateFact = RATE_FACTS[id];
  const { seconds, ...limit } = row[region];
  const canEnd = t.patienceMs >= seconds * SECOND_MS;
  // Other cases also call without a key, before and after this one.
  if (row.identity === "IP" && !t.isPrepared) {
    if (!canEnd) t.lack(`windows of ${seconds} s that end within the waiting time (--wait ${seconds})`);
    await endWindow(t, seconds);
  }
  if (t.has("control")) await expectExplanation(t, id, requirement, region);
  const isLarge = limit.count > MAX_REQUESTS;
  if (isLarge) await t.control("PUT", `/rate-limits/${id}`, { count: LEFT, region });
  const count = isLarge ? LEFT : limit.count;
  const name = `${region}-${t.draw.word()}`;
  const send = requesterOf(t, id, `a-${name}`, region);
  const statuses = await requestMany(send, count);
  const early = statuses.filter((status) => status === 429).length;
  t.fact(requirement, equal(early, 0), `${count} requests pass in ${region}`);
  const over = await send(0);
  const isOver = isStopped(over.status, statuses);
  if (!isOver) await requireLimits(t, send, count, statuses);
  t.fact(requirement, isOver, `request ${count + 1} is refused in ${region}`, { actual: over.status });
  t.choice("rate_limit.status", equal(over.status, 429), "the reply is 429");
  for (const [field, request] of row.requests.entries()) {
    const { status } = await send(field);
    if (!t.isPrepared && [404, 405, 501].includes(status)) continue;
    t.fact(requirement, equal(status, over.status), `${request.join(" ")} counts in the same row`);
  }
  if (row.identity !== "IP") {
    const { status } = await requesterOf(t, id, `b-${name}`, region)(0);
    t.fact("8.5-3", status !== 429, "another identity is counted separately", {
      expected: "not 429",
      actual: status,
    });
  }
  if (!canEnd) return;
  await endWindow(t, seconds);
  const later = await send(0);
  t.fact(requirement, later.status !== 429, `after ${seconds} s requests pass again`, {
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

const TWO_VALUES: readonly RateFactId[] = ["commits_key", "commits_user", "runs_stats"];

const ROW_CASES = RATE_FACT_IDS.map((id): readonly [string, CaseRow] => {
  const row: RateFact = RATE_FACTS[id];
  const hasRegionValues = TWO_VALUES.includes(id);
  const isLarge = row.us.count > MAX_REQUESTS_ANYWHERE;
  const means = isLarge
    ? { needs: [...LIMITED, "rate_counters"] as const, settings: ON }
    : { needs: ASKED, prefers: ON };
  const others: readonly RequirementId[] = row.identity === "IP" ? [] : ["8.5-3"];
  return [
    `8.5/${id.replaceAll("_", "-")}`,
    {
      title: `${row.requests.map((request) => request.join(" ")).join(", ")} by ${row.identity}: ${row.us.count} in ${row.us.seconds} s`,
      requirements: ["8.5-1", "8.5-7", ...others, ...(hasRegionValues ? (["8.5-2"] as const) : [])],
      ...means,
      async run(t) {
        await expectLimit(t, id, "8.5-1", "us");
        if (hasRegionValues && t.has("eu")) await expectLimit(t, id, "8.5-2", "eu");
      },
    },
  ];
});

export const RATE_LIMIT_CASES = suite({
  ...Object.fromEntries(ROW_CASES),
  "8.5/identities": {
    title: "keys, users and addresses are counted separately",
    requirements: ["8.5-3", "5-2"],
    needs: LIMITED,
    settings: ON,
    async run(t) {
      const send = (headers: Readonly<Record<string, string | null>>) =>
        t.call("POST", "/generate", {
          body: {},
          headers: { "x-api-key": null, ...headers },
          unchecked: true,
        });
      await requestMany(() => send({ "x-api-key": "one" }), 30);
      t.fact(
        "8.5-3",
        (await send({ "x-api-key": "one" })).status === 429,
        "the first key has used up its 30",
      );
      t.fact(
        "8.5-3",
        (await send({ "x-api-key": "two" })).status !== 429,
        "another key has not used up its limit",
      );
      t.fact(
        "8.5-3",
        (await send({ "x-user-id": "one" })).status !== 429,
        "a user of the same name has not used up its limit",
      );
      await requestMany(() => send({ "x-user-id": "one" }), 29);
      t.fact("5-2", (await send({ "x-user-id": "one" })).status === 429, "a user is counted by x-user-id");
      t.fact(
        "5-2",
        (await send({ "x-user-id": "two" })).status !== 429,
        "another user is counted separately",
      );
      t.fact("5-2", (await send({})).status !== 429, "requests without identity are counted by address");
      await requestMany(
        () => t.call("GET", "/nothing", { headers: { "x-api-key": null }, unchecked: true }),
        100,
      );
      const nobody = await t.call("GET", "/nothing", { headers: { "x-api-key": null }, unchecked: true });
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
          t.choice("rate_limit.status", equal(status, 429), "the reply is 429");
          t.choice("rate_limit.body", typeof body.detail === "string", "the body has an explanation", {
            actual: body,
          });
        }
      }
      for (const path of HEALTH_PATHS) {
        const { status } = await t.call("GET", path, { headers });
        t.choice("rate_limit.health", status !== 429, `${path} is not counted`, { actual: status });
      }
      await t.control("POST", "/rate-limits/reset", {});
      for (const [method, path] of Object.values(SYSTEM_CALLS).flat()) {
        const { status } = await t.call(method, path, { headers });
        t.fact("8.5-1", status !== 429 && status < 500, `${method} ${path} passes again`, { actual: status });
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
      const send = () => t.call("POST", "/runs/query", { body: {}, headers: both, unchecked: true });
      await requestMany(send, 15);
      t.choice(
        "rate_limit.both_headers",
        (await send()).status === 429,
        "the limit is 15 for the key, not 300 for the user",
      );
    },
  },
});
