import type { Client as Client1 } from "langgraph-sdk-1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Rig } from "../support/emulator.ts";
import { AGENT_CLIENTS, startOver } from "./transports.ts";

describe.each(AGENT_CLIENTS)("threads with client %s %s", (line, transport, Client) => {
  let rig: Rig;
  let client: Client1;

  beforeAll(async () => {
    rig = await startOver(transport);
    const options = { apiUrl: rig.emulator.url, apiKey: "emulator-key", callerOptions: { maxRetries: 0 } };
    client = new Client(options) as Client1;
  });
  afterAll(() => rig.close());

  it("joins the stream of a thread, which shows every run, and leaves it", async () => {
    const { thread_id } = await client.threads.create();
    const { run_id } = await client.runs.create(thread_id, "slow", { input: {} });
    const events: [string | undefined, string, unknown][] = [];
    const [abort, lastAbort] = [new AbortController(), new AbortController()];
    for await (const { id, event, data } of client.threads.joinStream(thread_id, { signal: abort.signal })) {
      events.push([id, event, data]);
      const isDone = event === "metadata" && "status" in data;
      if (isDone && data.run_id !== run_id) break;
      if (isDone) await client.runs.create(thread_id, "echo", { input: { last: true } });
    }
    expect(events.map(([, event]) => event)).toEqual([
      ...[...Array(10).fill("values"), "metadata"],
      ...["metadata", "values", "values", "metadata"],
    ]);
    abort.abort();
    const again: unknown[] = [];
    const lastEventId = events.at(-3)?.[0] ?? "";
    for await (const { id } of client.threads.joinStream(thread_id, {
      lastEventId,
      streamMode: "run_modes",
      signal: lastAbort.signal,
    })) {
      again.push(id);
      if (again.length === 2) break;
    }
    expect(again).toEqual(events.slice(-2).map(([id]) => id));
    lastAbort.abort();
    await expect.poll(() => rig.emulator.control("GET", "/status")).toMatchObject({ open_streams: 0 });
  });

  it("merges metadata into a thread by its state", async () => {
    const { thread_id } = await client.threads.create({ metadata: { a: 1 } });
    await client.threads.patchState(thread_id, { b: 2 });
    await client.threads.patchState({ configurable: { thread_id } }, { a: 3 });
    expect(await client.threads.get(thread_id)).toMatchObject({ metadata: { a: 3, b: 2 } });
  });

  it.runIf(line === "1.15.0")("prunes threads", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 2; n += 1) {
      const { thread_id } = await client.threads.create();
      await client.runs.wait(thread_id, "echo", { input: { n } });
      ids.push(thread_id);
    }
    const [survivor = "", removed = ""] = ids;
    const keeps = await client.threads.prune([survivor, survivor.toUpperCase()], { strategy: "keep_latest" });
    expect(keeps).toEqual({ pruned_count: 1 });
    expect(await client.threads.getHistory(survivor)).toMatchObject([{ values: { n: 0 } }]);
    expect(await client.threads.prune([removed, removed.replace(/.{4}$/, "0000")])).toEqual({
      pruned_count: 1,
    });
    await expect(client.threads.get(removed)).rejects.toMatchObject({ status: 404 });
    expect(await client.threads.get(survivor)).toMatchObject({ values: { n: 0 } });
  });
});
