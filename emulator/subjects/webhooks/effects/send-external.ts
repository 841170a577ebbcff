import { isLoopback } from "../../local-hosts.ts";
import type { Settings } from "../../settings.ts";
import type { Posted } from "../events.ts";
import { addressRefusal, hostOf, type WebhookPolicy, webhookRefusal } from "../policy.ts";
import { type Call, type Exchange, exchange } from "./exchange.ts";
import { PostFailed } from "./post-failed.ts";
import { type Address, addressesOf, type Resolve, resolveHost } from "./resolver.ts";

/** Dependencies of an external webhook. */
export interface ExternalPostOptions {
  readonly policy: WebhookPolicy;
  readonly settings: Settings;
  readonly resolve: Resolve | undefined;
  readonly signal: AbortSignal;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Sends a webhook by HTTP POST. Each redirect is checked by the policy (§6.1). Throws `PostFailed`. */
export async function sendExternal(options: ExternalPostOptions, url: URL, payload: string): Promise<Posted> {
  const redirects: string[] = [];
  try {
    let hop: Hop = { url, method: "POST", body: payload, headers: options.settings.webhooks.headers };
    for (;;) {
      const { status, location, reply } = await call(options, hop);
      if (!REDIRECTS.has(status) || location === undefined) return { status, reply, redirects };
      if (redirects.length >= MAX_REDIRECTS)
        throw new PostFailed("redirects", `More than ${MAX_REDIRECTS} redirects.`);
      hop = nextHop(hop, status, location);
      redirects.push(hop.url.href);
      const urlRefusal = webhookRefusal(options.policy, hop.url.href);
      if (urlRefusal) throw new PostFailed("policy", `Redirected: ${urlRefusal.message}`);
    }
  } catch (error) {
    if (error instanceof PostFailed) return { failure: error.failure, message: error.message, redirects };
    return { failure: "network", message: messageOf(error), redirects };
  }
}

type Hop = Pick<Call, "url" | "method" | "headers" | "body">;

/** 307 and 308 keep the method; 301, 302 and 303 turn a POST into a GET, as in common HTTP clients. */
function nextHop(hop: Hop, status: number, location: string): Hop {
  if (!URL.canParse(location, hop.url.href))
    throw new PostFailed("redirects", "Redirected to an invalid URL.");
  const url = new URL(location, hop.url);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new PostFailed("policy", `Redirected to ${url.protocol}, which is not HTTP.`);
  const headers = url.origin === hop.url.origin ? hop.headers : {};
  return status >= 307 ? { ...hop, url, headers } : { url, headers, method: "GET", body: "" };
}

async function call(
  { policy, settings, resolve = resolveHost, signal }: ExternalPostOptions,
  hop: Hop,
): Promise<Exchange> {
  const { webhook_connect_timeout_ms: connectMs, webhook_read_timeout_ms: readMs } = settings.timings;
  const startedAt = performance.now();
  const host = hostOf(hop.url);
  if (settings.isolated && !isLoopback(host))
    throw new PostFailed("policy", `${host} is not this machine, and server.isolated allows no other host.`);
  const addresses = await within(connectMs, `${host} was not found`, addressesOf(host, resolve));
  refuseAddresses(policy, host, addresses);
  return exchange({
    ...hop,
    headers: hop.method === "POST" ? withType(hop) : hop.headers,
    addresses,
    signal,
    connectMs: Math.max(1, connectMs - (performance.now() - startedAt)),
    readMs,
    replyBytes: settings.limits.webhook_reply_bytes,
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

async function within<T>(ms: number, otherwise: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new PostFailed("timeout", `${otherwise} within ${ms} ms.`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}
