import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Rig, startRig } from "../support/emulator.ts";

/** Requests that stay open: who moves time for them, and what is left of them. */
let rig: Rig;
let thread: string;

async function begin(options: Parameters<typeof startRig>[0] = {}) {
  rig = await startRig(options);
  thread = `/threads/${(await rig.call("POST", "/threads", {})).body.thread_id}`;
}

beforeEach(() => begin());
afterEach(() => rig.close());

async function beginAgain(options: Parameters<typeof startRig>[0]) {
  await rig.close();
  await begin(options);
}

const AT_ONCE = { interval: 1 };
const ECHO = { assistant_id: "echo" };
const SLOW = { assistant_id: "slow" };

async function status() {
  type Status = Record<"open_streams" | "journal_followers", number>;
  const { open_streams, journal_followers } = await rig.emulator.control<Status>("GET", "/status");
  return { open_streams, journal_followers };
}

const runs = async () => (await rig.call<{ run_id: string; status: string }[]>("GET", `${thread}/runs`)).body;
const wait = async (body: object) => (await rig.call("POST", `${thread}/runs/wait`, body)).body;

async function open(path: string, body: object = ECHO) {
  const controller = new AbortController();
  const reply = await fetch(`${rig.emulator.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: controller.signal,
  });
  const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
  return { controller, reader, read: async () => Buffer.from((await reader.read()).value ?? []).toString() };
}

const neverStart = () => rig.emulator.control("POST", "/agent/scripts", { then: { never_starts: true } });

describe("a client that disconnects", () => {
  it.each(["stream", "wait"])(
    "in the middle of a %s leaves no listener, and the run continues",
    async (kind) => {
      const before = await status();
      await neverStart();
      const { controller } = await open(`${thread}/runs/${kind}`);
      await expect.poll(status, AT_ONCE).toMatchObject({ open_streams: 1 });
      controller.abort();
      await expect.poll(status, AT_ONCE).toMatchObject(before);
      expect(await runs()).toMatchObject([{ status: "pending" }]);
    },
  );

  it("cancels its run with on_disconnect, but not one that has ended", async () => {
    await wait({ ...ECHO, on_disconnect: "cancel" });
    await neverStart();
    const { controller } = await open(`${thread}/runs/stream`, { ...ECHO, on_disconnect: "cancel" });
    controller.abort();
    await expect.poll(runs, AT_ONCE).toMatchObject([{ status: "interrupted" }, { status: "success" }]);
    expect((await status()).open_streams).toBe(0);
  });
});

it("one more stream than limits.agent_streams is refused with 429", async () => {
  await beginAgain({ limits: { agent_streams: 1 } });
  await neverStart();
  const first = await open("/runs/stream");
  const second = await rig.call<string>("POST", "/runs/wait", ECHO);
  expect([second.status, second.body]).toEqual([429, expect.stringContaining("limits.agent_streams")]);
  first.controller.abort();
});

it("a flowing clock brings a run to its end by itself, and its waits and streams with it", async () => {
  await beginAgain({ clock: "flowing", timings: { agent_step: "PT0.02S" } });
  const agent = { assistant_id: "agent", input: {} };
  expect(await wait(agent)).toMatchObject({ messages: { length: 3 } });
  const { body } = await fetch(`${rig.emulator.url}/runs/stream`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...agent, stream_mode: "updates" }),
  });
  expect((await new Response(body).text()).match(/^event: updates/gm)).toHaveLength(3);
});

describe("a frozen clock", () => {
  it("moves for a wait to the events of its own run, and the journal has the reason", async () => {
    expect(await wait(SLOW)).toEqual({ step: 10 });
    expect(rig.emulator.clock.now()).toBe("2026-03-01T00:00:10.000000Z");
    const journal = await (await rig.emulator.request("/_emulator/v1/journal")).text();
    const causes = journal
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).cause);
    const moves = causes.filter(({ name }) => name === "clock.follow_wait");
    expect(moves).toHaveLength(10);
    expect(moves[0]).toMatchObject({ type: "control", ref: (await runs())[0]?.run_id });
  });

  it("moves for a run that waits behind others, after_seconds included, and no further", async () => {
    await rig.call("POST", `${thread}/runs`, SLOW);
    await wait(ECHO);
    expect(rig.emulator.clock.now()).toBe("2026-03-01T00:00:10.000000Z");
    await wait({ ...ECHO, after_seconds: 3600 });
    expect(rig.emulator.clock.now()).toBe("2026-03-01T01:00:10.000000Z");
  });

  it("lets others have their turn while it moves far", async () => {
    for (let ahead = 0; ahead < 40; ahead += 1) await rig.call("POST", `${thread}/runs`, SLOW);
    const instants = new Set<string>();
    let isOver = false;
    const waiting = wait(ECHO).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      instants.add(rig.emulator.clock.now());
      await new Promise((resolve) => setImmediate(resolve));
    }
    await waiting;
    const end = "2026-03-01T00:06:40.000000Z";
    expect(rig.emulator.clock.now()).toBe(end);
    expect([...instants].some((now) => now > "2026-03-01T00:00:00.000000Z" && now < end)).toBe(true);
  });

  it("does not move without follow_waits, until somebody moves it", async () => {
    await beginAgain({ clock: { mode: "frozen", follow_waits: false, now: "2026-03-01T00:00:00Z" } });
    const waiting = wait(SLOW);
    await expect.poll(status, AT_ONCE).toMatchObject({ open_streams: 1 });
    expect(rig.emulator.clock.now()).toBe("2026-03-01T00:00:00.000000Z");
    await rig.emulator.clock.advance("PT10S");
    expect(await waiting).toEqual({ step: 10 });
  });

  it("does not move during another advance", async () => {
    const [advanced, waited] = await Promise.all([rig.emulator.clock.advance("PT1H"), wait(SLOW)]);
    expect(advanced).toMatchObject({ settled: true });
    expect(waited).toEqual({ step: 10 });
  });
});

it("a reset ends open requests with the reason", async () => {
  await neverStart();
  const [stream, waiting] = [await open(`${thread}/runs/stream`), await open(`${thread}/runs/wait`)];
  await expect.poll(status, AT_ONCE).toMatchObject({ open_streams: 2 });
  await rig.emulator.reset();
  const rest = async ({ read }: typeof stream) => {
    let text = "";
    for (let chunk = await read(); chunk !== ""; chunk = await read()) text += chunk;
    return text;
  };
  expect(await rest(stream)).toContain('event: error\r\ndata: {"error":"reset"');
  expect(JSON.parse(await rest(waiting))).toMatchObject({ __error__: { error: "reset" } });
  expect((await status()).open_streams).toBe(0);
});

it("a quiet stream and a quiet wait send signs of life on the wall clock", async () => {
  await beginAgain({ timings: { agent_heartbeat: "PT0.01S" } });
  await neverStart();
  const stream = await open("/runs/stream");
  let received = "";
  while (!received.includes("heartbeat")) received += await stream.read();
  expect(received).toMatch(/\r\n\r\n(?:: heartbeat\r\n)+$/);
  const waiting = await open("/runs/wait");
  expect(await waiting.read()).toMatch(/^\n+$/);
  stream.controller.abort();
  waiting.controller.abort();
});
