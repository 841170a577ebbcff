import { advance } from "../../../emulator/kernel/advance.ts";
import { emptyState, type WorldState } from "../../../emulator/kernel/commit.ts";
import { imageOf } from "../../../emulator/kernel/image.ts";
import { parseInstant } from "../../../emulator/kernel/instant.ts";
import { createWorld } from "../../../emulator/kernel/world.ts";
import { COLLECTIONS, eventReactions, RESULT_REACTIONS } from "../../../emulator/runtime/assembly.ts";
import { STUBBED_EFFECTS } from "../../../emulator/runtime/dry-run.ts";
import type { AgentRun } from "../../../emulator/subjects/agent/records.ts";
import { createSchedules } from "../../../emulator/subjects/crons/schedules.ts";
import { armFault } from "../../../emulator/subjects/faults/rules.ts";
import { createDelays } from "../../../emulator/subjects/object-storage/delays.ts";
import { createRateLimiter } from "../../../emulator/subjects/rate-limits/limiter.ts";
import type { TraceStore } from "../../../emulator/subjects/traces/port.ts";
import type { EmulatorTypes, Turn } from "../../../emulator/subjects/turn.ts";
import { runEnded } from "../../../emulator/subjects/webhooks/deliver.ts";
import type { Posted, WebhookPost } from "../../../emulator/subjects/webhooks/events.ts";
import { listDeliveries } from "../../../emulator/subjects/webhooks/ledger.ts";
import { deliveryView } from "../../../emulator/subjects/webhooks/view.ts";
import { settingsWith } from "./webhook-settings.ts";

export const NOW = parseInstant("2026-03-01T00:00:00Z") as number;

export interface Sent extends WebhookPost {
  readonly at: number;
}

/** What the receiver makes of a post; it accepts everything unless told otherwise. */
type Answer = (post: WebhookPost) => Posted | Promise<Posted>;

/** The real reactions over a kernel world; only the network is made up. */
export async function openDeliveryWorld(
  options: Record<string, unknown> = {},
  answer: Answer = () => ({ status: 200, reply: "ok" }),
  state: WorldState = emptyState(1, NOW, { mode: "frozen", rate: 1 }),
) {
  const settings = await settingsWith(options);
  const sent: Sent[] = [];
  const world = createWorld<EmulatorTypes>({
    ports: {
      settings,
      traces: {} as TraceStore,
      secrets: { seal: (plain) => plain, open: (sealed) => sealed },
      schedules: createSchedules(),
      limiter: createRateLimiter(settings.rateLimits),
      isEmbedded: () => true,
    },
    image: imageOf(state, COLLECTIONS),
    events: eventReactions(createDelays()),
    results: RESULT_REACTIONS,
    effects: {
      ...STUBBED_EFFECTS,
      "webhook.post": async ({ data: post }) => {
        sent.push({ ...post, at: (world.now - NOW) / 1000 });
        return answer(post);
      },
    },
    persist: () => undefined,
    flush: () => undefined,
    journalCapacity: 1000,
  });
  const turn = <R>(act: (turn: Turn) => R) => world.turn({ type: "control", name: "test" }, act);
  return {
    world,
    sent,
    turn,
    end: (run: Partial<AgentRun> = {}) =>
      turn((open) => runEnded(open, { ...RUN, ...run }, { messages: [] }, NOW)),
    arm: (fault: Record<string, unknown>) =>
      turn((open) => armFault(open, { plane: "webhook", match: { url: "*" }, ...fault })),
    async advance(seconds: number) {
      const patience = (settled: Promise<void>) => settled.then(() => false);
      return advance(world, { to: world.now + seconds * 1000, effectsStalled: patience, maxEvents: 100_000 });
    },
    ledger: () => listDeliveries(world.reader, {}).map((delivery) => deliveryView(settings, delivery)),
  };
}

export const RUN: AgentRun = {
  region: "us",
  tenant_id: "00000000-0000-4000-8000-000000000001",
  run_id: "00000000-0000-4000-8000-00000000000a",
  thread_id: "00000000-0000-4000-8000-00000000000b",
  assistant_id: "00000000-0000-4000-8000-00000000000c",
  graph_id: "echo",
  created_at: NOW,
  updated_at: NOW,
  status: "success",
  metadata: { team: "blue" },
  kwargs: { input: { question: "why" }, webhook: "https://hooks.example/run?token=s3cret", config: {} },
  multitask_strategy: "enqueue",
  webhook: "https://hooks.example/run?token=s3cret",
  stream_modes: ["values"],
  eligible_at: NOW,
  started_at: NOW,
  next_at: null,
  emitted: 0,
  script: null,
};
