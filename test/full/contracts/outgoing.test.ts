import { describe, expect, it, onTestFinished } from "vitest";
import { openObjectStore } from "../../../contracts/targets/object-store.ts";
import { createSender } from "../../../contracts/targets/send.ts";
import { sendOverHttp } from "../../../emulator/client/send-over-http.ts";
import { createObjectStoreClients } from "../../../emulator/s3/client/object-store-clients.ts";
import { createWebhookSender } from "../../../emulator/subjects/webhooks/effects/effects.ts";
import type { Posted } from "../../../emulator/subjects/webhooks/events.ts";
import { HOSTILE_SERVERS, type Hostility } from "../../support/hostile-servers.ts";
import { settingsWith } from "../../support/world.ts";

/** Short where only the deadline ends a call. Elsewhere a call that waited for it would fail by the time of the test. */
const SHORT_MS = 200;
const LONG_MS = 600_000;
const ENDED_BY_DEADLINE: ReadonlySet<Hostility> = new Set(["a drip", "silence", "never accepts"]);
const OBJECT_BYTES = 1_048_576;
/** What clients read, and what the buffers of the system hold of connections that were closed. */
const MAX_BYTES_SENT = 48 * 1_048_576;
const KEY = { accessKeyId: "key", secretAccessKey: "secret" };

interface Outcomes {
  readonly webhook: string;
  /** Of a put, a get and a list at the object store of a destination. */
  readonly store: readonly [put: string, get: string, list: string];
  readonly harness: string;
  readonly command: "replied" | "no reply";
}

const CLOSED = "unavailable ConnectionFailed";
const NOT_S3 = "invalid_endpoint NotAnS3Server";
const LATE = "unavailable NoAnswerInTime";
const NO_TLS = "invalid_endpoint UntrustedConnection";

const same = (webhook: string, store: string, harness: string): Outcomes => ({
  ...{ webhook, store: [store, store, store], harness, command: "no reply" },
});

const EXPECTED: Readonly<Record<Hostility, Outcomes>> = {
  "101 with Upgrade": same("network", CLOSED, "without a reply"),
  "101 without Upgrade": { ...same("101", NOT_S3, "101"), command: "replied" },
  "endless 1xx": same("network", NOT_S3, "only replies of 1xx"),
  "endless headers": same("network", NOT_S3, "Header overflow"),
  "endless body": same("200", NOT_S3, "more than 1048576 bytes"),
  "endless error": same("500", "unavailable HTTP 500", "more than 1048576 bytes"),
  "a drip": same("timeout", LATE, "within 0.2 s"),
  silence: same("timeout", LATE, "no reply within 0.2 s"),
  "a cut reply": same("network", CLOSED, "cut off"),
  "a reply longer than its length": {
    ...{ webhook: "200", store: ["done", "done", NOT_S3], harness: "200", command: "replied" },
  },
  "two lengths": same("network", NOT_S3, "Content-Length"),
  "a gzip bomb": { webhook: "200", store: ["done", "done", NOT_S3], harness: "200", command: "replied" },
  "closed before headers": same("network", CLOSED, "socket hang up"),
  "closed within headers": same("network", CLOSED, "socket hang up"),
  "closed after headers": same("network", CLOSED, "cut off"),
  "reset by the server": same("network", CLOSED, "ECONNRESET"),
  "never accepts": same("timeout", LATE, "no reply within 0.2 s"),
  "redirects in a circle": { ...same("redirects", NOT_S3, "307"), command: "replied" },
  "TLS from a server without it": same("network", NO_TLS, "does not use TLS"),
  "garbage in place of TLS": same("network", NO_TLS, "does not use TLS"),
  "TLS in place of HTTP": same("network", NOT_S3, "does not use plain HTTP"),
};

async function webhookOutcome(url: string, ms: number): Promise<string> {
  const duration = `PT${ms / 1000}S`;
  const settings = await settingsWith({
    timings: { webhook_connect_timeout: duration, webhook_read_timeout: duration },
  });
  const handle = async () => ({ status: 500, headers: {}, body: "" });
  const sender = createWebhookSender({ settings, handle });
  const data = {
    url,
    payload: "{}",
    attempt: 1,
    copy: 0,
    started_at: 0,
    region: "us",
    tenant_id: "t",
  } as const;
  const effect = { number: 1, kind: "webhook.post", ref: "d", lane: "d", data } as const;
  const result = (await sender.effects["webhook.post"](effect)) as Posted;
  sender.close();
  return "status" in result ? String(result.status) : result.failure;
}

async function storeOutcomes(endpointUrl: string, timeoutMs: number): Promise<Outcomes["store"]> {
  const clients = createObjectStoreClients({ timeoutMs, objectBytes: OBJECT_BYTES });
  const client = clients.open({ bucket: "b", region: null, endpointUrl }, { ...KEY, sessionToken: null });
  const outcomeOf = (result: object) =>
    "failure" in result && "code" in result ? `${result.failure} ${result.code}` : "done";
  const put = outcomeOf(await client.put("key", new Uint8Array(10)));
  const get = outcomeOf(await client.get("key"));
  const list = outcomeOf(await client.list(""));
  clients.close();
  return [put, get, list];
}

async function harnessOutcome(url: string, replyMs: number): Promise<string> {
  const sender = createSender({ us: url }, undefined, { replyMs, replyBytes: () => OBJECT_BYTES });
  const request = { region: "us", method: "POST", path: "/threads", headers: {}, body: "{}" } as const;
  const outcome = await sender.send(request).then(
    ({ status }) => String(status),
    (error: Error) => error.message,
  );
  sender.close();
  return outcome;
}

describe.each(Object.keys(HOSTILE_SERVERS) as Hostility[])("a server that does this: %s", (name) => {
  const ms = ENDED_BY_DEADLINE.has(name) ? SHORT_MS : LONG_MS;

  async function open() {
    const server = await HOSTILE_SERVERS[name]();
    onTestFinished(() => server.close());
    return server;
  }

  it("ends a webhook, the requests to an object store and a request of the harness", async () => {
    const { url, bytesSent } = await open();
    const { webhook, store, harness } = EXPECTED[name];
    expect(await webhookOutcome(url, ms)).toBe(webhook);
    expect(await storeOutcomes(url, ms)).toEqual(store);
    expect(await harnessOutcome(url, ms)).toContain(harness);
    expect(bytesSent()).toBeLessThan(MAX_BYTES_SENT);
  });

  it("ends the other requests of the harness and of a command", async () => {
    const { url } = await open();
    const bounds = { timeoutMs: ms, objectBytes: OBJECT_BYTES };
    const store = openObjectStore(url, { ...KEY, region: "us-east-1" }, bounds);
    const listing = await store.list("bucket").catch((error: Error) => error);
    store.close();
    expect(listing).toSatisfy((result) => result instanceof Error || Array.isArray(result));
    // A command reads as much as a text may have; its deadline is tested by the others.
    if (name.startsWith("endless") && !/1xx|headers/.test(name)) return;
    const reply = sendOverHttp(url, ms)("/", { method: "GET", headers: {} });
    const { command } = EXPECTED[name];
    expect(
      await reply.then(
        () => "replied",
        (error: Error) => error.name,
      ),
    ).toBe(command === "replied" ? command : "NoReply");
  });
});
