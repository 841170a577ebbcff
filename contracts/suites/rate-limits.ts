import { type CaseRow, suite } from "../engine/case.ts";
import { equal, refused } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import type { Region } from "../engine/http-message.ts";
import type { Members } from "../engine/json.ts";
import { RATE_FACT_IDS, RATE_FACTS, type RateFact, type RateFactId } from "../facts/rate-limits.ts";
import type { RequirementId } from "../spec/requirements.ts";
import { EXPORTS } from "./export-helpers.ts";
import {
  ANY_SERVER,
  exhaust,
  isStopped,
  LIMITS_ON,
  MAX_REQUESTS_ANYWHERE,
  requesterOf,
  requestMany,
  requireLimits,
} from "./rate-limit-requests.ts";

const LIMITED = ["control", "clock", "writes"] as const;

/** Limits up to this count are tested request by request; larger ones are lowered first. */
const MAX_REQUESTS = 300;
const LEFT = 3;

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

/** Sends the requests that a row admits and one more, as a new caller. */
async function useUp(t: Contract, id: RateFactId, region: Region, count: number, mayRepeat = !t.isPrepared) {
  const name = `${region}-${t.draw.word()}`;
  const send = requesterOf(t, id, `a-${name}`, region);
  const statuses = await requestMany(send, count);
  const over = await send(0);
  const isOver = isStopped(over.status, statuses);
  // A window may end between the requests; a second caller shows whether that was the reason.
  if (!isOver && mayRepeat) return useUp(t, id, region, count, false);
  return { name, send, statuses, over, isOver };
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
  const { name, send, statuses, over, isOver } = await useUp(t, id, region, count);
  const early = statuses.filter((status) => status === 429).length;
  t.fact(requirement, equal(early, 0), `${count} requests pass in ${region}`);
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
    ? { needs: [...LIMITED, "rate_counters"] as const, settings: LIMITS_ON }
    : { needs: ANY_SERVER, prefers: LIMITS_ON };
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
    needs: ANY_SERVER,
    prefers: LIMITS_ON,
    async run(t) {
      const statusOf = async (headers: Readonly<Record<string, string>>) => {
        const options = { body: {}, headers: { "x-api-key": null, ...headers }, unchecked: true };
        return (await t.call("POST", "/generate", options)).status;
      };
      const [one, two] = [t.draw.word(), t.draw.word()];
      await exhaust(t, "generate_key", one);
      const ofSecondKey = await statusOf({ "x-api-key": `contract-${two}` });
      const ofFirstKey = await statusOf({ "x-api-key": `contract-${one}` });
      t.fact("8.5-3", isStopped(ofFirstKey, [ofSecondKey]), "the first key has used up its 30");
      t.fact("8.5-3", ofSecondKey !== 429, "another key has not used up its limit");
      const ofSameName = await statusOf({ "x-user-id": one });
      t.fact("8.5-3", ofSameName !== 429, "a user of the same name has not used up its limit");
      await exhaust(t, "generate_user", one);
      const ofFirstUser = await statusOf({ "x-user-id": one });
      const ofSecondUser = await statusOf({ "x-user-id": two });
      t.fact("5-2", isStopped(ofFirstUser, [ofSecondUser]), "a user is counted by x-user-id");
      t.fact("5-2", ofSecondUser !== 429, "another user is counted separately");
      // Other cases also call without a key.
      if (!t.isPrepared) return;
      t.fact("5-2", (await statusOf({})) !== 429, "requests without identity are counted by address");
      const callNobody = () => t.call("GET", "/nothing", { headers: { "x-api-key": null }, unchecked: true });
      await requestMany(callNobody, 100);
      t.fact(
        "5-2",
        equal((await callNobody()).status, 429),
        "a caller without a header is counted by address",
      );
    },
  },
  "8.5/system-endpoints": {
    title: "server information and preflight requests are rate-limited, health endpoints are not",
    requirements: ["8.5-1"],
    needs: LIMITED,
    settings: LIMITS_ON,
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
    needs: ANY_SERVER,
    prefers: LIMITS_ON,
    async run(t) {
      await exhaust(t, "runs_query_key", t.draw.word());
      const both = { "x-api-key": `contract-${t.draw.word()}`, "x-user-id": t.draw.word() };
      const send = () => t.call("POST", "/runs/query", { body: {}, headers: both, unchecked: true });
      const statuses = await requestMany(send, 15);
      t.choice(
        "rate_limit.both_headers",
        isStopped((await send()).status, statuses),
        "the limit is 15 for the key, not 300 for the user",
      );
    },
  },
});
