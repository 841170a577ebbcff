import type { BodyOf } from "../../contracts/spec/operations.ts";
import { type CancelAction, cancelRun } from "../../emulator/subjects/agent/cancel.ts";
import { createRun } from "../../emulator/subjects/agent/create-run.ts";
import { RUNS, THREADS, threadKey } from "../../emulator/subjects/agent/records.ts";
import type { RunCreateBody } from "../../emulator/subjects/agent/run-checks.ts";
import { outcomeOf } from "../../emulator/subjects/agent/run-subscription.ts";
import type { ScriptInput } from "../../emulator/subjects/agent/script.ts";
import { addScript } from "../../emulator/subjects/agent/scripts.ts";
import { createThread } from "../../emulator/subjects/agent/threads.ts";
import { threadView } from "../../emulator/subjects/agent/view.ts";
import { changeCron, createCron } from "../../emulator/subjects/crons/create.ts";
import { cronOf } from "../../emulator/subjects/crons/search.ts";
import { openWebhookWorld } from "./webhook-world.ts";
import { WORKSPACE, withVerbs } from "./world.ts";

type More = Parameters<typeof openWebhookWorld> extends [unknown?, ...infer Rest] ? Rest : never;

/** Threads, runs and crons; runs leave no trace rows unless `options` says so. */
export async function openAgentWorld(options: Record<string, unknown> = {}, ...more: More) {
  const base = await openWebhookWorld({ agent: { traces: false }, ...options }, ...more);
  const { turn } = base;
  const statusOf = (id: string) => base.reader.get(RUNS, id)?.status ?? "gone";
  return withVerbs(base, {
    thread: () => turn((open) => createThread(open, WORKSPACE, {})).thread_id,
    start: (threadId: string | null, body: Partial<RunCreateBody> & Record<string, unknown> = {}) =>
      turn((open) =>
        createRun(open, WORKSPACE, { threadId, body: { assistant_id: "echo", ...body } as RunCreateBody }),
      ).run_id,
    script: (value: unknown) => turn((open) => addScript(open, value as ScriptInput)),
    cancel: (id: string, action: CancelAction = "interrupt") =>
      turn((open) => {
        const run = open.get(RUNS, id);
        if (!run) throw new Error(`no run ${id}`);
        cancelRun(open, run, action);
      }),
    status: statusOf,
    statuses: (ids: readonly string[]) => ids.map(statusOf),
    threadStatus: (id: string) => base.reader.get(THREADS, threadKey(WORKSPACE, id))?.status ?? "gone",
    values: (id: string) =>
      turn((open) => {
        const thread = open.get(THREADS, threadKey(WORKSPACE, id));
        return thread && threadView(open, thread).values;
      }),
    outcome: (id: string) => outcomeOf(base.reader, id),
  });
}

export type CronBody = BodyOf<"createCron">;

/** An agent world with crons and the runs that they have started. */
export async function openCronWorld(options: Record<string, unknown> = {}, ...more: More) {
  const base = await openAgentWorld(options, ...more);
  const { turn } = base;
  const starts: { readonly at: string; readonly thread: string; readonly metadata: unknown }[] = [];
  base.follow(({ now, put = [] }) => {
    for (const key of put) {
      const run = key.startsWith("agent_runs/") && base.reader.get(RUNS, key.slice("agent_runs/".length));
      if (run && run.status === "pending")
        starts.push({ at: now, thread: run.thread_id, metadata: run.metadata });
    }
  });
  return withVerbs(base, {
    started: starts,
    times: () => starts.map(({ at }) => at.replace(".000000Z", "Z")),
    create: (body: Partial<CronBody> = {}, threadId: string | null = null) => {
      const whole = { assistant_id: "echo", schedule: "0 * * * *", ...body } as CronBody;
      return turn((open) => createCron(open, WORKSPACE, threadId, whole));
    },
    change: (id: string, body: BodyOf<"updateCron">) =>
      turn((open) => changeCron(open, cronOf(open, WORKSPACE, id), body)),
  });
}
