import { suite } from "../engine/case.ts";
import { accepted, equal, isRefused, refused, sameItems, sorted } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import { LIST_DEFAULTS, LISTED_STATUSES, RUN_MEMBERS, UNLISTED_STATUS } from "../facts/agent.ts";
import {
  allRuns,
  awaitEnd,
  listRuns,
  messageIn,
  type RunBody,
  script,
  startRun,
  thread,
} from "./agent-helpers.ts";

/** They make a thread, or take the one that was given. */
const LISTED = ["agent"] as const;

/**
 * A thread with at least this number of runs, ended where they end; `runIds` has all of them, the oldest first. What
 * a thread that was given lacks is made where the target may be written to.
 */
async function threadOf(
  t: Contract,
  count: number,
): Promise<{ readonly id: string; readonly runIds: readonly string[] }> {
  const id = await thread(t);
  const isConfigured = id === t.identity.threadId;
  const runIds = isConfigured ? idsOf(await allRuns(t, id)).reverse() : [];
  if (isConfigured && runIds.length < count && !t.has("writes"))
    t.lack(`a thread with at least ${count} runs (--thread); this thread has ${runIds.length}`);
  while (runIds.length < count) {
    runIds.push((await startRun(t, id)).run_id);
    await awaitEnd(t, id);
  }
  return { id, runIds };
}

const idsOf = (runs: readonly RunBody[]) => runs.map(({ run_id }) => run_id);

/** More runs than a short memory would keep. */
const MANY_RUNS = 60;

export const THREAD_RUN_CASES = suite({
  "1/thread-keeps": {
    title: "a thread contains the results of all its runs",
    requirements: ["1-4"],
    needs: ["writes", "agent", "scripts", "clock"],
    async run(t) {
      const id = await thread(t);
      const contents = Array.from({ length: MANY_RUNS }, (_, n) => `kept ${n} ${t.draw.word()}`);
      for (const content of contents)
        await startRun(t, id, {
          input: { messages: [{ role: "user", content }] },
          multitask_strategy: "enqueue",
        });
      await t.advance("PT1H");
      const { body } = await t.call<{ values: unknown }>("GET", `/threads/${id}`, { unchecked: true });
      const valuesText = JSON.stringify(body.values);
      const parts = (content = "") => valuesText.split(JSON.stringify(content)).length;
      // Whether outputs repeat the input depends on the assistant: the newest run shows it.
      const gaps = contents.filter((content) => parts(content) < Math.max(2, parts(contents.at(-1))));
      t.fact("1-4", equal(gaps, []), `its values contain the inputs and outputs of all ${MANY_RUNS} runs`);
    },
  },
  "4.1/limit-default": {
    title: "ten runs are listed by default",
    requirements: ["4.1-1"],
    needs: LISTED,
    async run(t) {
      const { id } = await threadOf(t, 12);
      const usual = await listRuns(t, id);
      t.fact("4.1-1", equal(usual.length, LIST_DEFAULTS.limit), "the default limit is 10");
      const from = await listRuns(t, id, "?offset=0&limit=10");
      t.fact("4.1-1", idsOf(usual).join() === idsOf(from).join(), "the default offset is 0");
    },
  },
  "4.1/paging": {
    title: "all pages together contain every run once",
    requirements: ["4.1-1"],
    needs: LISTED,
    async run(t) {
      const { id, runIds } = await threadOf(t, 7);
      const pagedIds: string[] = [];
      const all = runIds.length;
      for (let offset = 0; offset < all; offset += 3) {
        const page = await listRuns(t, id, `?limit=3&offset=${offset}`);
        t.fact("4.1-1", equal(page.length, Math.min(3, all - offset)), `limit 3, offset ${offset}`);
        pagedIds.push(...idsOf(page));
      }
      t.fact("4.1-1", sameItems(pagedIds, runIds), "all pages together contain each run once");
      const behind = await listRuns(t, id, `?offset=${all}`);
      t.fact("4.1-1", equal(behind.length, 0), "a page after the last page is empty");
    },
  },
  "4.1/order": {
    title: "the newest run comes first",
    requirements: ["4.1-4"],
    needs: LISTED,
    async run(t) {
      const { id, runIds } = await threadOf(t, 3);
      const places = idsOf(await listRuns(t, id)).map((runId) => runIds.indexOf(runId) + 1);
      const expected = runIds.map((_, index) => runIds.length - index).slice(0, 10);
      t.choice("agent.list_order", equal(places, expected), "the newest of three runs is first");
    },
  },
  "4.1/select": {
    title: "select returns the named fields and no others",
    requirements: ["4.1-2", "2.1-1"],
    needs: LISTED,
    async run(t) {
      const { id } = await threadOf(t, 2);
      for (const name of RUN_MEMBERS) {
        const runs = await listRuns(t, id, `?select=${name}`);
        const holds = runs.length >= 2 && runs.every((run) => Object.keys(run).join() === name);
        t.fact("4.1-2", holds, `select=${name}`, { expected: [name], actual: Object.keys(runs[0] ?? {}) });
      }
      const two = await listRuns(t, id, "?select=run_id&select=status");
      t.fact(
        "4.1-2",
        two.every((run) => sorted(Object.keys(run)) === sorted(["run_id", "status"])),
        "select=run_id&select=status",
        { expected: ["run_id", "status"], actual: Object.keys(two[0] ?? {}) },
      );
      for (const run of await listRuns(t, id))
        for (const name of RUN_MEMBERS) t.fact("2.1-1", name in run, `without select, the reply has ${name}`);
    },
  },
  "4.1/select-spellings": {
    title: "select accepts every list notation of public clients",
    requirements: ["4.1-4"],
    needs: LISTED,
    async run(t) {
      const { id } = await threadOf(t, 1);
      for (const query of [
        "?select[]=run_id&select[]=status",
        "?select=run_id,status",
        '?select=["run_id","status"]',
      ]) {
        const { body } = await t.call<readonly RunBody[]>("GET", `/threads/${id}/runs${encodeURI(query)}`, {
          unchecked: true,
        });
        const names = Object.keys(Array.isArray(body) ? (body[0] ?? {}) : {});
        t.choice("agent.select_spellings", sameItems(names, ["run_id", "status"]), query);
      }
    },
  },
  "4.1/refusals": {
    title: "invalid parameters are refused with an error string",
    requirements: ["4.1-3", "4.1-2", "7.1-1", "2.3-1", "2.1-4"],
    needs: LISTED,
    async run(t) {
      const { id } = await threadOf(t, 1);
      for (const [query, requirement] of [
        ["?limit=many", "4.1-3"],
        ["?status=nonsense", "2.1-4"],
        [`?status=${UNLISTED_STATUS}`, "2.1-4"],
        ["?select=nonsense", "4.1-2"],
      ] as const) {
        const { status, body } = await t.call("GET", `/threads/${id}/runs${query}`);
        if (query.endsWith(UNLISTED_STATUS) && t.chosen("agent.running_filter") === "accepted") {
          t.choice("agent.running_filter", accepted(status), `${query} is accepted`);
          continue;
        }
        if (!t.fact(requirement, refused(status), `${query} is refused`)) continue;
        t.choice("agent.invalid_request", equal(status, 422), `the reply to ${query} is 422`);
        const message = messageIn(t, body);
        t.fact("2.3-1", typeof message === "string", `${query}: the body is a string`, { actual: body });
        t.fact("7.1-1", message !== "", `${query}: the message is not empty`);
      }
    },
  },
  "4.1/negative": {
    title: "a negative limit or offset is refused",
    requirements: ["4.1-4"],
    needs: LISTED,
    async run(t) {
      const { id } = await threadOf(t, 1);
      for (const query of ["?limit=-1", "?offset=-1"]) {
        const { status } = await t.call("GET", `/threads/${id}/runs${query}`, { unchecked: true });
        t.choice("agent.list_limit", equal(status, 422), `${query} is refused`);
      }
    },
  },
  "4.1/status-of-ended": {
    title: "the list can be filtered by the final statuses of runs",
    requirements: ["2.1-4", "2.1-2"],
    needs: LISTED,
    async run(t) {
      const { id } = await threadOf(t, 2);
      const all = await allRuns(t, id);
      // A run that is still open may move from one list to the other meanwhile.
      const isMoving = all.some(({ status }) => status === "pending" || status === "running");
      for (const status of LISTED_STATUSES) {
        if (status === "pending" && isMoving) continue;
        const expected = idsOf(all.filter((run) => run.status === status));
        const listedRuns = await allRuns(t, id, `&status=${status}`);
        t.fact("2.1-4", sameItems(idsOf(listedRuns), expected), `status=${status} selects its runs`);
        for (const run of listedRuns) t.fact("2.1-2", equal(run.status, status), "each run has this status");
      }
    },
  },
  "4.1/not-found": {
    title: "the reply for an unknown thread is an error string",
    requirements: ["4.1-3", "7.1-1", "2.3-1"],
    needs: ["agent"],
    async run(t) {
      for (const [id, assumption, expected] of [
        [t.draw.uuid(), "agent.unknown_id", 404],
        ["not-a-uuid", "agent.invalid_request", 422],
      ] as const) {
        const { status, body } = await t.call("GET", `/threads/${id}/runs`);
        t.choice(assumption, equal(status, expected), `the reply for the thread ${id} is ${expected}`);
        if (!isRefused(status)) continue;
        const isText = typeof messageIn(t, body) === "string";
        for (const requirement of ["4.1-3", "7.1-1", "2.3-1"] as const)
          t.fact(requirement, isText, "the body of a refusal is a string", { actual: body });
      }
    },
  },
  "4.1/limit-largest": {
    title: "the limit of a page has a maximum",
    requirements: ["4.1-4"],
    needs: LISTED,
    async run(t) {
      const { id } = await threadOf(t, 1);
      const { status } = await t.call("GET", `/threads/${id}/runs?limit=1001`);
      t.choice("agent.list_limit", equal(status, 422), "limit 1001 is refused");
      t.choice(
        "agent.list_limit",
        (await t.call("GET", `/threads/${id}/runs?limit=1000`)).status === 200,
        "1000 is accepted",
      );
    },
  },
  "4.1/status": {
    title: "the list can be filtered by one status",
    requirements: ["2.1-4", "4.1-1", "2.1-2"],
    needs: [...LISTED, "writes", "clock", "scripts"],
    async run(t) {
      const id = await thread(t);
      for (const then of [
        { status: "success" },
        { status: "error" },
        { status: "interrupted" },
        { status: "timeout" },
      ]) {
        await script(t, id, then);
        await startRun(t, id);
        await t.advance("PT2H");
      }
      await script(t, id, { status: "success", after: "PT1H" });
      const busy = await startRun(t, id);
      await startRun(t, id, { multitask_strategy: "enqueue" });
      await t.advance("PT1S");
      for (const status of LISTED_STATUSES) {
        const runs = await listRuns(t, id, `?status=${status}`);
        const holds = runs.length === 1 && runs[0]?.status === status;
        t.fact("2.1-4", holds, `status=${status} returns the run of that status`, {
          actual: runs.map((run) => run.status),
        });
      }
      const all = await listRuns(t, id);
      t.fact("4.1-1", equal(all.length, 6), "without the filter, all six runs are returned");
      t.fact(
        "2.1-2",
        all.some(({ run_id, status }) => run_id === busy.run_id && status === "running"),
        "one run is running",
        { actual: all.map(({ status }) => status) },
      );
    },
  },
});
