import { withoutUrlSecrets } from "../../../contracts/spec/secrets.ts";
import { formatInstant } from "../../kernel/instant.ts";
import type { Settings } from "../settings.ts";
import { assumptionOf } from "./explain.ts";
import { MASK, maskedUrl } from "./mask.ts";
import { policyOf } from "./policy.ts";
import type { Attempt, Delivery } from "./records.ts";

/** A delivery in the form of the control API: secrets in the URL and static header values are masked. */
export function deliveryView(settings: Settings, delivery: Delivery) {
  const { region, tenant_id, url, payload, payload_bytes, created_at, ended_at, attempts, ...shown } =
    delivery;
  const own = Object.keys(settings.webhooks.headers).map((name) => [name.toLowerCase(), MASK]);
  return {
    ...shown,
    url: maskedUrl(url),
    assumption: assumptionOf(policyOf(settings)),
    created_at: formatInstant(created_at),
    ended_at: ended_at === null ? null : formatInstant(ended_at),
    request: {
      method: "POST",
      headers: { "content-type": "application/json", ...Object.fromEntries(own) },
      body_bytes: payload_bytes,
      body: payload === null ? null : JSON.parse(payload, (_, value) => shownValue(value, url)),
    },
    attempts: attempts.map(attemptView),
  };
}

/** Masks URLs in the payload: the run's kwargs contain the webhook's, and the input may contain any. */
function shownValue(value: unknown, url: string): unknown {
  if (typeof value !== "string") return value;
  return withoutUrlSecrets(value.replaceAll(url, maskedUrl(url)), MASK);
}

function attemptView({ started_at, ended_at, ...attempt }: Attempt) {
  return { ...attempt, started_at: formatInstant(started_at), ended_at: formatInstant(ended_at) };
}
