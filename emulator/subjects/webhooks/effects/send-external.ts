import { exchange, type OutgoingReply, OutOfTime, within } from "../../../../contracts/targets/outgoing.ts";
import { isLoopback } from "../../local-hosts.ts";
import type { Settings } from "../../settings.ts";
import type { Posted, PostFailure } from "../events.ts";
import { addressRefusal, hostOf, type WebhookPolicy, webhookRefusal } from "../policy.ts";
import { type Address, addressesOf, lookupOf, type Resolve, resolveHost } from "./resolver.ts";

/** Dependencies of an external webhook. */
export interface ExternalPostOptions {
  readonly policy: WebhookPolicy;
  readonly settings: Settings;
  readonly resolve: Resolve | undefined;
  readonly signal: AbortSignal;
}

/** The failure of an attempt before a final reply. */
class PostFailed extends Error {
  readonly failure: PostFailure;

  constructor(failure: PostFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Sends a webhook by HTTP POST. Each redirect is checked by the policy (§6.1). */
export async function sendExternal(options: ExternalPostOptions, url: URL, payload: string): Promise<Posted> {
  const redirects: string[] = [];
  try {
    let hop: Hop = { url, method: "POST", body: payload, headers: options.settings.webhooks.headers };
    for (;;) {
      const { status, headers, body } = await call(options, hop);
      const { location } = headers;
      if (!REDIRECTS.has(status) || location === undefined)
        return { status, reply: body.toString("utf8"), redirects };
      if (redirects.length >= MAX_REDIRECTS)
        throw new PostFailed("redirects", `More than ${MAX_REDIRECTS} redirects.`);
      hop = nextHop(hop, status, location);
      redirects.push(hop.url.href);
      const urlRefusal = webhookRefusal(options.policy, hop.url.href);
      if (urlRefusal) throw new PostFailed("policy", `Redirected: ${urlRefusal.message}`);
    }
  } catch (error) {
    if (error instanceof PostFailed) return { failure: error.failure, message: error.message, redirects };
    if (error instanceof OutOfTime) return { failure: "timeout", message: error.message, redirects };
    return { failure: "network", message: messageOf(error), redirects };
  }
}

interface Hop {
  readonly url: URL;
  readonly method: "POST" | "GET";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** 307 and 308 keep the method; 301, 302 and 303 turn a POST into a GET, as in common HTTP clients. */
function nextHop(hop: Hop, status: number, location: string): Hop {
  if (!URL.canParse(location, hop.url.href))
    throw new PostFailed("redirects", "Redirected to an invalid URL.");
  const url = new URL(location, hop.url);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new PostFailed("policy", `Redirected to ${url.protocol}, which is not HTTP.`);
  const headers = url.origin === hop.url.origin ? hop.headers : {};
  return status >= 307 ? { ...hop, url, headers } : { url, headers, method: "GET" };
}

async function call(
  { policy, settings, resolve = resolveHost, signal }: ExternalPostOptions,
  hop: Hop,
): Promise<OutgoingReply> {
  const { webhook_connect_timeout_ms: connectMs, webhook_read_timeout_ms: readMs } = settings.timings;
  const startedAt = performance.now();
  const host = hostOf(hop.url);
  if (settings.isolated && !isLoopback(host))
    throw new PostFailed("policy", `${host} is not this machine, and server.isolated allows no other host.`);
  const addresses = await within(connectMs, `${host} was not found in time`, addressesOf(host, resolve));
  refuseAddresses(policy, host, addresses);
  return exchange({
    ...hop,
    headers: hop.method === "POST" ? withType(hop) : hop.headers,
    // Only checked addresses are connected to.
    lookup: lookupOf(addresses),
    signal,
    bounds: {
      connectMs: Math.max(1, connectMs - (performance.now() - startedAt)),
      replyMs: readMs,
      replyBytes: () => settings.limits.webhook_reply_bytes,
    },
  });
}

/** Content-Type is JSON unless a static header sets it (6.1-1). */
function withType({ headers }: Hop): Readonly<Record<string, string>> {
  const isSet = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
  return isSet ? headers : { "Content-Type": "application/json", ...headers };
}

/** Throws if any address is refused, because the connection may use any of them. */
function refuseAddresses(policy: WebhookPolicy, host: string, addresses: readonly Address[]): void {
  for (const { address } of addresses) {
    const urlRefusal = addressRefusal(policy, host, address);
    if (urlRefusal) throw new PostFailed("policy", urlRefusal.message);
  }
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}
