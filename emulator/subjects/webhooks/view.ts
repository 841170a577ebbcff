import { withoutUrlSecrets } from "../../../contracts/spec/secrets.ts";
import { formatInstant } from "../../kernel/instant.ts";
import type { Settings } from "../settings.ts";
import { MASK, maskedUrl } from "./mask.ts";
import type { Attempt, Delivery } from "./records.ts";

/** A delivery as the ledger shows it: tokens in the URL and values of static headers are masked. */
export function deliveryView({ webhooks }: Settings, delivery: Delivery) {
  const { region, tenant_id, url, payload, payload_bytes, created_at, ended_at, attempts, ...shown } =
    delivery;
  const own = Object.keys(webhooks.headers).map((name) => [name.toLowerCase(), MASK]);
  return {
    ...shown,
    url: maskedUrl(url),
    created_at: formatInstant(created_at),
    ended_at: ended_at === null ? null : formatInstant(ended_at),
    request: {
      method: "POST",
      headers: { ...Object.fromEntries(own), "content-type": "application/json" },
      body_bytes: payload_bytes,
      body: payload === null ? null : JSON.parse(payload, (_, value) => shownValue(value, url)),
    },
    attempts: attempts.map(attemptView),
  };
}

/** The URL stands in the run's kwargs, and a client may have put it, or another, into the input as well. */
function shownValue(value: unknown, url: string): unknown {
  if (typeof value !== "string") return value;
  return withoutUrlSecrets(value.replaceAll(url, maskedUrl(url)), MASK);
}

function attemptView({ started_at, ended_at, ...attempt }: Attempt) {
  return { ...attempt, started_at: formatInstant(started_at), ended_at: formatInstant(ended_at) };
}
