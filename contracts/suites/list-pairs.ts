import { suite } from "../engine/case.ts";
import { equal, sameItems } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import { instantOf, MINUTE } from "../engine/instant.ts";
import type { Members } from "../engine/json.ts";
import { pairwise } from "../engine/pairs.ts";
import { LIST_DEFAULTS, RUN_MEMBERS } from "../facts/agent.ts";
import {
  allRuns,
  awaitEnd,
  listRuns,
  PAGE_RUNS,
  runTwice,
  script,
  startRun,
  thread,
} from "./agent-helpers.ts";

/** Parameters of the list; null leaves one out. */
const PAIRS = pairwise({
  status: [null, "success", "error", "timeout"],
  limit: [null, 1, 2, PAGE_RUNS],
  offset: [null, 1, 2, 7],
  select: [null, ["run_id"], ["kwargs", "status"], ["updated_at", "metadata", "thread_id"]],
});

const ENDINGS = ["success", "error", "success", "interrupted", "error", "success", "success"] as const;

/** A thread with ended runs: of several statuses where the target lets the harness choose them. */
async function endedThread(t: Contract): Promise<string> {
  const id = await thread(t);
  if (id === t.identity.threadId) return id;
  for (const status of [...ENDINGS, ...ENDINGS].slice(0, t.has("scripts") ? 14 : 5)) {
    if (t.has("scripts")) await script(t, id, { status, after: "PT1M" });
    await startRun(t, id, { metadata: { note: t.draw.word() } });
    if (t.has("clock")) await t.advance("PT2M");
    else await awaitEnd(t, id);
  }
  return id;
}

type Combination = (typeof PAIRS)[number];

function queryOf({ select, ...others }: Combination): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(others)) if (value !== null) query.set(name, String(value));
  for (const name of select ?? []) query.append("select", name);
  return `?${query}`;
}

/** What the list with these parameters contains, by the whole list: filtered, then cut to the page, then selected. */
function expectedList(all: readonly Members[], { status, limit, offset, select }: Combination) {
  const filtered = all.filter((run) => status === null || run.status === status);
  const from = offset ?? LIST_DEFAULTS.offset;
  const page = filtered.slice(from, from + (limit ?? LIST_DEFAULTS.limit));
  return page.map((run) => membersOf(run, select ?? RUN_MEMBERS));
}

const membersOf = (run: Members, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, run[name] ?? null]));

export const LIST_PAIR_CASES = suite({
  "4.1/pairs": {
    title: "status, limit, offset and select have their effect together, two by two",
    requirements: ["4.1-1", "4.1-2", "2.1-4"],
    needs: ["agent"],
    async run(t) {
      const id = await endedThread(t);
      const all: readonly Members[] = (await allRuns(t, id)).map((run) => ({ ...run }));
      for (const combination of PAIRS) {
        const query = queryOf(combination);
        const { status, limit, select } = combination;
        const row = status === null ? "4.1-1" : "2.1-4";
        const runs = (await listRuns(t, id, query)).map((run) => ({ ...run }) as Members);
        const names = select ?? RUN_MEMBERS;
        const actual = runs.map((run) => membersOf(run, names));
        const expected = expectedList(all, combination);
        const most = limit ?? LIST_DEFAULTS.limit;
        if (!t.fact("4.1-1", runs.length <= most, `${query} lists ${most} runs at most`)) continue;
        if (!t.fact(row, equal(runs.length, expected.length), `${query} lists this number of runs`)) continue;
        const hasNames = runs.every((run) => !select || sameItems(Object.keys(run), names).holds);
        t.fact("4.1-2", hasNames, `${query} lists only these fields`, { actual: runs[0] });
        t.fact(row, equal(actual, expected), `${query} lists these runs`);
      }
    },
  },
  "2.1/listed-fields": {
    title: "a listed run has its own input in kwargs",
    requirements: ["2.1-1"],
    needs: ["writes", "agent"],
    async run(t) {
      const id = await thread(t);
      const contents = await runTwice(t, id);
      const inputs = (await listRuns(t, id)).map(({ kwargs }) => JSON.stringify(kwargs) ?? "");
      for (const content of contents) {
        const count = inputs.filter((text) => text.includes(content)).length;
        t.fact("2.1-1", equal(count, 1), "the kwargs of one listed run contain its input", {
          actual: inputs,
        });
      }
    },
  },
  "2.1/updated-at": {
    title: "updated_at moves when the status of a run changes",
    requirements: ["2.1-1"],
    needs: ["writes", "agent", "clock", "scripts"],
    async run(t) {
      const id = await thread(t);
      await script(t, id, { status: "success", after: "PT1M" });
      await startRun(t, id);
      await t.advance("PT2M");
      const [run] = await listRuns(t, id);
      const ranMs = instantOf(run?.updated_at) - instantOf(run?.created_at);
      t.fact("2.1-1", ranMs >= MINUTE, "updated_at is the end of a run that took a minute", {
        expected: "a minute or more after created_at",
        actual: run,
      });
    },
  },
});
