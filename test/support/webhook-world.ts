import type { WorldState } from "../../emulator/kernel/commit.ts";
import type { AgentRun } from "../../emulator/subjects/agent/records.ts";
import { runEnded } from "../../emulator/subjects/webhooks/deliver.ts";
import type { Posted, WebhookPost } from "../../emulator/subjects/webhooks/events.ts";
import { listDeliveries } from "../../emulator/subjects/webhooks/ledger.ts";
import { deliveryView } from "../../emulator/subjects/webhooks/view.ts";
import { BEGIN, openWorld, settingsWith, WORKSPACE, withVerbs } from "./world.ts";

/** A post, and how many seconds after the beginning it was sent. */
export interface SentPost extends WebhookPost {
  readonly at: number;
}

/** The receiver's answer to a post; by default it accepts everything. */
type Answer = (post: WebhookPost) => Posted | Promise<Posted>;

/** A world with these keys of a configuration file, whose webhooks are answered without a network. */
export async function openWebhookWorld(
  options: Record<string, unknown> = {},
  answer: Answer = () => ({ status: 200, reply: "ok" }),
  state?: WorldState,
) {
  const settings = await settingsWith(options);
  const posts: SentPost[] = [];
  const base = openWorld({
    settings,
    ...(state && { state }),
    effects: {
      "webhook.post": async ({ data: post }) => {
        posts.push({ ...post, at: (base.world.now - BEGIN) / 1000 });
        return answer(post);
      },
    },
  });
  return withVerbs(base, {
    sent: posts,
    /** Ends a run of which nothing else is known to the world. */
    end: (run: Partial<AgentRun> = {}) =>
      base.turn((open) => runEnded(open, { ...RUN, ...run }, { messages: [] }, BEGIN)),
    /** Arms a fault of the webhook target. */
    armWebhook: (fault: Record<string, unknown>) =>
      base.arm({ target: "webhook", match: { url: "*" }, ...fault }),
    ledger: () => listDeliveries(base.reader).map((delivery) => deliveryView(settings, delivery)),
  });
}

export const RUN: AgentRun = {
  ...WORKSPACE,
  run_id: "00000000-0000-4000-8000-00000000000a",
  thread_id: "00000000-0000-4000-8000-00000000000b",
  assistant_id: "00000000-0000-4000-8000-00000000000c",
  graph_id: "echo",
  created_at: BEGIN,
  updated_at: BEGIN,
  status: "success",
  metadata: { team: "blue" },
  kwargs: { input: { question: "why" }, webhook: "https://hooks.example/run?token=s3cret", config: {} },
  multitask_strategy: "enqueue",
  webhook: "https://hooks.example/run?token=s3cret",
  stream_modes: ["values"],
  eligible_at: BEGIN,
  started_at: BEGIN,
  next_at: null,
  emitted: 0,
  script: null,
};
