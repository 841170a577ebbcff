import { Client as Client1 } from "langgraph-sdk-1";
import { Client as Client2 } from "langgraph-sdk-2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../emulator/index.ts";
import { type Receiver, startReceiver } from "../adapters/webhooks/receivers.ts";

/** The unmodified clients of both lines, over a real port. */
describe.each([
  ["1.15.0", Client1],
  ["2.0.0", Client2],
] as const)("crons with client %s", (_, Client) => {
  let emulator: Emulator;
  let receiver: Receiver;
  let client: Client1;

  beforeAll(async () => {
    emulator = await startEmulator({ clock: "frozen", now: "2026-03-01T00:00:00Z" });
    receiver = await startReceiver();
    client = new Client({ apiUrl: emulator.url, apiKey: "emulator-key" }) as Client1;
  });
  afterAll(async () => {
    await emulator.close();
    await receiver.close();
  });

  it("are created, found, changed and deleted", async () => {
    const { thread_id } = await client.threads.create();
    const payload = { schedule: "*/5 * * * *", input: {}, webhook: `${receiver.url}/cb?token=s3cret` };
    const cron = await client.crons.createForThread(thread_id, "echo", payload);
    expect(cron).toMatchObject({ thread_id, schedule: "*/5 * * * *", next_run_date: "2026-03-01T00:05:00.000000Z" });
    const found = await client.crons.search({ threadId: thread_id });
    expect(found).toMatchObject([{ cron_id: (cron as { cron_id?: string }).cron_id, enabled: true }]);
    const id = found[0]?.cron_id ?? "";
    expect(await client.crons.update(id, { schedule: "0 * * * *" })).toMatchObject({ schedule: "0 * * * *" });
    await client.crons.delete(id);
    expect(await client.crons.search({ threadId: thread_id })).toEqual([]);
    await expect(client.crons.delete(id)).rejects.toMatchObject({ status: 404 });
  });

  it("start runs by the virtual clock, and their webhooks arrive", async () => {
    const { thread_id } = await client.threads.create();
    await client.crons.createForThread(thread_id, "echo", { schedule: "*/5 * * * *", input: {}, webhook: receiver.url });
    await client.crons.create("echo", { schedule: "0 * * * *", input: {}, webhook: `${receiver.url}/hourly` });
    await emulator.clock.advance("PT1H1S");
    const runs = await client.runs.list(thread_id, { limit: 100 });
    expect(runs).toHaveLength(12);
    expect(runs.every(({ status }) => status === "success")).toBe(true);
    expect(receiver.received.filter(({ url }) => url === "/")).toHaveLength(12);
    expect(receiver.received.filter(({ url }) => url === "/hourly")).toHaveLength(1);
  });

  it("say what is wrong with them", async () => {
    const bad = { schedule: "61 * * * *", input: {} };
    await expect(client.crons.create("echo", bad)).rejects.toMatchObject({ status: 422, text: expect.stringContaining("schedule") });
    const zone = { schedule: "0 0 * * *", timezone: "Mars/Base", input: {} };
    await expect(client.crons.create("echo", zone)).rejects.toMatchObject({ status: 422, text: expect.stringContaining("America/New_York") });
    await expect(client.crons.create("nobody", { schedule: "0 0 * * *" })).rejects.toMatchObject({ status: 404 });
  });
});
