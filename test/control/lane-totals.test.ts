import { expect, it } from "vitest";
import type { Lanes } from "../../emulator/control/turns/lanes.ts";
import type { TurnPage } from "../../emulator/control/turns/pages.ts";
import type { JournalEntry } from "../../emulator/kernel/journal.ts";
import { startExportRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const rig = useRig("file", () => startExportRig());
const get = <T>(path: string) => rig.emulator.control<unknown>("GET", path) as Promise<T>;

/** The totals, and the same numbers from the lists of the API, at a point in the history of the world. */
async function totalsAt(instant: string) {
  const as_of = `as_of=${encodeURIComponent(instant)}`;
  const [{ turns, exports, agent_runs, marks }, faults, deliveries, runs, journal] = await Promise.all([
    get<Lanes>(`/lanes?${as_of}`),
    get<readonly { readonly hits: number }[]>(`/faults?${as_of}`),
    get<readonly { readonly attempts: readonly object[] }[]>(`/webhooks/deliveries?${as_of}`),
    get<readonly { readonly status: string }[]>(`/agent/runs?${as_of}`),
    get<TurnPage>(`/turns?limit=1000&${as_of}`),
  ]);
  const headers = { "x-emulator-as-of": instant };
  const exportList = await rig.call<object[]>("GET", "/api/v1/bulk-exports", undefined, headers);
  const numberOf = (test: (entry: JournalEntry) => boolean) => journal.items.filter(test).length;
  const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);
  return {
    totals: {
      ...{ turns, exports: exports.total, agent_runs: agent_runs.total },
      ...Object.fromEntries(Object.entries(marks).map(([lane, { total }]) => [lane, total])),
    },
    lists: {
      turns: journal.total,
      exports: exportList.body.length,
      agent_runs: runs.filter(({ status }) => status !== "pending").length,
      schedules: numberOf(({ cause }) => ["export.spawn", "cron.fire"].includes(cause.name)),
      webhooks: sumOf(deliveries.map(({ attempts }) => attempts.length)),
      limits: numberOf(({ refused }) => refused?.status === 429),
      faults: faults.length + sumOf(faults.map(({ hits }) => hits)),
      requests: numberOf(({ cause, refused }) => cause.type === "request" && refused?.status !== 429),
    },
  };
}

it("the totals of GET /lanes are the numbers of the lists, now and in the history of the world", async () => {
  const { call, arm, advance, emulator } = rig;
  await rig.complete(await rig.createExportId());
  await rig.createExportId({ interval_hours: 24, start_time: "2026-02-26T00:00:00Z" });
  await arm({ target: "webhook", match: {}, then: { status: 500 }, times: 1 });
  expect((await call("POST", "/_emulator/v1/faults", { target: "none" })).status).toBe(422);
  await emulator.control("PUT", "/rate-limits/runs_query_key", { remaining: 0 });
  expect((await call("POST", "/runs/query", {})).status).toBe(429);
  const { body: thread } = await call("POST", "/threads", {});
  const run = { assistant_id: "slow", input: {}, webhook: "/_emulator/inbox/hooks" };
  for (let nth = 0; nth < 2; nth += 1) await call("POST", `/threads/${thread.thread_id}/runs`, run);
  await call("POST", `/thread/${thread.thread_id}/runs/crons`, { ...run, schedule: "0 * * * *" });
  await advance("PT5S");
  const { now } = await emulator.control<{ now: string }>("GET", "/clock");
  await advance("PT90M");
  const { now: later } = await emulator.control<{ now: string }>("GET", "/clock");
  const [earlier, current] = [await totalsAt(now), await totalsAt(later)];
  expect(earlier.totals).toEqual(earlier.lists);
  expect(current.totals).toEqual(current.lists);
  expect(earlier.lists).toMatchObject({ exports: 4, agent_runs: 1, schedules: 2, limits: 1, faults: 1 });
  expect(current.lists).toMatchObject({ exports: 5, agent_runs: 3, schedules: 4, webhooks: 4, faults: 2 });
});
