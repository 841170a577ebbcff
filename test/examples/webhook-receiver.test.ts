import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createWebhookReceiver, type FinishedRun } from "../../fixtures/examples/webhook-receiver.ts";
import { startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const TOKEN = "only-we-know";

const rig = useRig("test", () => startRig());
let receiver: Server;
let url: string;
let handled: FinishedRun[];
let failures: number;

beforeEach(async () => {
  handled = [];
  failures = 0;
  receiver = createWebhookReceiver({
    token: TOKEN,
    async handle(run) {
      if (failures > 0) {
        failures -= 1;
        throw new Error("the database is away");
      }
      handled.push(run);
    },
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/run-complete`;
});

afterEach(async () => {
  await new Promise((resolve) => receiver.close(resolve));
});

async function runToTheEnd(webhook: string): Promise<string> {
  const { body } = await rig.call<{ run_id: string }>("POST", "/runs", { assistant_id: "agent", webhook });
  await rig.emulator.clock.advance("PT1H");
  return body.run_id;
}

interface Delivery {
  readonly status: string;
  readonly attempts: readonly { readonly status: number }[];
}

const ledger = () => rig.emulator.control<readonly Delivery[]>("GET", "/webhooks/deliveries");

describe("the receiver", () => {
  it("handles a run once that is delivered three times", async () => {
    await rig.emulator.faults.arm({ target: "webhook", match: { nth: 1 }, then: { duplicate: 2 } });
    const run_id = await runToTheEnd(`${url}?token=${TOKEN}`);
    const [delivery] = await ledger();
    expect(delivery?.attempts.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(handled).toMatchObject([{ run_id, status: "success" }]);
  });

  it("gets a run again that it could not handle", async () => {
    failures = 1;
    const run_id = await runToTheEnd(`${url}?token=${TOKEN}`);
    const [delivery] = await ledger();
    expect(delivery?.attempts.map(({ status }) => status)).toEqual([500, 204]);
    expect(handled).toMatchObject([{ run_id }]);
  });

  it("refuses a request without its token, and a body that is not a run", async () => {
    await runToTheEnd(`${url}?token=guess`);
    expect((await ledger())[0]?.status).toBe("failed");
    const post = async (body: string) =>
      (await fetch(`${url}?token=${TOKEN}`, { method: "POST", body })).status;
    expect([await post("no json"), await post("{}"), await post("[]")]).toEqual([400, 400, 400]);
    expect((await fetch(url)).status).toBe(405);
    expect((await fetch(url.replace("run-complete", ""))).status).toBe(404);
    expect(handled).toEqual([]);
  });
});
