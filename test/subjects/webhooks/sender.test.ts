import { afterEach, describe, expect, it } from "vitest";
import type { HttpRequest } from "../../../emulator/subjects/message.ts";
import {
  createWebhookSender,
  type WebhookTools,
} from "../../../emulator/subjects/webhooks/effects/effects.ts";
import type { Posted } from "../../../emulator/subjects/webhooks/events.ts";
import { settingsWith } from "../../support/world.ts";
import { closedPort, type Receiver, startReceiver } from "./receivers.ts";

const PAYLOAD = JSON.stringify({ run_id: "r", kwargs: { input: "grüße" } });
const REFUSE_LOCAL = { assumptions: { "agent.webhook_local_addresses": "refuse" } };

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function receiver(...input: Parameters<typeof startReceiver>): Promise<Receiver> {
  const newReceiver = await startReceiver(...input);
  open.push(newReceiver);
  return newReceiver;
}

async function sender(options: Record<string, unknown> = {}, tools: Partial<WebhookTools> = {}) {
  const settings = await settingsWith(options);
  const handle = async () => ({ status: 500, headers: {}, body: "not asked" });
  const newSender = createWebhookSender({ settings, handle, ...tools });
  open.push(newSender);
  return (url: string) =>
    newSender.effects["webhook.post"]({
      number: 1,
      kind: "webhook.post",
      ref: "d",
      lane: "d",
      data: { url, payload: PAYLOAD, attempt: 1, copy: 0, started_at: 0, region: "us", tenant_id: "t" },
    }) as Promise<Posted & { readonly wall_ms: number }>;
}

describe("a delivery", () => {
  it("is a POST of JSON with the static headers and the unchanged token", async () => {
    const target = await receiver();
    const post = await sender({ webhooks: { headers: { "X-Token": "abc-secret", "X-Empty": "" } } });
    expect(await post(`${target.url}/hook?token=s3%20cret`)).toMatchObject({ status: 200, reply: "ok" });
    expect(target.received).toMatchObject([
      {
        method: "POST",
        url: "/hook?token=s3%20cret",
        body: PAYLOAD,
        headers: {
          "content-type": "application/json",
          "x-token": "abc-secret",
          "x-empty": "",
          "content-length": String(Buffer.byteLength(PAYLOAD)),
        },
      },
    ]);
  });

  it.each(["Content-Type", "content-type"])("has a static %s in place of its own", async (name) => {
    const target = await receiver();
    const post = await sender({ webhooks: { headers: { [name]: "text/plain; x=1" } } });
    expect(await post(target.url)).toMatchObject({ status: 200 });
    expect(target.received[0]?.headers["content-type"]).toBe("text/plain; x=1");
  });

  it("reaches a local address whose host is on allowed_domains, by name or as it is", async () => {
    const target = await receiver();
    const url = { allowed_domains: ["hooks.example", "127.0.0.1"], allowed_ports: [target.port] };
    const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    const post = await sender({ webhooks: { url }, ...REFUSE_LOCAL }, { resolve });
    expect(await post(`http://hooks.example:${target.port}/`)).toMatchObject({ status: 200 });
    expect(await post(target.url)).toMatchObject({ status: 200 });
    expect(await post(`http://other.example:${target.port}/`)).toMatchObject({ failure: "policy" });
    expect(target.received).toHaveLength(2);
  });

  it("carries user and password of the URL as HTTP does", async () => {
    const target = await receiver();
    await (await sender())(`http://ada:pw@127.0.0.1:${target.port}/`);
    expect(target.received[0]?.headers.authorization).toBe(`Basic ${btoa("ada:pw")}`);
  });

  it("reaches localhost, and an IPv6 address", async () => {
    const target = await receiver();
    const six = await receiver(undefined, "::1");
    const post = await sender();
    expect(await post(`http://localhost:${target.port}/`)).toMatchObject({ status: 200 });
    expect(await post(six.url)).toMatchObject({ status: 200 });
  });

  it("fails at a port without a server", async () => {
    const post = await sender();
    const failed = await post(`http://127.0.0.1:${await closedPort()}/`);
    expect(failed).toMatchObject({ failure: "network", message: expect.stringContaining("ECONNREFUSED") });
  });

  it("gives up on a receiver that never answers", async () => {
    const target = await receiver(() => undefined);
    const post = await sender({ timings: { webhook_read_timeout: "PT0.05S" } });
    expect(await post(target.url)).toMatchObject({
      failure: "timeout",
      message: expect.stringContaining("no reply within 0.05 s"),
    });
  });

  it("gives up on an answer that never ends", async () => {
    const target = await receiver((response) => void response.write("a bit"));
    const post = await sender({ timings: { webhook_read_timeout: "PT0.05S" } });
    expect(await post(target.url)).toMatchObject({
      failure: "timeout",
      message: expect.stringContaining("within 0.05 s"),
    });
  });

  it("gives up on a name that is never found", async () => {
    const resolve = () => new Promise<never>(() => undefined);
    const post = await sender({ timings: { webhook_connect_timeout: "PT0.05S" } }, { resolve });
    expect(await post("http://a.example/")).toMatchObject({ failure: "timeout" });
  });

  it("keeps the beginning of a long answer", async () => {
    const target = await receiver((response) => void response.end("x".repeat(100_000)));
    const post = await sender({ limits: { webhook_reply_bytes: 1000 } });
    expect(await post(target.url)).toMatchObject({ status: 200, reply: "x".repeat(1000) });
  });

  it("repeats no secret of an answer that echoes them", async () => {
    const target = await receiver(
      (response, { url, headers }) => void response.end(`${url} ${headers["x-token"]}`),
    );
    const post = await sender({ webhooks: { headers: { "X-Token": "abc-secret" } } });
    expect(await post(`${target.url}/?token=s3cret`)).toMatchObject({ reply: "/?token=… …" });
  });

  it("does not wait for others that hang, at its own receiver or elsewhere", async () => {
    const dead = await receiver(() => undefined);
    const alive = await receiver();
    const post = await sender({ timings: { webhook_read_timeout: "PT20S" } });
    const hanging = Array.from({ length: 60 }, () => post(dead.url));
    expect(await post(alive.url)).toMatchObject({ status: 200 });
    expect(dead.received.length).toBeLessThanOrEqual(16);
    await dead.close();
    expect((await Promise.all(hanging)).every((result) => "failure" in result)).toBe(true);
  });
});

describe("a redirect", () => {
  it("is followed: 307 repeats the POST", async () => {
    const target = await receiver((response, { url }) => {
      if (url === "/there") response.end("arrived");
      else response.writeHead(307, { location: "/there" }).end();
    });
    const result = await (await sender({ webhooks: { headers: { "X-Token": "abc-secret" } } }))(
      `${target.url}/here`,
    );
    expect(result).toMatchObject({ status: 200, reply: "arrived", redirects: [`${target.url}/there`] });
    expect(target.received[1]).toMatchObject({
      method: "POST",
      body: PAYLOAD,
      headers: { "x-token": "abc-secret" },
    });
  });

  it("of 302 becomes a GET, and another origin does not get the static headers", async () => {
    const other = await receiver();
    const target = await receiver(
      (response) => void response.writeHead(302, { location: `${other.url}/x` }).end(),
    );
    const result = await (await sender({ webhooks: { headers: { "X-Token": "abc-secret" } } }))(target.url);
    expect(result).toMatchObject({ status: 200 });
    expect(other.received).toMatchObject([{ method: "GET", body: "" }]);
    expect(other.received[0]?.headers).not.toHaveProperty("x-token");
  });

  it("is followed five times", async () => {
    const target = await receiver(
      (response, { url }) => void response.writeHead(308, { location: `${url}x` }).end(),
    );
    expect(await (await sender())(`${target.url}/`)).toMatchObject({ failure: "redirects" });
    expect(target.received).toHaveLength(6);
  });

  it("passes the policy at every hop", async () => {
    const inside = await receiver();
    const target = await receiver(
      (response) => void response.writeHead(307, { location: `http://2130706433:${inside.port}/` }).end(),
    );
    const url = { allowed_domains: ["hooks.example"], allowed_ports: [target.port, inside.port] };
    const post = await sender(
      { webhooks: { url } },
      { resolve: async () => [{ address: "127.0.0.1", family: 4 }] },
    );
    expect(await post(`http://hooks.example:${target.port}/`)).toMatchObject({
      failure: "policy",
      message: "Redirected: Webhook domain not allowed: 127.0.0.1",
    });
    expect(inside.received).toEqual([]);
    expect(target.received).toHaveLength(1);
  });

  it.each(["file:///etc/passwd", "gopher://127.0.0.1/"])("to %s is not followed", async (location) => {
    const target = await receiver((response) => void response.writeHead(307, { location }).end());
    expect(await (await sender())(target.url)).toMatchObject({ failure: "policy" });
  });
});

/** Settings under which hosts with a public name may be called at the port of a receiver. */
const atPort = ({ port }: { readonly port: number }) => ({ webhooks: { url: { allowed_ports: [port] } } });

describe("where local addresses are not wanted", () => {
  it.each(["127.0.0.1", "2130706433", "[::ffff:127.0.0.1]", "localhost", "0.0.0.0"])(
    "http://%s never reaches a real listener",
    async (host) => {
      const four = await receiver();
      const six = await receiver(undefined, "::1");
      const post = await sender(REFUSE_LOCAL);
      expect(await post(`http://${host}:${four.port}/`)).toMatchObject({ failure: "policy" });
      expect(await post(`http://${host}:${six.port}/`)).toMatchObject({ failure: "policy" });
      expect([...four.received, ...six.received]).toEqual([]);
    },
  );

  it.each([
    ["127.0.0.1", 4],
    ["::1", 6],
    ["::ffff:127.0.0.1", 6],
    ["169.254.169.254", 4],
    ["fe80::1%lo", 6],
  ])("a name that resolves to %s never reaches it", async (address, family) => {
    const target = await receiver();
    const resolve = async () => [
      { address: "93.184.216.34", family: 4 },
      { address, family },
    ];
    const post = await sender({ ...REFUSE_LOCAL, ...atPort(target) }, { resolve });
    expect(await post(`http://rebind.example:${target.port}/`)).toMatchObject({
      failure: "policy",
      message: expect.stringContaining(`rebind.example is ${address}`),
    });
    expect(target.received).toEqual([]);
  });

  it("a name is resolved once, and the checked address is used", async () => {
    const target = await receiver();
    let count = 0;
    const resolve = async () => {
      count += 1;
      return [{ address: count === 1 ? "127.0.0.1" : "127.0.0.2", family: 4 }];
    };
    const post = await sender(atPort(target), { resolve });
    expect(await post(`http://rebind.example:${target.port}/`)).toMatchObject({ status: 200 });
    expect(count).toBe(1);
    expect(target.received[0]?.headers.host).toBe(`rebind.example:${target.port}`);
  });

  it("a policy that has become stricter since the run was created holds", async () => {
    const target = await receiver();
    const post = await sender({ webhooks: { url: { require_https: true } } });
    expect(await post(target.url)).toMatchObject({ failure: "policy", message: "Webhook must use https" });
    expect(target.received).toEqual([]);
  });
});

describe("a relative URL", () => {
  it("is a call of the emulator to itself in the run's workspace", async () => {
    const requests: HttpRequest[] = [];
    const handle: WebhookTools["handle"] = async (request) => {
      requests.push(request);
      return { status: 201, headers: {}, body: "made" };
    };
    const headers = { "X-Token": "abc-secret", "Content-Type": "text/plain" };
    const post = await sender({ webhooks: { headers } }, { handle });
    expect(await post("/_emulator/inbox/a?token=s3cret")).toMatchObject({ status: 201, reply: "made" });
    expect(requests).toMatchObject([
      {
        region: "us",
        method: "POST",
        path: "/_emulator/inbox/a",
        query: "token=s3cret",
        headers: { "x-tenant-id": "t", "x-token": "abc-secret", "content-type": "text/plain" },
      },
    ]);
    expect(new TextDecoder().decode(requests[0]?.body)).toBe(PAYLOAD);
  });

  it("is given up when the emulator does not answer", async () => {
    const handle = () => new Promise<never>(() => undefined);
    const post = await sender({ timings: { webhook_read_timeout: "PT0.05S" } }, { handle });
    expect(await post("/runs/wait")).toMatchObject({ failure: "timeout" });
  });
});
