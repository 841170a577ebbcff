import type { AssumptionId } from "../../../contracts/spec/assumptions.ts";
import type { Configuration } from "../../config/configuration.ts";
import { noting } from "../../config/noted-choices.ts";
import type { Commit } from "../../kernel/commit.ts";
import type { WorldImage } from "../../kernel/image.ts";
import type { OlderTurns } from "../../kernel/journal.ts";
import { liveTimeline } from "../../kernel/timeline.ts";
import type { WorldParts } from "../../kernel/world-parts.ts";
import { createOracle } from "../../oracle/oracle.ts";
import { createObjectStoreClients } from "../../s3/client/object-store-clients.ts";
import type { ObjectStore } from "../../s3/object-store.ts";
import { stageFile } from "../../s3/stage-file.ts";
import type { History } from "../../storage/history/history.ts";
import { encoderFor, type SharedEncoder } from "../../storage/parquet/encoder.ts";
import type { Manifests } from "../../storage/pool/manifests.ts";
import type { Pool } from "../../storage/pool/pool.ts";
import type { RowView } from "../../storage/rows/rows-as-of.ts";
import type { WorldStorage } from "../../storage/world-storage.ts";
import { type ExportTools, exportEffects } from "../../subjects/bulk-exports/effects.ts";
import type { FileEncoder } from "../../subjects/bulk-exports/encoder.ts";
import type { Oracle } from "../../subjects/control-operation.ts";
import { createSchedules } from "../../subjects/crons/schedules.ts";
import { REQUEST_EFFECTS } from "../../subjects/faults/effects.ts";
import { feedbackLists } from "../../subjects/feedback/feedback.ts";
import type { HttpReply, HttpRequest } from "../../subjects/message.ts";
import { createDelays, type Delays } from "../../subjects/object-storage/delays.ts";
import { summaryEffects } from "../../subjects/queries/effects.ts";
import { createRateLimiter } from "../../subjects/rate-limits/limiter.ts";
import type { EmulatorTypes, Ports, Secrets, World } from "../../subjects/turn.ts";
import { createWebhookSender, type WebhookSender } from "../../subjects/webhooks/effects/effects.ts";
import { eventReactions, RESULT_REACTIONS } from "../assembly.ts";
import { limiterWithHistory } from "./history/world-history.ts";
import type { ForkSource } from "./world-state.ts";

/** What one world runs with. */
export interface WorldRuntimeOptions {
  readonly configuration: Configuration;
  readonly pool: Pool;
  readonly manifests: Manifests;
  /** Under which the manifests have it. */
  readonly name: string;
  /** Left out for a world that begins with what its manifest leads to. */
  readonly source?: ForkSource;
  readonly secrets: Secrets;
  /** One for all worlds of a process. */
  readonly encoder: SharedEncoder;
  readonly isEmbedded: Ports["isEmbedded"];
  /** Answers a request of the emulator to itself (§6.1, relative webhooks). */
  readonly handle: (request: HttpRequest) => Promise<HttpReply>;
}

/** What a world reaches outside of itself. */
export interface WorldAdapters {
  readonly choices: ReadonlySet<AssumptionId>;
  readonly ports: Ports;
  readonly storage: Pick<WorldStorage, "bodies" | "persist" | "enqueue" | "flush"> & {
    readonly rows: RowView;
  };
  readonly delays: Delays;
  readonly encoder: FileEncoder;
  readonly feedbacksOf: ExportTools["feedbacksOf"];
  readonly webhooks: WebhookSender;
  readonly objectStores: ReturnType<typeof createObjectStoreClients>;
}

/** Opens what a world works with. */
export function openAdapters(
  options: WorldRuntimeOptions,
  storage: WorldStorage,
  live: () => { readonly world: World; readonly history: History },
): WorldAdapters {
  const { configuration, source, secrets, isEmbedded, handle } = options;
  const choices = new Set<AssumptionId>();
  const settings = configuration.noteChoices
    ? noting(configuration.settings, (id) => choices.add(id))
    : configuration.settings;
  const { rows } = storage;
  const limiter = limiterWithHistory(source?.limiter.copy() ?? createRateLimiter(settings.rateLimits), live);
  return {
    choices,
    ports: {
      settings,
      traces: rows,
      secrets,
      schedules: createSchedules(),
      limiter,
      bodies: storage.bodies.keeper,
      isEmbedded,
    },
    storage,
    delays: createDelays(),
    encoder: encoderFor(options.encoder, rows),
    feedbacksOf: ({ region, tenantId: tenant_id, sessionId }) =>
      feedbackLists(live().world.reader, { region, tenant_id }, sessionId),
    // Its policy is read with the first turn of a run that has a webhook.
    webhooks: createWebhookSender({ settings: configuration.settings, handle }),
    objectStores: createObjectStoreClients({
      timeoutMs: settings.timings.object_store_timeout_ms,
      objectBytes: settings.limits.parquet_page_bytes,
      isolated: settings.isolated,
    }),
  };
}

/** The parts of a live world that starts from an image, with the turns that its journal begins with. */
export function partsOf(
  adapters: WorldAdapters,
  image: WorldImage,
  delays: Delays,
  olderTurns?: OlderTurns,
): WorldParts<EmulatorTypes> {
  const { ports, storage, encoder, feedbacksOf, webhooks, objectStores } = adapters;
  return {
    image,
    ports,
    events: eventReactions(delays),
    results: RESULT_REACTIONS,
    effects: {
      ...webhooks.effects,
      ...REQUEST_EFFECTS,
      ...summaryEffects(storage.rows, ports.settings),
      ...exportEffects({
        encoder,
        feedbacksOf,
        secrets: ports.secrets,
        settings: ports.settings,
        objectStores,
        stageFile: (bytes) => stageFile(storage.bodies, bytes),
      }),
    },
    persist: persistCommits(storage),
    flush: storage.flush,
    timeline: liveTimeline(ports.settings.limits.journal_turns, image.turn, olderTurns),
  };
}

/** Turns of requests are written in batches, which their replies wait for; all others at once. */
function persistCommits({ persist, enqueue }: WorldAdapters["storage"]): (commit: Commit) => void {
  return (commit) => (commit.cause.type === "request" ? enqueue(commit) : persist(commit));
}

/** Reads exported files back. */
export function oracleOf({ storage, ports, objectStores }: WorldAdapters, objects: ObjectStore): Oracle {
  return createOracle({
    world: objects.world,
    rowsOf: storage.rows.location,
    objectStores,
    secrets: ports.secrets,
    maxVerifications: ports.settings.limits.verifications,
    objects,
  });
}
