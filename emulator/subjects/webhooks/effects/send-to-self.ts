import { OutOfTime, within } from "../../../../contracts/targets/outgoing.ts";
import { DEFAULT_API_KEY, keysIn } from "../../auth.ts";
import type { HttpReply, HttpRequest } from "../../message.ts";
import type { Settings } from "../../settings.ts";
import type { Posted, WebhookPost } from "../events.ts";

interface SelfPostOptions {
  readonly settings: Settings;
  readonly handle: (request: HttpRequest) => Promise<HttpReply>;
  readonly signal: AbortSignal;
}

/** §6.1: a relative URL is a call to the emulator itself, on behalf of the run's workspace. */
export async function postToSelf(
  { settings, handle, signal }: SelfPostOptions,
  order: WebhookPost,
): Promise<Posted> {
  const { limits, timings } = settings;
  const reply = handle(requestOf(settings, order)).then(async ({ status, body }) => ({
    status,
    reply: await readText(body, limits.webhook_reply_bytes),
  }));
  try {
    return await within(timings.webhook_read_timeout_ms, "No answer in time.", reply, signal);
  } catch (error) {
    if (error instanceof OutOfTime) return { failure: "timeout", message: error.message };
    return { failure: "network", message: String(error) };
  }
}

function requestOf(
  { auth, webhooks }: Settings,
  { url, payload, region, tenant_id }: WebhookPost,
): HttpRequest {
  const [path = "", query = ""] = url.replace(/#.*$/s, "").split(/\?(.*)/s);
  const own = Object.entries(webhooks.headers).map(([name, value]) => [name.toLowerCase(), value]);
  const keys = keysIn(auth, region);
  const key = keys.find(({ tenants }) => tenants.includes(tenant_id)) ?? keys[0];
  return {
    region,
    method: "POST",
    path,
    query,
    headers: {
      "x-api-key": key?.key ?? DEFAULT_API_KEY,
      "x-tenant-id": tenant_id,
      "content-type": "application/json",
      ...Object.fromEntries(own),
      host: "localhost",
    },
    body: new TextEncoder().encode(payload),
    address: "",
  };
}

async function readText(body: HttpReply["body"], maxBytes: number): Promise<string> {
  if (typeof body === "string") return body.slice(0, maxBytes);
  if (body instanceof Uint8Array) return new TextDecoder().decode(body.subarray(0, maxBytes));
  let text = "";
  for await (const chunk of body) {
    text += chunk;
    if (text.length >= maxBytes) break;
  }
  return text.slice(0, maxBytes);
}
