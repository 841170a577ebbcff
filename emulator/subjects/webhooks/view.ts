import { parseExact } from "../../../contracts/spec/exact-json.ts";
import { hideIn, hideWith } from "../../../contracts/spec/secrets.ts";
import { formatInstant, formatInstantOrNull } from "../../kernel/instant.ts";
import type { Settings } from "../settings.ts";
import { MASK, maskedUrl } from "./mask.ts";
import type { Attempt, Delivery } from "./records.ts";

/** A delivery in the form of the control API: secrets in the URL and static header values are masked. */
export function deliveryView(settings: Settings, delivery: Delivery) {
  const { region, tenant_id, url, payload, payload_bytes, created_at, ended_at, attempts, ...shown } =
    delivery;
  const own = Object.keys(settings.webhooks.headers).map((name) => [name.toLowerCase(), MASK]);
  return {
    ...shown,
    url: maskedUrl(url),
    created_at: formatInstant(created_at),
    ended_at: formatInstantOrNull(ended_at),
    request: {
      method: "POST",
      headers: { "content-type": "application/json", ...Object.fromEntries(own) },
      body_bytes: payload_bytes,
      body: payload === null ? null : shownPayload(payload, url),
    },
    attempts: attempts.map(attemptView),
  };
}

const hide = hideWith(MASK);

/** The run's kwargs contain the URL, and its input and configuration may contain any secret. */
function shownPayload(payload: string, url: string): unknown {
  const masked = maskedUrl(url);
  return hideIn<unknown>(parseExact(payload), (at, value) =>
    hide(at, typeof value === "string" ? value.replaceAll(url, masked) : value),
  );
}

function attemptView({ started_at, ended_at, ...attempt }: Attempt) {
  return { ...attempt, started_at: formatInstant(started_at), ended_at: formatInstant(ended_at) };
}
