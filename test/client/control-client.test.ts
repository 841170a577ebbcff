import { describe, expect, it } from "vitest";
import { createControlClient } from "../../emulator/client/control-client.ts";
import { requestJson } from "../../emulator/client/send.ts";
import { sendOverHttp } from "../../emulator/client/send-over-http.ts";
import { BEGIN, startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const rig = useRig("file", () => startRig());
const WAYS = {
  "over the network": () => sendOverHttp(rig.emulator.url),
  "in this process": () => rig.emulator.request,
} as const;

describe.each(Object.keys(WAYS) as (keyof typeof WAYS)[])("the client of the control API, %s", (way) => {
  const clientOf = () => createControlClient(WAYS[way]());

  it("reads, moves and empties the world", async () => {
    const client = clientOf();
    const { now } = await client.reset();
    expect(now).toBe(BEGIN.replace("Z", ".000000Z"));
    expect(await client.clock.advance("PT1H")).toMatchObject({ settled: true, fired: [] });
    expect(await client.clock.read()).toMatchObject({ mode: "frozen", now: "2026-03-01T01:00:00.000000Z" });
    await client.clock.flow(2);
    await client.clock.freeze();
    expect(await client.status()).toMatchObject({ world: "main", clock: { mode: "frozen" } });
    expect(await client.config()).toHaveProperty("settings");
    expect((await client.journal()).length).toBeGreaterThan(1);
    expect((await client.recording())[0]).toHaveProperty("complete");
    await client.reset({ empty: true });
  });

  it("works with worlds, snapshots, buckets and traces", async () => {
    const client = clientOf();
    await client.reset();
    await client.worlds.create({ id: "side", from: "main" });
    expect((await client.worlds.list()).map(({ id }) => id)).toEqual(["main", "side"]);
    expect(await client.worlds.remove("side")).toMatchObject({ id: "side" });
    await client.snapshots.save("kept");
    expect(await client.snapshots.load("kept")).toMatchObject({ name: "kept", of: "main" });
    expect((await client.snapshots.list()).map(({ name }) => name)).toEqual(["kept"]);
    expect(await client.snapshots.remove("kept")).toEqual({ removed: "kept" });
    expect(await client.objectStorage.createBucket("more")).toMatchObject({ name: "more" });
    const key = { access_key_id: "mine", secret_access_key: "secret" };
    expect(await client.objectStorage.createCredential(key)).toMatchObject({ access_key_id: "mine" });
    expect(await client.generateTraces({ count: 3, project: "shop" })).toHaveProperty("session_id");
  });

  it("works with faults, limits, webhooks and scripts of the agent server", async () => {
    const client = clientOf();
    await client.reset();
    const { id } = await client.faults.arm({ preset: "worker_crash" });
    expect((await client.faults.list()).map((fault) => fault.id)).toEqual([id]);
    await client.faults.clear(id);
    await client.faults.clear();
    expect(await client.rateLimits.list()).not.toEqual([]);
    const request = { method: "GET", path: "/api/v1/bulk-exports", "x-api-key": "emulator-key" };
    expect(await client.rateLimits.explain(request)).toBeTypeOf("object");
    await client.rateLimits.reset();
    expect(await client.webhooks.deliveries()).toEqual([]);
    expect(await client.webhooks.check("http://localhost/hook")).toBeTypeOf("object");
  });

  it("reports a refusal with its status, code, message and hint", async () => {
    const client = clientOf();
    const id = "11111111-1111-4111-8111-111111111111";
    await expect(client.exports.verify(id)).rejects.toMatchObject({ name: "ErrorReply", status: 404 });
    await expect(client.exports.explain(id, id)).rejects.toMatchObject({ status: 404 });
    await expect(client.rateLimits.change("none", { remaining: 0 })).rejects.toMatchObject({ status: 404 });
    await expect(client.webhooks.redeliver(id)).rejects.toMatchObject({ status: 404 });
    await expect(client.worlds.remove("none")).rejects.toMatchObject({
      description: expect.stringContaining("DELETE /_emulator/v1/worlds/none: 404 "),
      status: 404,
      code: "unknown_world",
      message: expect.stringContaining("none"),
      hint: expect.stringContaining("/_emulator/v1/worlds"),
    });
  });
});

it("reports the requirement behind a refusal of the API from its header", async () => {
  const request = { method: "POST", path: "/api/v1/bulk-exports", body: {}, headers: { "x-api-key": "any" } };
  for (const send of [sendOverHttp(rig.emulator.url), rig.emulator.request]) {
    const error = await requestJson(send, request).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      name: "ErrorReply",
      status: 422,
      requirement: expect.stringMatching(/^(4\.3|5)-1$/),
    });
  }
});

it("reports an address at which nothing answers", async () => {
  const client = createControlClient(sendOverHttp("http://127.0.0.1:9"));
  await expect(client.status()).rejects.toMatchObject({
    name: "NoReply",
    message:
      "No emulator answers at http://127.0.0.1:9. Start one with `emulator start`, or correct the address.",
  });
});
