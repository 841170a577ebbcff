import type { BodyOf } from "../../../contracts/spec/operations.ts";
import { RUNS } from "../../../emulator/subjects/agent/records.ts";
import { createThread } from "../../../emulator/subjects/agent/threads.ts";
import { changeCron, createCron } from "../../../emulator/subjects/crons/create.ts";
import { cronOf } from "../../../emulator/subjects/crons/search.ts";
import type { Turn } from "../../../emulator/subjects/turn.ts";
import { openDeliveryWorld } from "../webhooks/delivery-world.ts";

export const WORKSPACE = { region: "us", tenant_id: "00000000-0000-4000-8000-000000000001" };
type Rest = Parameters<typeof openDeliveryWorld> extends [unknown?, ...infer R] ? R : never;

type Body = BodyOf<"createCron">;

/** The real reactions of crons, runs and webhooks; only the network is made up. */
export async function openCronWorld(options: Record<string, unknown> = {}, ...more: Rest) {
  const opened = await openDeliveryWorld({ agent: { traces: false }, ...options }, ...more);
  const { world, turn } = opened;
  const started: { readonly at: string; readonly thread: string; readonly metadata: unknown }[] = [];
  world.journal.follow(({ now, put }) => {
    for (const key of put ?? []) {
      const run = key.startsWith("agent_runs/")
        ? world.reader.get(RUNS, key.slice("agent_runs/".length))
        : undefined;
      if (run?.status === "pending") started.push({ at: now, thread: run.thread_id, metadata: run.metadata });
    }
  });
  return {
    ...opened,
    started,
    times: () => started.map(({ at }) => at.replace(".000000Z", "Z")),
    create: (body: Partial<Body> = {}, threadId: string | null = null) =>
      turn((open) =>
        createCron(open, WORKSPACE, threadId, {
          assistant_id: "echo",
          schedule: "0 * * * *",
          ...body,
        } as Body),
      ),
    change: (id: string, body: BodyOf<"updateCron">) =>
      turn((open) => changeCron(open, cronOf(open, WORKSPACE, id), body)),
    thread: () => turn((open) => createThread(open, WORKSPACE, {})).thread_id,
    look: <R>(act: (turn: Turn) => R) => turn(act),
  };
}
