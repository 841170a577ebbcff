import { describe, expect, it } from "vitest";
import { redeliver } from "../../../emulator/domain/webhooks/redeliver.ts";
import { openDeliveryWorld, RUN } from "./delivery-world.ts";

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
  it.each(["success", "error", "timeout", "interrupted"] as const)("with %s is told once", async (status) => {
    const world = await openDeliveryWorld();
    world.end({ status });
    await world.advance(3600);
    expect(world.sent).toHaveLength(1);
    expect(JSON.parse(world.sent[0]?.payload ?? "")).toMatchObject({
      run_id: RUN.run_id,
      status,
      kwargs: { input: { question: "why" } },
    });
    expect(world.ledger()).toMatchObject([
      { status: "delivered", run_status: status, attempts: [{ status: 200, reply: "ok" }] },
    ]);
  });

  it("is told as the nine fields of a Run", async () => {
    const world = await openDeliveryWorld();
    world.end();
    expect(Object.keys(JSON.parse(world.sent[0]?.payload ?? "")).sort()).toEqual([...NINE].sort());
  });

  it("is told with the observed fields beside them in that profile", async () => {
    const world = await openDeliveryWorld({ profile: "observed" });
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

  it("without a webhook is told to nobody", async () => {
    const world = await openDeliveryWorld();
    world.end({ webhook: null });
    await world.advance(60);
    expect([world.sent, world.ledger()]).toEqual([[], []]);
  });

  it("is told to nobody while webhooks are off, and the ledger says why", async () => {
    const world = await openDeliveryWorld({ http: { disable_webhooks: true } });
    world.end();
    await world.advance(60);
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
  ])("with $failure$status is tried three times, after one second and two more", async (posted) => {
    const world = await openDeliveryWorld({}, () => posted);
    world.end();
    await world.advance(3600);
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
  ])("with $failure$status is not tried again", async (posted) => {
    const world = await openDeliveryWorld({}, () => posted);
    world.end();
    await world.advance(3600);
    expect(world.sent).toHaveLength(1);
    expect(world.ledger()).toMatchObject([{ status: "failed" }]);
  });

  it("because of the policy is refused", async () => {
    const world = await openDeliveryWorld({}, () => ({ failure: "policy", message: "Webhook host blocked" }));
    world.end();
    await world.advance(3600);
    expect(world.sent).toHaveLength(1);
    expect(world.ledger()).toMatchObject([{ status: "refused", reason: "Webhook host blocked" }]);
  });

  it("at first and is accepted then is delivered, with the same payload", async () => {
    const world = await openDeliveryWorld({}, ({ attempt }) => ({
      status: attempt === 1 ? 500 : 204,
      reply: "",
    }));
    world.end();
    await world.advance(3600);
    expect(world.sent.map(({ at }) => at)).toEqual([0, 1]);
    expect(world.sent[0]?.payload).toBe(world.sent[1]?.payload);
    expect(world.ledger()).toMatchObject([
      { status: "delivered", attempts: [{ status: 500 }, { status: 204 }] },
    ]);
  });

  it("is tried as often and as fast as the settings say", async () => {
    const options = { limits: { webhook_attempts: 2 }, timings: { webhook_retry_delay: "PT1M" } };
    const world = await openDeliveryWorld(options, () => ({ status: 500, reply: "" }));
    world.end();
    await world.advance(3600);
    expect(world.sent.map(({ at }) => at)).toEqual([0, 60]);
  });
});

describe("a dead receiver", () => {
  it("holds up no other webhook", async () => {
    let release = () => {};
    const dead = new Promise<void>((resolve) => {
      release = resolve;
    });
    const world = await openDeliveryWorld({}, async ({ url }) => {
      if (url.includes("dead")) await dead;
      return { status: 200, reply: "" };
    });
    for (let n = 0; n < 30; n += 1) world.end({ webhook: `http://dead.example/${n}` });
    world.end({ webhook: "http://alive.example/" });
    await Promise.resolve();
    await Promise.resolve();
    await Promise.resolve();
    expect(
      world
        .ledger()
        .filter(({ status }) => status === "delivered")
        .map(({ url }) => url),
    ).toEqual(["http://alive.example/"]);
    release();
    await world.advance(1);
    expect(world.ledger().every(({ status }) => status === "delivered")).toBe(true);
  });
});

describe("faults of the webhook plane", () => {
  it("drop: it is never sent", async () => {
    const world = await openDeliveryWorld();
    world.arm({ then: { drop: true } });
    world.end();
    await world.advance(3600);
    expect(world.sent).toEqual([]);
    expect(world.ledger()).toMatchObject([{ status: "dropped" }]);
  });

  it("duplicate: it is sent again, and ends once", async () => {
    const world = await openDeliveryWorld();
    world.arm({ then: { duplicate: 2 } });
    world.end();
    await world.advance(3600);
    expect(world.sent.map(({ copy }) => copy)).toEqual([0, 1, 2]);
    expect(world.ledger()).toMatchObject([
      { status: "delivered", attempts: [{ copy: 0 }, { copy: 1 }, { copy: 2 }] },
    ]);
  });

  it("delay and duplicate: later, twice", async () => {
    const world = await openDeliveryWorld();
    world.arm({ then: { delay: "PT5M", duplicate: 1 } });
    world.end();
    await world.advance(299);
    expect(world.sent).toEqual([]);
    await world.advance(1);
    expect(world.sent.map(({ at, copy }) => [at, copy])).toEqual([
      [300, 0],
      [300, 1],
    ]);
  });

  it("refuse: the first attempt fails, the second arrives", async () => {
    const world = await openDeliveryWorld();
    world.arm({ then: { refuse: true } });
    world.end();
    await world.advance(3600);
    expect(world.sent.map(({ at, attempt }) => [attempt, at])).toEqual([[2, 1]]);
    expect(world.ledger()).toMatchObject([
      {
        status: "delivered",
        attempts: [
          { failure: "network", faked: true },
          { status: 200, faked: false },
        ],
      },
    ]);
  });

  it("status, as often as it is armed", async () => {
    const world = await openDeliveryWorld();
    world.arm({ then: { status: 503 }, times: 2 });
    world.end();
    await world.advance(3600);
    expect(world.sent.map(({ at }) => at)).toEqual([3]);
    expect(world.ledger()).toMatchObject([{ attempts: [{ status: 503 }, { status: 503 }, { status: 200 }] }]);
  });

  it("strike the run that they name", async () => {
    const world = await openDeliveryWorld();
    const other = "00000000-0000-4000-8000-0000000000ff";
    world.arm({ match: { run_id: other }, then: { drop: true } });
    world.end();
    world.end({ run_id: other });
    await world.advance(1);
    expect(world.sent.map(({ url }) => url)).toHaveLength(1);
    expect(world.ledger().map(({ status }) => status)).toEqual(["delivered", "dropped"]);
  });
});

describe("the ledger", () => {
  it("shows no token and no value of a header; the receiver gets them", async () => {
    const world = await openDeliveryWorld({ webhooks: { headers: { "X-Key": "k3y-value" } } });
    world.end();
    await world.advance(1);
    const shown = JSON.stringify([world.ledger(), world.world.journal.since(0)]);
    expect(shown).not.toMatch(/s3cret|k3y-value/);
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

  it("keeps the newest and all that are under way", async () => {
    const hangs = new Promise<never>(() => undefined);
    const world = await openDeliveryWorld({ limits: { webhook_ledger: 3 } }, ({ url }) =>
      url.includes("hang") ? hangs : { status: 200, reply: "" },
    );
    world.end({ webhook: "http://hang.example/" });
    for (let n = 0; n < 6; n += 1) world.end({ webhook: `http://a.example/${n}` });
    await Promise.resolve();
    await Promise.resolve();
    await Promise.resolve();
    expect(world.ledger().map(({ url }) => url)).toEqual([
      "http://hang.example/",
      "http://a.example/3",
      "http://a.example/4",
      "http://a.example/5",
    ]);
  });

  it("has a bound for those under way too", async () => {
    const hangs = new Promise<never>(() => undefined);
    const world = await openDeliveryWorld({ limits: { webhook_pending: 2 } }, () => hangs);
    for (let n = 0; n < 3; n += 1) world.end();
    expect(world.ledger().map(({ status }) => status)).toEqual(["pending", "pending", "failed"]);
    expect(world.sent).toHaveLength(2);
  });

  it("lets a long payload go when it is delivered, and so cannot send it again", async () => {
    const world = await openDeliveryWorld();
    world.end({ kwargs: { input: "x".repeat(70_000) } });
    await world.advance(1);
    const [delivery] = world.ledger();
    expect(delivery).toMatchObject({ status: "delivered", request: { body: null } });
    expect(() => world.turn((turn) => redeliver(turn, delivery?.id ?? ""))).toThrow("too long to be kept");
  });
});

describe("a redelivery", () => {
  it("is a delivery of its own of the same payload", async () => {
    const world = await openDeliveryWorld();
    world.end();
    await world.advance(60);
    const [first] = world.ledger();
    world.turn((turn) => redeliver(turn, first?.id ?? ""));
    await world.advance(1);
    expect(world.sent.map(({ payload }) => payload)).toEqual([
      world.sent[0]?.payload,
      world.sent[0]?.payload,
    ]);
    expect(world.ledger()[1]).toMatchObject({ status: "delivered", redelivery_of: first?.id });
  });

  it("is refused while the first is under way, for unknown ones, and while webhooks are off", async () => {
    const world = await openDeliveryWorld({}, () => new Promise<never>(() => undefined));
    world.end();
    expect(() => world.turn((turn) => redeliver(turn, world.ledger()[0]?.id ?? ""))).toThrow(
      "still under way",
    );
    expect(() => world.turn((turn) => redeliver(turn, RUN.run_id))).toThrow("no delivery");
    const off = await openDeliveryWorld({ http: { disable_webhooks: true } });
    off.end();
    expect(() => off.turn((turn) => redeliver(turn, off.ledger()[0]?.id ?? ""))).toThrow("switched off");
  });
});

describe("after a restart", () => {
  it("what was being sent is sent again, and a retry that was planned happens", async () => {
    const hanging = await openDeliveryWorld({}, ({ url }) =>
      url.includes("hang") ? new Promise<never>(() => undefined) : { status: 500, reply: "" },
    );
    hanging.end({ webhook: "http://hang.example/" });
    hanging.end({ webhook: "http://a.example/" });
    await Promise.resolve();
    await Promise.resolve();
    await Promise.resolve();
    const state = JSON.parse(JSON.stringify(hanging.world.state()));
    const again = await openDeliveryWorld({}, undefined, state);
    again.world.recover();
    await again.advance(10);
    expect(again.sent.map(({ url, attempt }) => `${url} ${attempt}`).sort()).toEqual([
      "http://a.example/ 2",
      "http://hang.example/ 2",
    ]);
    expect(again.ledger().map(({ status }) => status)).toEqual(["delivered", "delivered"]);
  });
});
