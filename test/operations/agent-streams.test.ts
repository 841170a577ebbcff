import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Rig, startRig } from "../support/emulator.ts";

/** Requests that stay open: who moves time for them, and what is left of them. */
let rig: Rig;
let thread: string;

beforeEach(async () => {
  rig = await startRig();
  thread = (await rig.call<{ thread_id: string }>("POST", "/threads", {})).body.thread_id;
});
afterEach(() => rig.close());

interface Status {
  readonly open_streams: number;
  readonly journal_followers: number;
}

const AT_ONCE = { interval: 1 };

const status = () => rig.emulator.control<Status>("GET", "/status");
const runs = async () =>
  (await rig.call<{ run_id: string; status: string }[]>("GET", `/threads/${thread}/runs`)).body;

async function open(path: string, body: Record<string, unknown>) {
  const controller = new AbortController();
  const reply = await fetch(`${rig.emulator.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: controller.signal,
  });
  const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
  return { controller, reply, reader };
}

const halts = () => rig.emulator.control("POST", "/agent/scripts", { then: { never_starts: true } });

describe("a client that disconnects", () => {
  it.each(["stream", "wait"])(
    "in the middle of a %s leaves no listener, and the run continues",
    async (kind) => {
      const before = await status();
      await halts();
      const { controller } = await open(`/threads/${thread}/runs/${kind}`, { assistant_id: "echo" });
      await expect.poll(status, AT_ONCE).toMatchObject({ open_streams: 1 });
      expect((await status()).journal_followers).toBe(before.journal_followers);
      controller.abort();
      await expect.poll(status, AT_ONCE).toMatchObject({ open_streams: 0 });
      expect(await status()).toMatchObject({ open_streams: 0, journal_followers: before.journal_followers });
      expect((await runs())[0]?.status).toBe("pending");
    },
  );

  it("cancels its run with on_disconnect", async () => {
    await halts();
    const { controller } = await open(`/threads/${thread}/runs/stream`, {
      assistant_id: "echo",
      on_disconnect: "cancel",
    });
    controller.abort();
    await expect.poll(runs, AT_ONCE).toMatchObject([{ status: "interrupted" }]);
    expect((await status()).open_streams).toBe(0);
  });

  it("does not cancel the run after the end of the stream", async () => {
    await rig.call("POST", `/threads/${thread}/runs/wait`, { assistant_id: "echo", on_disconnect: "cancel" });
    expect((await runs())[0]?.status).toBe("success");
  });
});

describe("a flowing clock", () => {
  it("brings a run to its end by itself, and its waits and streams with it", async () => {
    const flowing = await startRig({ clock: "flowing", timings: { agent_step: "PT0.02S" } });
    const waited = await flowing.call("POST", "/runs/wait", { assistant_id: "agent", input: {} });
    expect((waited.body.messages as unknown[]).length).toBe(3);
    const streamed = await fetch(`${flowing.emulator.url}/runs/stream`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ assistant_id: "agent", input: {}, stream_mode: "updates" }),
    });
    expect((await streamed.text()).match(/^event: updates/gm)).toHaveLength(3);
    await flowing.close();
  });
});

describe("a frozen clock", () => {
  it("moves for a wait to the events of its own run, and the journal has the reason", async () => {
    const waited = await rig.call("POST", `/threads/${thread}/runs/wait`, { assistant_id: "slow" });
    expect(waited.body).toEqual({ step: 10 });
    expect(rig.emulator.clock.now()).toBe("2026-03-01T00:00:10.000000Z");
    const journal = await fetch(`${rig.emulator.url}/_emulator/v1/journal`).then((reply) => reply.text());
    const causes = journal
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).cause);
    const [{ run_id } = { run_id: "" }] = await runs();
    expect(causes.filter(({ name }) => name === "clock.follow_wait")).toHaveLength(10);
    expect(causes.find(({ name }) => name === "clock.follow_wait")).toMatchObject({
      type: "control",
      ref: run_id,
    });
  });

  it("moves for a run that waits behind others, after_seconds included, and no further", async () => {
    await rig.call("POST", `/threads/${thread}/runs`, { assistant_id: "slow" });
    await rig.call("POST", `/threads/${thread}/runs/wait`, { assistant_id: "echo" });
    expect(rig.emulator.clock.now()).toBe("2026-03-01T00:00:10.000000Z");
    await rig.call("POST", `/threads/${thread}/runs/wait`, { assistant_id: "echo", after_seconds: 3600 });
    expect(rig.emulator.clock.now()).toBe("2026-03-01T01:00:10.000000Z");
  });

  it("lets others have their turn while it moves far", async () => {
    for (let ahead = 0; ahead < 40; ahead += 1)
      await rig.call("POST", `/threads/${thread}/runs`, { assistant_id: "slow" });
    const kinds = new Set<string>();
    let isOver = false;
    const waiting = rig.call("POST", `/threads/${thread}/runs/wait`, { assistant_id: "echo" }).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      kinds.add(rig.emulator.clock.now());
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await waiting).status).toBe(200);
    const end = rig.emulator.clock.now();
    expect(end).toBe("2026-03-01T00:06:40.000000Z");
    const between = [...kinds].filter((now) => now > "2026-03-01T00:00:00.000000Z" && now < end);
    expect(between.length).toBeGreaterThan(0);
  });

  it("does not move without following, until somebody moves it", async () => {
    const still = await startRig({
      clock: { mode: "frozen", follow_waits: false, now: "2026-03-01T00:00:00Z" },
    });
    const waiting = still.call("POST", "/runs/wait", { assistant_id: "slow" });
    const open = async () => (await still.emulator.control<Status>("GET", "/status")).open_streams;
    await expect.poll(open, AT_ONCE).toBe(1);
    expect(still.emulator.clock.now()).toBe("2026-03-01T00:00:00.000000Z");
    await still.emulator.clock.advance("PT10S");
    expect((await waiting).body).toEqual({ step: 10 });
    await still.close();
  });

  it("does not move during another advance", async () => {
    const [advanced, waited] = await Promise.all([
      rig.emulator.clock.advance("PT1H"),
      rig.call("POST", `/threads/${thread}/runs/wait`, { assistant_id: "slow" }),
    ]);
    expect(advanced).toMatchObject({ settled: true });
    expect(waited.body).toEqual({ step: 10 });
  });
});

it("a reset ends open requests with the reason", async () => {
  await halts();
  const stream = await open(`/threads/${thread}/runs/stream`, { assistant_id: "echo" });
  const wait = await open(`/threads/${thread}/runs/wait`, { assistant_id: "echo" });
  await expect.poll(status, AT_ONCE).toMatchObject({ open_streams: 2 });
  await rig.emulator.reset();
  const text = async ({ reader }: typeof stream) => {
    const chunks: Uint8Array[] = [];
    for (let part = await reader.read(); !part.done; part = await reader.read()) chunks.push(part.value);
    return Buffer.concat(chunks).toString();
  };
  expect(await text(stream)).toContain('event: error\r\ndata: {"error":"reset"');
  expect(JSON.parse(await text(wait))).toMatchObject({ __error__: { error: "reset" } });
  expect((await status()).open_streams).toBe(0);
});

it("a quiet stream and a quiet wait send signs of life on the wall clock", async () => {
  await rig.close();
  rig = await startRig({ timings: { agent_heartbeat: "PT0.01S" } });
  await halts();
  const stream = await open("/runs/stream", { assistant_id: "echo" });
  let received = "";
  while (!received.includes("heartbeat"))
    received += Buffer.from((await stream.reader.read()).value ?? []).toString();
  expect(received).toMatch(/\r\n\r\n(?:: heartbeat\r\n)+$/);
  const wait = await open("/runs/wait", { assistant_id: "echo" });
  expect(Buffer.from((await wait.reader.read()).value ?? []).toString()).toMatch(/^\n+$/);
  stream.controller.abort();
  wait.controller.abort();
});
