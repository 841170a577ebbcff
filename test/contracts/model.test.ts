import { describe, expect, it, onTestFinished } from "vitest";
import type { Send } from "../../contracts/engine/http-message.ts";
import { isMembers, jsonOf } from "../../contracts/engine/json.ts";
import {
  answerInstead,
  type Change,
  changed,
  dropReplyMembers,
  rewriteList,
  rewriteQuery,
  rewriteRequestBody,
  rewriteStatus,
  setReplyMembers,
} from "../../contracts/engine/mutant.ts";
import { LISTED_STATUSES } from "../../contracts/facts/agent.ts";
import { createAddressTarget, createEmulatorTarget, type Target } from "../../contracts/index.ts";
import { checkExports, type ExportModel } from "../../contracts/model/export-model.ts";
import { play } from "../../contracts/model/play.ts";
import { Unreachable } from "../../contracts/targets/send.ts";
import { startEmulator } from "../../emulator/runtime/index.ts";
import { isFull } from "../support/depth.ts";
import { DESTINATION, halfRightServer, SESSION, THREAD } from "./partially-conforming/server.ts";

function emulator(profile: "spec" | "observed" = "spec"): Target {
  const target = createEmulatorTarget(startEmulator, { profile });
  onTestFinished(() => target.close());
  return target;
}

async function plainServer(mistakes: Parameters<typeof halfRightServer>[0]): Promise<Target> {
  const server = await halfRightServer(mistakes);
  const ids = { destinationId: DESTINATION, sessionId: SESSION, threadId: THREAD };
  const target = await createAddressTarget({ url: server.url, ...ids, waitMs: 0, allowWrites: false });
  onTestFinished(server.close);
  onTestFinished(() => target.close());
  return target;
}

const LIST = ["GET", /^\/threads\/[^/]+\/runs/] as const;
const EXPORTS = ["GET", /^\/api\/v1\/bulk-exports$/] as const;
const EXPORT = ["GET", /^\/api\/v1\/bulk-exports\/[^/]+$/] as const;

/** The page is cut first, and then filtered by status. */
function filterAfterPage(next: Send): Send {
  return async (request) => {
    const [path = "", query] = request.path.split("?");
    const parameters = new URLSearchParams(query);
    const status = parameters.get("status");
    if (!LIST[1].test(path) || !LISTED_STATUSES.some((name) => name === status)) return next(request);
    parameters.delete("status");
    const reply = await next({ ...request, path: `${path}?${parameters}` });
    const page = jsonOf(reply.text);
    if (!Array.isArray(page)) return reply;
    const runs = page.filter((run) => isMembers(run) && (run.status === status || !("status" in run)));
    return { ...reply, text: JSON.stringify(runs) };
  };
}

type Row = readonly [wrongBehaviour: string, requirement: string, change: Change, longest?: number];

const MUTANTS: readonly Row[] = [
  ["lists are filtered after the page is cut", "2.1-4", { send: filterAfterPage }],
  [
    "select is ignored together with a status",
    "4.1-2",
    { send: rewriteQuery(LIST, (query) => query.get("status") === "success" && query.delete("select")) },
  ],
  [
    "the status is ignored, and each reply has another time",
    "2.1-4",
    {
      send: (next) => {
        let requests = 0;
        return rewriteList(LIST, (runs) => runs.map((run) => ({ ...run, read_at: ++requests })))(
          rewriteQuery(
            LIST,
            (query) => LISTED_STATUSES.includes(query.get("status") as never) && query.delete("status"),
          )(next),
        );
      },
    },
  ],
  ["the offset is ignored", "4.1-1", { send: rewriteQuery(LIST, (query) => query.delete("offset")) }],
  [
    "eleven runs are listed by default",
    "4.1-1",
    { send: rewriteQuery(LIST, (query) => !query.has("limit") && query.set("limit", "11")) },
    40,
  ],
  [
    "a list has its first run twice",
    "4.1-1",
    { send: rewriteList(LIST, (runs) => [...runs.slice(0, 1), ...runs]) },
  ],
  [
    "pages are in another order",
    "4.1-1",
    { send: rewriteList(LIST, (runs, { path }) => (path.includes("offset") ? [...runs].reverse() : runs)) },
  ],
  ["an unknown thread is answered with 500", "4.1-1", { send: rewriteStatus(LIST, [404], 500) }],
  ["kwargs is always empty", "2.1-1", { send: setReplyMembers(LIST, { kwargs: {} }) }],
  ["a run has no updated_at", "2.1-1", { send: dropReplyMembers(LIST, "updated_at") }],
  [
    "interval_hours 169 is accepted",
    "2.5-3",
    {
      send: rewriteRequestBody(["POST", /bulk-exports$/], (body) =>
        body.interval_hours === 169 ? { ...body, interval_hours: 168 } : body,
      ),
    },
  ],
  [
    "interval_hours 168 is refused",
    "4.3-1",
    {
      send: rewriteRequestBody(["POST", /bulk-exports$/], (body) =>
        body.interval_hours === 168 ? { ...body, interval_hours: 169 } : body,
      ),
    },
  ],
  [
    "schedules are not listed",
    "4.6-1",
    {
      send: rewriteList(EXPORTS, (all) =>
        all.filter((each) => !isMembers(each) || each.interval_hours === null),
      ),
    },
  ],
  [
    "a cancelled export is shown as running",
    "3.1-2",
    { send: setReplyMembers(EXPORT, { status: "RUNNING" }) },
  ],
];

/** What the specification does not show. */
const CONFORMING: readonly (readonly [differs: string, change: Change])[] = [
  [
    "an unknown thread has no runs, and invalid parameters of the list get 400",
    { send: (next) => rewriteStatus(LIST, [404], 200, [])(rewriteStatus(LIST, [422], 400)(next)) },
  ],
  [
    "assistants have no id",
    { send: rewriteList(["POST", /^\/assistants\/search$/], (all) => all.map(() => ({ name: "echo" }))) },
  ],
  [
    "neither schedules nor export_fields exist",
    {
      lacks: ["schedules", "columns"],
      send: answerInstead(({ body = "" }) => /"interval_hours"|"export_fields"/.test(body), 422, {}),
    },
  ],
];

/** On a server of five operations, with a thread, a destination and a project that exist. */
const MISTAKES: readonly (readonly [Parameters<typeof halfRightServer>[0], string | undefined, Change])[] = [
  [{}, undefined, {}],
  [{}, "2.1-4", { send: filterAfterPage }],
  [{ limitIgnored: true }, "4.1-1", {}],
  [{ selectIgnored: true }, "4.1-2", {}],
  [{ firstPageOnly: true }, "4.6-1", {}],
  [{ errorObject: true }, "2.3-1", {}],
];

const REQUESTS = 200;

/** One mutant in so many is tried without full depth. */
const ONE_IN = isFull ? 1 : 6;

describe("the reference model", () => {
  const random = Math.floor(Math.random() * 2 ** 31);
  const seeds = isFull ? [1, random] : [1];
  it.each(seeds.flatMap((seed) => [["spec", seed] as const, ["observed", seed] as const]))(
    "agrees with the emulator in the profile %s, seed %i",
    async (profile, seed) => {
      const result = await play(emulator(profile), { seed, requests: isFull ? 1000 : 150, profile });
      expect(result).toMatchObject({ lacking: {} });
      expect(result.difference).toBeUndefined();
      expect(result.sequences).toBeGreaterThan(2);
    },
  );

  const trials = MUTANTS.filter((_, place) => place % ONE_IN === 1 % ONE_IN);
  it.each(trials.map((row) => ({ row, wrongBehaviour: row[0] })))(
    "finds that $wrongBehaviour",
    async ({ row }) => {
      const [, requirement, change, longest = 16] = row;
      const { difference } = await play(changed(emulator(), change), { seed: 1, requests: REQUESTS });
      expect(difference).toMatchObject({ requirement });
      expect(difference?.exchanges.length).toBeLessThanOrEqual(longest);
    },
  );

  it.each(CONFORMING)("agrees with a server where %s", async (_, change) => {
    const { difference } = await play(changed(emulator(), change), { seed: 1, requests: REQUESTS });
    expect(difference).toBeUndefined();
  });

  it("allows that an export is cancelled after its end, or created before it is due", () => {
    const start_time = "2026-01-01T00:00:00Z";
    const order = { start_time, interval_hours: 1 };
    const schedule: ExportModel = { id: "schedule", order, days: 1, status: "CREATED" };
    const child = {
      id: "child",
      start_time,
      end_time: "2026-01-01T01:00:00Z",
      source_bulk_export_id: "schedule",
    };
    const check = (childStatus: string, now: string) =>
      checkExports(
        [{ ...schedule }, { id: "child", order: {}, days: 1, status: "COMPLETED" }],
        [
          { ...schedule, ...order, end_time: null },
          { ...child, status: childStatus },
        ],
        Date.parse(now),
      );
    expect(() => check("CANCELLED", "2026-01-01T01:11:00Z")).not.toThrow();
    expect(() => check("CREATED", "2026-01-01T01:09:00Z")).not.toThrow();
    expect(() => check("RUNNING", "2026-01-01T01:09:00Z")).toThrow("have begun");
    expect(() => check("RUNNING", "2026-01-01T02:11:00Z")).toThrow("has spawned");
  });

  const someSeeds = isFull ? [2, 3] : [2];
  it.each(someSeeds)(
    "finds in fewer than 200 requests that lists are filtered too late, seed %i",
    async (seed) => {
      const lateFilter = changed(emulator(), { send: filterAfterPage });
      const { difference } = await play(lateFilter, { seed, requests: REQUESTS });
      expect(difference).toMatchObject({ requirement: "2.1-4" });
      expect(difference?.foundAfter).toBeLessThan(REQUESTS);
    },
  );

  it("does not agree with a server that no longer responds", async () => {
    const outage = (next: Send): Send => {
      let left = 5;
      return async (request) => {
        left -= 1;
        if (left < 0) throw new Unreachable("the server is gone");
        return next(request);
      };
    };
    const target = changed(await plainServer({}), { send: outage });
    await expect(play(target, { seed: 1, requests: REQUESTS })).rejects.toThrow("the server is gone");
  });

  it.each(MISTAKES)("needs no test-only surface to find %o", async (mistakes, requirement, change) => {
    const target = await plainServer(mistakes);
    const { difference } = await play(changed(target, change), { seed: 1, requests: REQUESTS });
    expect(difference?.requirement).toBe(requirement);
    for (const { curl } of difference?.exchanges ?? []) expect(curl).toContain(`'${target.name}/`);
  });
});
