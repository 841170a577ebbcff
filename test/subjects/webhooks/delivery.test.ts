import { describe, expect, it } from "vitest";
import { openWebhookWorld } from "../../support/webhook-world.ts";

const NINE = [
  "run_id",
  "thread_id",
  "assistant_id",
  "created_at",
  "updated_at",
  "status",
  "metadata",
  "kwargs",
  "multitask_strategy",
];

describe("a run that has ended", () => {
  it("is posted as the nine fields of a Run (§2.1)", async () => {
    const world = await openWebhookWorld();
    world.end();
    expect(Object.keys(JSON.parse(world.sent[0]?.payload ?? "")).sort()).toEqual([...NINE].sort());
  });

  it("is posted with the observed fields as well in the profile observed", async () => {
    const world = await openWebhookWorld({ profile: "observed" });
    world.end();
    const payload = JSON.parse(world.sent[0]?.payload ?? "");
    expect(payload).toMatchObject({
      run_started_at: "2026-03-01T00:00:00.000000+00:00",
      run_ended_at: "2026-03-01T00:00:00.000000+00:00",
      webhook_sent_at: "2026-03-01T00:00:00.000000+00:00",
      values: { messages: [] },
    });
    expect(payload).not.toHaveProperty("error");
  });

  it("without a webhook is not posted", async () => {
    const world = await openWebhookWorld();
    world.end({ webhook: null });
    await world.advance("PT1M");
    expect([world.sent, world.ledger()]).toEqual([[], []]);
  });

  it("is not posted while http.disable_webhooks is set; the ledger has the reason", async () => {
    const world = await openWebhookWorld({ http: { disable_webhooks: true } });
    world.end();
    await world.advance("PT1M");
    expect(world.sent).toEqual([]);
    expect(world.ledger()).toMatchObject([{ status: "disabled", reason: "http.disable_webhooks is set." }]);
  });
});

describe("a delivery that fails", () => {
  it.each([
    { failure: "network", message: "ECONNREFUSED" } as const,
    { failure: "timeout", message: "late" } as const,
    { failure: "interrupted", message: "restarted" } as const,
    { status: 500, reply: "" },
    { status: 503, reply: "" },
    { status: 429, reply: "" },
  ])("with $failure$status is tried three times, after one second and two more", async (result) => {
    const world = await openWebhookWorld({}, () => result);
    world.end();
    await world.advance("PT1H");
    expect(world.sent.map(({ at, attempt }) => [attempt, at])).toEqual([
      [1, 0],
      [2, 1],
      [3, 3],
    ]);
    expect(world.ledger()).toMatchObject([
      { status: "failed", reason: expect.stringContaining("3 attempts failed") },
    ]);
  });

  it.each([
    { failure: "redirects", message: "too many" } as const,
    { status: 400, reply: "" },
    { status: 404, reply: "" },
    { status: 302, reply: "" },
  ])("with $failure$status is not tried again", async (result) => {
    const world = await openWebhookWorld({}, () => result);
    world.end();
    await world.advance("PT1H");
    expect(world.sent).toHaveLength(1);
    expect(world.ledger()).toMatchObject([{ status: "failed" }]);
  });

  it("because of the policy ends as refused, without a retry", async () => {
    const world = await openWebhookWorld({}, () => ({ failure: "policy", message: "Webhook host blocked" }));
    world.end();
    await world.advance("PT1H");
    expect(world.sent).toHaveLength(1);
    expect(world.ledger()).toMatchObject([{ status: "refused", reason: "Webhook host blocked" }]);
  });

  it("once and is accepted then is delivered, with the same payload", async () => {
    const world = await openWebhookWorld({}, ({ attempt }) => ({
      status: attempt === 1 ? 500 : 204,
      reply: "",
    }));
    world.end();
    await world.advance("PT1H");
    expect(world.sent.map(({ at }) => at)).toEqual([0, 1]);
    expect(world.sent[0]?.payload).toBe(world.sent[1]?.payload);
    expect(world.ledger()).toMatchObject([
      { status: "delivered", attempts: [{ status: 500 }, { status: 204 }] },
    ]);
  });

  it("follows limits.webhook_attempts and timings.webhook_retry_delay", async () => {
    const options = { limits: { webhook_attempts: 2 }, timings: { webhook_retry_delay: "PT1M" } };
    const world = await openWebhookWorld(options, () => ({ status: 500, reply: "" }));
    world.end();
    await world.advance("PT1H");
    expect(world.sent.map(({ at }) => at)).toEqual([0, 60]);
  });
});

describe("a dead receiver", () => {
  it("holds up no other webhook", async () => {
    let release = () => {};
    const dead = new Promise<void>((resolve) => {
      release = resolve;
    });
    const world = await openWebhookWorld({}, async ({ url }) => {
      if (url.includes("dead")) await dead;
      return { status: 200, reply: "" };
    });
    for (let n = 0; n < 30; n += 1) world.end({ webhook: `http://dead.example/${n}` });
    world.end({ webhook: "http://alive.example/" });
    await world.settle();
    expect(
      world
        .ledger()
        .filter(({ status }) => status === "delivered")
        .map(({ url }) => url),
    ).toEqual(["http://alive.example/"]);
    release();
    await world.advance("PT1S");
    expect(world.ledger().every(({ status }) => status === "delivered")).toBe(true);
  });
});
