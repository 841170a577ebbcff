import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { emulatorHandlers } from "../../emulator/entries/msw.ts";
import { type Emulator, startEmulator } from "../../emulator/runtime/index.ts";

const US = "https://api.traces.test";
const EU = "https://eu.traces.test/platform";

const post = (url: string, body: unknown) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "k" },
    body: JSON.stringify(body),
  });

const WORLDS = ["the world main", "a forked world"] as const;

describe.each(WORLDS)("the handlers for msw, in %s", (worldName) => {
  let main: Emulator;
  let emulator: Emulator;
  const server = setupServer();

  beforeAll(async () => {
    main = await startEmulator({ clock: "frozen", now: "2026-01-01T00:00:00Z" });
    emulator = worldName === "a forked world" ? await main.fork() : main;
    server.listen({
      onUnhandledRequest() {
        throw new Error("passed over");
      },
    });
    server.use(...emulatorHandlers(emulator, { us: US, eu: EU }));
  });

  afterEach(() => emulator.reset());

  afterAll(async () => {
    server.close();
    if (emulator !== main) expect(await (await main.request("/threads/count", { json: {} })).json()).toBe(0);
    await main.close();
  });

  it("answer for an address without a server", async () => {
    const reply = await post(`${US}/threads`, {});
    expect(reply.status).toBe(200);
    const { thread_id } = (await reply.json()) as { thread_id: string };
    expect(await (await fetch(`${US}/threads/${thread_id}?a=b`)).json()).toMatchObject({ thread_id });
    const refusal = await fetch(`${US}/threads/${thread_id}/runs?status=running`);
    expect([refusal.status, typeof (await refusal.json())]).toEqual([422, "string"]);
  });

  it("keep the regions apart, below the path of each address", async () => {
    const run = {
      id: "00000000-0000-4000-8000-0000000000c1",
      trace_id: "00000000-0000-4000-8000-0000000000c1",
      dotted_order: "20260101T000000000000Z00000000-0000-4000-8000-0000000000c1",
      name: "n",
      run_type: "chain",
      start_time: "2026-01-01T00:00:00Z",
      inputs: {},
      session_name: "eu-only",
    };
    expect((await post(`${EU}/runs/batch`, { post: [run] })).status).toBe(202);
    const count = async (base: string) =>
      (
        (await (
          await fetch(`${base}/sessions?name=eu-only`, { headers: { "x-api-key": "k" } })
        ).json()) as unknown[]
      ).length;
    expect(await count(US)).toBe(0);
    expect(await count(EU)).toBe(1);
  });

  it("stream", async () => {
    const run = { assistant_id: "agent", input: { messages: [] }, stream_mode: ["values"] };
    const reply = await post(`${US}/runs/stream`, run);
    expect(reply.headers.get("content-type")).toMatch(/^text\/event-stream/);
    const pieces: string[] = [];
    const decoder = new TextDecoder();
    for await (const piece of reply.body as unknown as AsyncIterable<Uint8Array>)
      pieces.push(decoder.decode(piece));
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join("")).toMatch(/^event: metadata[\s\S]*event: values/);
  });

  it("return the location of a run below the path of the address", async () => {
    const start = (base: string) => post(`${base}/runs/stream`, { assistant_id: "echo", input: {} });
    const locationOf = async (base: string) => (await start(base)).headers.get("content-location");
    expect(await locationOf(US)).toMatch(/^\/(threads|runs)\//);
    expect(await locationOf(EU)).toMatch(/^\/platform\/(threads|runs)\//);
  });

  it("pass over other addresses, longer names of the same beginning too", async () => {
    expect((await fetch("https://api.traces.testing/ok")).statusText).toBe("Unhandled Exception");
    expect((await fetch("https://eu.traces.test/platforms/ok")).statusText).toBe("Unhandled Exception");
    expect((await fetch(`${EU}/ok`)).status).toBe(200);
  });

  it("trigger faults as on a port", async () => {
    await emulator.faults.arm({
      target: "http",
      match: { op: "createThread" },
      then: { status: 503, headers: { "retry-after": "1" } },
    });
    const make = () => post(`${US}/threads`, {});
    const refusal = await make();
    expect([refusal.status, refusal.headers.get("retry-after"), (await make()).status]).toEqual([
      503,
      "1",
      200,
    ]);
  });
});
