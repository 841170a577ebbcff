import { suite } from "../engine/case.ts";
import { equal, refused } from "../engine/check.ts";
import { RUN_MEMBERS, RUN_STATUSES, STRATEGIES } from "../facts/agent.ts";
import { awaitEnd, listRuns, postToThread, startRun, thread } from "./agent-helpers.ts";

const STARTED = ["writes", "agent"] as const;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** §2.1: what a run is made of. */
export const RUN_FIELD_CASES = suite({
  "2.1/fields": {
    title: "a run has its nine fields",
    requirements: ["2.1-1", "2.1-2", "2.1-3"],
    needs: STARTED,
    async run(t) {
      const id = await thread(t);
      const metadata = { note: t.draw.word() };
      const newRun = await startRun(t, id, { metadata, config: { tags: ["blue"] } });
      for (const name of RUN_MEMBERS) t.fact("2.1-1", name in newRun, `the reply has ${name}`);
      for (const name of ["run_id", "thread_id", "assistant_id"] as const)
        t.fact("2.1-1", UUID.test(newRun[name]), `${name} is a uuid`, { actual: newRun[name] });
      t.fact("2.1-1", equal(newRun.thread_id, id), "thread_id is the id of the thread");
      t.choice(
        "2.1-1",
        equal(newRun.metadata.note, metadata.note),
        "metadata is the metadata of the request",
      );
      t.fact("2.1-1", JSON.stringify(newRun.kwargs).includes("Hello"), "kwargs contain the input");
      const statuses: readonly unknown[] = RUN_STATUSES;
      t.fact("2.1-2", statuses.includes(newRun.status), "the status is one of the six documented values", {
        actual: newRun.status,
      });
      await awaitEnd(t, id);
      const [listedRun] = await listRuns(t, id);
      t.fact(
        "2.1-2",
        statuses.includes(listedRun?.status),
        "the status in the list is one of the six documented values",
        {
          actual: listedRun?.status,
        },
      );
      t.fact(
        "2.1-3",
        (STRATEGIES as readonly unknown[]).includes(newRun.multitask_strategy),
        "the strategy is a documented value",
      );
      const usual = newRun.multitask_strategy;
      t.choice("agent.multitask_default", equal(usual, "enqueue"), "the default strategy is enqueue");
    },
  },
  "2.1/strategies": {
    title: "the four documented strategies are accepted, and no others",
    requirements: ["2.1-3"],
    needs: STARTED,
    async run(t) {
      for (const multitask_strategy of STRATEGIES) {
        const newRun = await startRun(t, await thread(t), { multitask_strategy });
        t.choice(
          "agent.multitask_request",
          equal(newRun.multitask_strategy, multitask_strategy),
          multitask_strategy,
        );
      }
      const id = await thread(t);
      const { assistant_id } = await startRun(t, id);
      const body = { assistant_id, multitask_strategy: "nonsense" };
      const { status } = await postToThread(t, `${id}/runs`, body);
      t.choice("agent.multitask_request", refused(status), "an undocumented strategy is refused");
    },
  },
});
