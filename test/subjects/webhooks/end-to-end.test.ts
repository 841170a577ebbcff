import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { EmulatorOptions } from "../../../emulator/runtime/index.ts";
import { startRig } from "../../support/emulator.ts";
import { workingFolder } from "../../support/emulator-process.ts";
import { type Receiver, startReceiver } from "./receivers.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function receiver(...input: Parameters<typeof startReceiver>): Promise<Receiver> {
  const newReceiver = await startReceiver(...input);
  open.push(newReceiver);
  return newReceiver;
}

interface Delivery {
  readonly id: string;
  readonly run_id: string;
  readonly status: string;
  readonly url: string;
  readonly attempts: readonly {
    readonly status: number | null;
    readonly failure: string | null;
    readonly started_at: string;
  }[];
}

async function openEmulator(options: EmulatorOptions = {}) {
  const { emulator, call } = await startRig({ agent: { traces: false }, ...options });
  open.push(emulator);
  return {
    emulator,
    call,
    run: (webhook: string, more: Record<string, unknown> = {}) =>
      call<unknown>("POST", "/runs/wait", {
        assistant_id: "echo",
        input: { question: "why" },
        webhook,
        ...more,
      }),
    deliveries: (query = "") => emulator.control<Delivery[]>("GET", `/webhooks/deliveries${query}`),
    inbox: (name: string) => emulator.control<Record<string, never>[]>("GET", `/webhooks/inbox/${name}`),
  };
}

describe("over real HTTP", () => {
  it("a run that ends is posted once, with content type, headers and token", async () => {
    const target = await receiver();
    const { run, emulator, deliveries } = await openEmulator({
      webhooks: { headers: { "X-Shared": "shared-secret" } },
    });
    expect((await run(`${target.url}/done?token=s3cret`)).status).toBe(200);
    await emulator.clock.advance("PT1H");
    expect(target.received).toHaveLength(1);
    expect(target.received[0]).toMatchObject({
      url: "/done?token=s3cret",
      headers: { "content-type": "application/json", "x-shared": "shared-secret" },
    });
    const payload = JSON.parse(target.received[0]?.body ?? "");
    expect(payload).toMatchObject({ status: "success", kwargs: { input: { question: "why" } } });
    expect(Object.keys(payload)).toHaveLength(9);
    expect(await deliveries(`?run_id=${payload.run_id}&status=delivered`)).toHaveLength(1);
    expect(JSON.stringify(await deliveries())).not.toMatch(/s3cret|shared-secret/);
    expect(JSON.stringify(await emulator.control("GET", "/config"))).not.toContain("shared-secret");
    const journal = await (await fetch(`${emulator.url}/_emulator/v1/journal`)).text();
    expect(journal).toContain("webhook.delivered");
    expect(journal).not.toMatch(/s3cret|shared-secret/);
  });

  it("a receiver may call back before it answers", async () => {
    const events: unknown[] = [];
    const rig = await openEmulator();
    const target = await receiver(async (response, { body }) => {
      const { thread_id, run_id } = JSON.parse(body);
      events.push(await rig.call("GET", `/threads/${thread_id}/runs/${run_id}`));
      events.push(await rig.call("POST", "/runs/wait", { assistant_id: "echo", input: {} }));
      response.end();
    });
    const thread = await rig.call("POST", "/threads", {});
    await rig.call("POST", `/thread/${thread.body.thread_id}/runs/wait`, {
      assistant_id: "echo",
      webhook: target.url,
    });
    await rig.emulator.clock.advance("PT1M");
    expect(events).toMatchObject([{ status: 200, body: { status: "success" } }, { status: 200 }]);
    expect(await rig.deliveries()).toMatchObject([{ status: "delivered" }]);
  });

  it("a redelivery is posted again", async () => {
    const target = await receiver();
    const { run, emulator, deliveries } = await openEmulator();
    await run(target.url);
    await emulator.clock.advance("PT1S");
    const [first] = await deliveries();
    await emulator.control("POST", `/webhooks/deliveries/${first?.id}/redeliver`, {});
    await emulator.clock.advance("PT1S");
    expect(target.received.map(({ body }) => body)).toEqual([
      target.received[0]?.body,
      target.received[0]?.body,
    ]);
    expect(await deliveries()).toMatchObject([{}, { redelivery_of: first?.id, status: "delivered" }]);
  });

  it("undelivered webhooks of a stopped emulator are delivered by the next one", async () => {
    const folder = workingFolder();
    const options = { data: join(folder, "data"), ephemeral: false };
    const hanging = await receiver(() => undefined);
    const first = await openEmulator(options);
    void first.run(hanging.url).catch(() => undefined);
    await expect.poll(() => hanging.received.length).toBe(1);
    await first.emulator.close();
    const { port } = hanging;
    await hanging.close();
    const target = await receiver(undefined, "127.0.0.1", port);
    const { emulator, deliveries } = await openEmulator({ ...options, now: undefined });
    await emulator.clock.advance("PT1M");
    expect(target.received).toHaveLength(1);
    expect(await deliveries()).toMatchObject([
      { status: "delivered", attempts: [{ failure: "interrupted" }, { status: 200 }] },
    ]);
  });
});

describe("the built-in inbox", () => {
  it("accepts relative webhooks without a socket, and shows the posts", async () => {
    const { run, emulator, inbox } = await openEmulator();
    await run("/_emulator/inbox/mine?token=s3cret");
    await emulator.clock.advance("PT1S");
    expect(await inbox("mine")).toMatchObject([
      { query: "token=…", headers: { "content-type": "application/json" }, body: { status: "success" } },
    ]);
    expect(await emulator.control("DELETE", "/webhooks/inbox/mine")).toEqual({ deleted: 1 });
    expect(await inbox("mine")).toEqual([]);
  });

  it("is a receiver like any other at its address", async () => {
    const { run, emulator, inbox } = await openEmulator();
    await run(`${emulator.url}/_emulator/inbox/real`);
    await emulator.clock.advance("PT1S");
    expect(await inbox("real")).toHaveLength(1);
  });

  it("does not take any name", async () => {
    const { emulator } = await openEmulator();
    const reply = await fetch(`${emulator.url}/_emulator/inbox/a%20b`, { method: "POST", body: "{}" });
    expect(reply.status).toBe(422);
  });
});

describe("the policy", () => {
  it("explains itself", async () => {
    const { emulator } = await openEmulator({ webhooks: { url: { allowed_domains: ["*.mycorp.com"] } } });
    const check = (url: string) => emulator.control("POST", "/webhooks/check", { url });
    expect(await check("https://hooks.mycorp.com/")).toMatchObject({ allowed: true, rule: null });
    expect(await check("http://localhost/")).toMatchObject({ allowed: false, rule: "domain" });
  });
});
