import { setMaxListeners } from "node:events";
import type { HttpReply, HttpRequest } from "../../message.ts";
import type { Settings } from "../../settings.ts";
import type { Runners } from "../../turn.ts";
import type { Posted, WebhookPost } from "../events.ts";
import { secretsIn, withoutSecrets } from "../mask.ts";
import { policyOf, webhookRefusal, webhookTarget } from "../policy.ts";
import { createConcurrencyLimit } from "./concurrency-limit.ts";
import type { Resolve } from "./resolver.ts";
import { sendExternal } from "./send-external.ts";
import { postToSelf } from "./send-to-self.ts";

/** Dependencies of the sender. */
export interface WebhookTools {
  readonly settings: Settings;
  /** Handles a request to this emulator without a socket. */
  readonly handle: (request: HttpRequest) => Promise<HttpReply>;
  /** Resolves host names; the system's resolver by default. */
  readonly resolve?: Resolve;
}

/** Sends webhooks until it is closed. */
export type WebhookSender = ReturnType<typeof createWebhookSender>;

const PER_RECEIVER = 16;
const IN_TOTAL = 256;

/** Sends webhooks; concurrency is limited per receiver, so that a slow receiver does not block others. */
export function createWebhookSender({ settings, handle, resolve }: WebhookTools) {
  const shutdown = new AbortController();
  // Each pending delivery adds a listener; their number is bounded by IN_TOTAL.
  setMaxListeners(0, shutdown.signal);
  const acquire = createConcurrencyLimit(PER_RECEIVER, IN_TOTAL);
  const policy = policyOf(settings);
  const { headers } = settings.webhooks;

  async function post(order: WebhookPost): Promise<Posted> {
    // The policy may have become stricter since the run was created.
    const urlRefusal = webhookRefusal(policy, order.url);
    const target = webhookTarget(order.url);
    if (urlRefusal || !target)
      return { failure: "policy", message: urlRefusal?.message ?? "This is not a valid URL." };
    const release = await acquire(target.kind === "loopback" ? "" : target.url.host);
    try {
      // The world was closed while waiting; a new world of the same name must not receive this webhook.
      if (shutdown.signal.aborted) return { failure: "network", message: "The world was closed." };
      if (target.kind === "loopback")
        return await postToSelf({ settings, handle, signal: shutdown.signal }, order);
      return await sendExternal(
        { policy, settings, resolve, signal: shutdown.signal },
        target.url,
        order.payload,
      );
    } finally {
      release();
    }
  }

  const effects: Runners<"webhook.post"> = {
    async "webhook.post"({ data: order }) {
      const startedAt = performance.now();
      const outcome = await post(order);
      const secrets = secretsIn([order.url, ...(outcome.redirects ?? [])], headers);
      const safeResult =
        "status" in outcome
          ? { ...outcome, reply: withoutSecrets(outcome.reply, secrets) }
          : { ...outcome, message: withoutSecrets(outcome.message, secrets) };
      return { ...safeResult, wall_ms: Math.round(performance.now() - startedAt) };
    },
  };
  return {
    effects,
    /** Aborts pending requests. */
    close: () => shutdown.abort(),
  };
}
