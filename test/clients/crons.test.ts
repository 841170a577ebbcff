import type { Client as Client1 } from "langgraph-sdk-1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Emulator } from "../../emulator/runtime/index.ts";
import { type Receiver, startReceiver } from "../subjects/webhooks/receivers.ts";
import { type Rig, startRig } from "../support/emulator.ts";
import { AGENT_CLIENTS, startOver } from "./transports.ts";

describe.each(AGENT_CLIENTS)("crons with client %s %s", (_, transport, Client) => {
  let rig: Rig;
  let emulator: Emulator;
  let receiver: Receiver;
  let client: Client1;

  beforeAll(async () => {
    rig = await startOver(transport, { agent: { traces: false } });
    emulator = rig.emulator;
    receiver = await startReceiver();
    client = new Client({ apiUrl: emulator.url, apiKey: "emulator-key" }) as Client1;
  });
  afterAll(async () => {
    await rig.close();
    await receiver.close();
  });

  it("are created, found, changed and deleted", async () => {
    const { thread_id } = await client.threads.create();
    const payload = { schedule: "*/5 * * * *", input: {}, webhook: `${receiver.url}/cb?token=s3cret` };
    const cron = await client.crons.createForThread(thread_id, "echo", payload);
    expect(cron).toMatchObject({
      thread_id,
      schedule: "*/5 * * * *",
      next_run_date: "2026-03-01T00:05:00.000000Z",
    });
    const results = await client.crons.search({ threadId: thread_id });
    expect(results).toMatchObject([{ cron_id: (cron as { cron_id?: string }).cron_id, enabled: true }]);
    const id = results[0]?.cron_id ?? "";
    expect(await client.crons.update(id, { schedule: "0 * * * *" })).toMatchObject({
      schedule: "0 * * * *",
    });
    await client.crons.delete(id);
    expect(await client.crons.search({ threadId: thread_id })).toEqual([]);
    await expect(client.crons.delete(id)).rejects.toMatchObject({ status: 404 });
  });

  it("start runs by the virtual clock, and their webhooks arrive", async () => {
    const { thread_id } = await client.threads.create();
    await client.crons.createForThread(thread_id, "echo", {
      schedule: "*/5 * * * *",
      input: {},
      webhook: receiver.url,
    });
    await client.crons.create("echo", {
      schedule: "0 * * * *",
      input: {},
      webhook: `${receiver.url}/hourly`,
    });
    await emulator.clock.advance("PT1H1S");
    const runs = await client.runs.list(thread_id, { limit: 100 });
    expect(runs).toHaveLength(12);
    expect(runs.every(({ status }) => status === "success")).toBe(true);
    expect(receiver.received.filter(({ url }) => url === "/")).toHaveLength(12);
    expect(receiver.received.filter(({ url }) => url === "/hourly")).toHaveLength(1);
  });

  it("name their mistake", async () => {
    const bad = { schedule: "61 * * * *", input: {} };
    await expect(client.crons.create("echo", bad)).rejects.toMatchObject({
      status: 422,
      text: expect.stringContaining("schedule"),
    });
    await expect(client.crons.create("nobody", { schedule: "0 0 * * *" })).rejects.toMatchObject({
      status: 404,
    });
  });
});

describe("crons over plain HTTP", () => {
  let rig: Rig;
  const threads: string[] = [];

  beforeAll(async () => {
    rig = await startRig({ agent: { traces: false } });
    threads.push((await call("POST", "/threads", {})).body.thread_id ?? "");
  });
  afterAll(() => rig.close());

  const call = (method: string, path: string, body?: unknown) =>
    rig.call<Record<string, string>>(method, path, body);

  const plan = { assistant_id: "echo", schedule: "0 * * * *" };

  it.each(["thread", "threads"])("are created at /%s, read, counted and deleted", async (spelling) => {
    const reply = await call("POST", `/${spelling}/${threads[0]}/runs/crons`, plan);
    expect(reply).toMatchObject({ status: 200, body: { thread_id: threads[0] } });
    const id = reply.body.cron_id;
    expect(await call("GET", `/runs/crons/${id}`)).toMatchObject({ status: 200, body: reply.body });
    expect(await call("POST", "/runs/crons/count", { thread_id: threads[0] })).toMatchObject({ body: 1 });
    expect(await call("DELETE", `/runs/crons/${id}`)).toMatchObject({ status: 204, body: undefined });
    expect((await call("GET", `/runs/crons/${id}`)).status).toBe(404);
  });

  it("reads an end_time without a zone in UTC", async () => {
    const reply = await call("POST", "/runs/crons", { ...plan, end_time: "2100-01-01T00:00:00" });
    expect(reply).toMatchObject({ status: 200, body: { end_time: "2100-01-01T00:00:00.000000Z" } });
    await call("DELETE", `/runs/crons/${reply.body.cron_id}`);
  });

  it.each([
    [{ ...plan, timezone: "Mars/Base" }, 422, "timezone: Invalid timezone: 'Mars/Base'. Use IANA"],
    [
      { ...plan, schedule: "61 * * * *" },
      422,
      "schedule: Invalid schedule: '61 * * * *'. Invalid value for minute",
    ],
    [{ ...plan, schedule: 5 }, 422, "body.schedule"],
    [{ assistant_id: "echo" }, 422, "body.schedule"],
    [{ schedule: "0 * * * *" }, 422, "body.assistant_id"],
    [{ ...plan, end_time: "soon" }, 422, "body.end_time: must be an ISO 8601 time"],
    [
      { ...plan, end_time: "2027-02-30T00:00:00" },
      422,
      "body.end_time: 2027-02-30T00:00:00 must be a day that exists",
    ],
    [{ ...plan, webhook: "//evil.example/x" }, 422, "Webhook must be"],
    [{ ...plan, on_run_completed: "burn" }, 422, "body.on_run_completed"],
    [{ ...plan, assistant_id: "nobody" }, 404, "assistant_id"],
  ])("refuses %j with %d, and names the mistake", async (body, status, said) => {
    const refusal = await call("POST", "/runs/crons", body);
    expect(refusal).toMatchObject({ status, body: expect.stringContaining(said) });
  });

  it("refuse unknown and malformed ids", async () => {
    const unknown = "00000000-0000-4000-8000-0000000000ee";
    expect((await call("POST", `/thread/${unknown}/runs/crons`, plan)).status).toBe(404);
    expect((await call("POST", "/thread/seven/runs/crons", plan)).status).toBe(422);
    expect((await call("PATCH", `/runs/crons/${unknown}`, { enabled: false })).status).toBe(404);
    expect((await call("DELETE", "/runs/crons/seven")).status).toBe(422);
  });

  it("refuse a change of nothing", async () => {
    const { body } = await call("POST", "/runs/crons", plan);
    expect(await call("PATCH", `/runs/crons/${body.cron_id}`, {})).toMatchObject({ status: 400 });
  });
});
