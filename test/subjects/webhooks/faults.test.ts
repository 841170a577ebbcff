import { describe, expect, it } from "vitest";
import { openWebhookWorld } from "../../support/webhook-world.ts";

describe("faults of the webhook target", () => {
  it("drop: the webhook is never sent", async () => {
    const world = await openWebhookWorld();
    world.armWebhook({ then: { drop: true } });
    world.end();
    await world.advance("PT1H");
    expect(world.sent).toEqual([]);
    expect(world.ledger()).toMatchObject([{ status: "dropped" }]);
  });

  it("duplicate: the webhook is sent again, and the delivery ends once", async () => {
    const world = await openWebhookWorld();
    world.armWebhook({ then: { duplicate: 2 } });
    world.end();
    await world.advance("PT1H");
    expect(world.sent.map(({ copy }) => copy)).toEqual([0, 1, 2]);
    expect(world.ledger()).toMatchObject([
      { status: "delivered", attempts: [{ copy: 0 }, { copy: 1 }, { copy: 2 }] },
    ]);
  });

  it("duplicate: an accepted copy does not count for a first post that fails", async () => {
    let release = () => {};
    const late = new Promise<void>((resolve) => {
      release = resolve;
    });
    const world = await openWebhookWorld({}, async ({ copy, attempt }) => {
      if (copy > 0 || attempt > 1) return { status: 200, reply: "" };
      await late;
      return { status: 500, reply: "" };
    });
    world.armWebhook({ then: { duplicate: 1 } });
    world.end();
    await expect.poll(() => world.ledger()[0]?.attempts.length).toBe(1);
    expect(world.ledger()).toMatchObject([{ status: "pending", attempts: [{ copy: 1, status: 200 }] }]);
    release();
    await world.advance("PT10S");
    expect(world.ledger()).toMatchObject([
      { status: "delivered", attempts: [{}, { status: 500 }, { number: 2 }] },
    ]);
  });

  it("delay and duplicate: the webhook is sent later, twice", async () => {
    const world = await openWebhookWorld();
    world.armWebhook({ then: { delay: "PT5M", duplicate: 1 } });
    world.end();
    await world.advance("PT4M59S");
    expect(world.sent).toEqual([]);
    await world.advance("PT1S");
    expect(world.sent.map(({ at, copy }) => [at, copy])).toEqual([
      [300, 0],
      [300, 1],
    ]);
  });

  it("refuse: the first attempt fails as a network error, the second arrives", async () => {
    const world = await openWebhookWorld();
    world.armWebhook({ then: { refuse: true } });
    world.end();
    await world.advance("PT1H");
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

  it("status: attempts fail with it up to `times` times", async () => {
    const world = await openWebhookWorld();
    world.armWebhook({ then: { status: 503 }, times: 2 });
    world.end();
    await world.advance("PT1H");
    expect(world.sent.map(({ at }) => at)).toEqual([3]);
    expect(world.ledger()).toMatchObject([{ attempts: [{ status: 503 }, { status: 503 }, { status: 200 }] }]);
  });

  it("hit only the run that match.run_id names", async () => {
    const world = await openWebhookWorld();
    const other = "00000000-0000-4000-8000-0000000000ff";
    world.armWebhook({ match: { run_id: other }, then: { drop: true } });
    world.end();
    world.end({ run_id: other });
    await world.advance("PT1S");
    expect(world.sent.map(({ url }) => url)).toHaveLength(1);
    expect(world.ledger().map(({ status }) => status)).toEqual(["delivered", "dropped"]);
  });
});
