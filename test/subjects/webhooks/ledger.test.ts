import { describe, expect, it } from "vitest";
import { TEST_RECEIVERS } from "../../../emulator/subjects/webhooks/policy.ts";
import { redeliver } from "../../../emulator/subjects/webhooks/redeliver.ts";
import { openWebhookWorld, RUN } from "../../support/webhook-world.ts";

describe("the ledger", () => {
  it("shows no token and no value of a header; the receiver gets them", async () => {
    const world = await openWebhookWorld({ webhooks: { headers: { "X-Key": "k3y-value" } } });
    world.end();
    await world.advance("PT1S");
    const output = JSON.stringify([world.ledger(), world.world.journal.since(0)]);
    expect(output).not.toMatch(/s3cret|k3y-value/);
    expect(world.ledger()).toMatchObject([
      {
        url: "https://hooks.example/run?token=…",
        request: {
          headers: { "x-key": "…" },
          body: { kwargs: { webhook: "https://hooks.example/run?token=…" } },
        },
      },
    ]);
    expect(world.sent[0]?.url).toContain("s3cret");
    expect(world.sent[0]?.payload).toContain("s3cret");
  });

  it("masks the query and the user of each address that it was redirected to", async () => {
    const redirects = ["https://someone:word@b.example/next?token=t0ken"];
    const world = await openWebhookWorld({}, () => ({ status: 200, reply: "ok", redirects }));
    world.end();
    await world.advance("PT1S");
    expect(world.ledger()[0]?.attempts[0]?.redirects).toEqual(["https://…@b.example/next?token=…"]);
    expect(JSON.stringify(world.world.state())).not.toMatch(/t0ken|someone:word/);
  });

  it("shows the content type that is sent: JSON, or a static header's, masked like the others", async () => {
    for (const [headers, output] of [
      [{}, "application/json"],
      [{ "Content-Type": "text/plain" }, "…"],
    ] as const) {
      const world = await openWebhookWorld({ webhooks: { headers } });
      world.end();
      expect(world.ledger()).toMatchObject([{ request: { headers: { "content-type": output } } }]);
    }
  });

  it.each([
    ["http://127.0.0.1:3000/", TEST_RECEIVERS],
    ["http://127.0.0.1/", null],
    ["https://a.example/", null],
    ["/hook", null],
  ])("marks a delivery that only passes as a test receiver: %s", async (webhook, passed_by) => {
    const world = await openWebhookWorld();
    world.end({ webhook });
    expect(world.ledger()).toMatchObject([{ passed_by }]);
    expect(world.notes("webhook.test_receiver")).toHaveLength(passed_by ? 1 : 0);
  });

  it("keeps the newest limits.webhook_ledger deliveries and all that are under way", async () => {
    const hangs = new Promise<never>(() => undefined);
    const world = await openWebhookWorld({ limits: { webhook_ledger: 3 } }, ({ url }) =>
      url.includes("hang") ? hangs : { status: 200, reply: "" },
    );
    world.end({ webhook: "http://hang.example/" });
    for (let n = 0; n < 6; n += 1) world.end({ webhook: `http://a.example/${n}` });
    await world.settle();
    expect(world.ledger().map(({ url }) => url)).toEqual([
      "http://hang.example/",
      "http://a.example/3",
      "http://a.example/4",
      "http://a.example/5",
    ]);
  });

  it("fails deliveries beyond limits.webhook_pending", async () => {
    const hangs = new Promise<never>(() => undefined);
    const world = await openWebhookWorld({ limits: { webhook_pending: 2 } }, () => hangs);
    for (let n = 0; n < 3; n += 1) world.end();
    expect(world.ledger().map(({ status }) => status)).toEqual(["pending", "pending", "failed"]);
    expect(world.sent).toHaveLength(2);
  });

  it("drops a long payload once it is delivered, and refuses to send it again", async () => {
    const world = await openWebhookWorld();
    world.end({ kwargs: { input: "x".repeat(70_000) } });
    await world.advance("PT1S");
    const [delivery] = world.ledger();
    expect(delivery).toMatchObject({ status: "delivered", request: { body: null } });
    expect(() => world.turn((turn) => redeliver(turn, delivery?.id ?? ""))).toThrow(
      "too long to be retained",
    );
  });
});

describe("a redelivery", () => {
  it("is a new delivery of the same payload", async () => {
    const world = await openWebhookWorld();
    world.end();
    await world.advance("PT1M");
    const [first] = world.ledger();
    world.turn((turn) => redeliver(turn, first?.id ?? ""));
    await world.advance("PT1S");
    expect(world.sent.map(({ payload }) => payload)).toEqual([
      world.sent[0]?.payload,
      world.sent[0]?.payload,
    ]);
    expect(world.ledger()[1]).toMatchObject({ status: "delivered", redelivery_of: first?.id });
  });

  it("is refused while the first is under way, for unknown ones, and while webhooks are off", async () => {
    const world = await openWebhookWorld({}, () => new Promise<never>(() => undefined));
    world.end();
    expect(() => world.turn((turn) => redeliver(turn, world.ledger()[0]?.id ?? ""))).toThrow(
      "still under way",
    );
    expect(() => world.turn((turn) => redeliver(turn, RUN.run_id))).toThrow("No delivery has the id");
    const off = await openWebhookWorld({ http: { disable_webhooks: true } });
    off.end();
    expect(() => off.turn((turn) => redeliver(turn, off.ledger()[0]?.id ?? ""))).toThrow("switched off");
  });
});

describe("after a restart", () => {
  it("a post that was interrupted is sent again, and a planned retry takes place", async () => {
    const hanging = await openWebhookWorld({}, ({ url }) =>
      url.includes("hang") ? new Promise<never>(() => undefined) : { status: 500, reply: "" },
    );
    hanging.end({ webhook: "http://hang.example/" });
    hanging.end({ webhook: "http://a.example/" });
    await hanging.settle();
    const state = JSON.parse(JSON.stringify(hanging.world.state()));
    const again = await openWebhookWorld({}, undefined, state);
    again.world.recover();
    await again.advance("PT10S");
    expect(again.sent.map(({ url, attempt }) => `${url} ${attempt}`).sort()).toEqual([
      "http://a.example/ 2",
      "http://hang.example/ 2",
    ]);
    expect(again.ledger().map(({ status }) => status)).toEqual(["delivered", "delivered"]);
  });
});
