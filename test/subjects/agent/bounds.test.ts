import { describe, expect, it } from "vitest";
import { versionsOf } from "../../../emulator/subjects/agent/assistant-versions.ts";
import {
  createAssistant,
  deleteAssistant,
  requireOwnAssistant,
  updateAssistant,
} from "../../../emulator/subjects/agent/assistants.ts";
import { PLANS } from "../../../emulator/subjects/agent/plan.ts";
import {
  ASSISTANT_VERSIONS,
  CHECKPOINTS,
  checkpointKey,
  THREADS,
  threadKey,
} from "../../../emulator/subjects/agent/records.ts";
import { deleteRun } from "../../../emulator/subjects/agent/run-lifecycle.ts";
import { removeScript, SCRIPT_MATCHES } from "../../../emulator/subjects/agent/scripts.ts";
import { bytesOf, bytesOverLimit, bytesUpperBound } from "../../../emulator/subjects/agent/size.ts";
import { updateState } from "../../../emulator/subjects/agent/state.ts";
import {
  copyThread,
  createThread,
  requireRun,
  requireThread,
  updateThread,
} from "../../../emulator/subjects/agent/threads.ts";
import { openAgentWorld } from "../../support/agent-world.ts";
import { WORKSPACE } from "../../support/world.ts";
import { streamOf } from "./stream-of.ts";

const LIMIT = 4096;
const KILO = "x".repeat(1000);
const TOO_LARGE = {
  error: "ValuesTooLarge",
  message: expect.stringMatching(/limits\.agent_values_bytes allows 4096.*POST .*state, or raise/),
};

const openLimited = (limits: Record<string, number> = {}) =>
  openAgentWorld({ limits: { agent_values_bytes: LIMIT, ...limits } });

describe("the size of a value", () => {
  it.each([
    null,
    true,
    -1.7976931348623157e308,
    "\u0001\ud800é😀",
    [],
    [1, [2, "3"], {}],
    { "\u0002": { deep: ["\\", '"'] }, b: null, c: -0.000001234567890123456 },
  ])("is at most its upper bound: %j", (value) => {
    expect(bytesUpperBound(value)).toBeGreaterThanOrEqual(bytesOf(value));
  });

  it("is reported only when it exceeds the limit", () => {
    expect(bytesOverLimit("x".repeat(98), 100)).toBeUndefined();
    expect(bytesOverLimit("é".repeat(50), 100)).toBe(102);
  });
});

describe("values larger than limits.agent_values_bytes", () => {
  it("end a run that would exceed them with an error that names the next step", async () => {
    const world = await openLimited();
    const thread = world.thread();
    const runs = [1, 2, 3, 4, 5].map((n) => world.start(thread, { input: { [`k${n}`]: KILO } }));
    expect(world.statuses(runs)).toEqual(["success", "success", "success", "success", "error"]);
    const values = { k1: KILO, k2: KILO, k3: KILO, k4: KILO };
    expect(world.values(thread)).toEqual(values);
    expect(world.outcome(runs[4] as string)).toEqual({ __error__: TOO_LARGE });
    expect(world.threadStatus(thread)).toBe("error");
  });

  it("are reported in the stream", async () => {
    const world = await openLimited();
    const runId = world.start(world.thread(), { input: { all: KILO.repeat(5) } });
    expect(streamOf(world, runId, "values")).toMatchObject({
      frames: [{ event: "metadata" }, { event: "error", data: TOO_LARGE }],
      isOver: true,
    });
  });

  it("leave a thread that continues to work", async () => {
    const world = await openLimited();
    const thread = world.thread();
    for (const n of [1, 2, 3, 4, 5]) world.start(thread, { input: { [`k${n}`]: KILO } });
    expect(world.status(world.start(thread, { input: { k6: "small" } }))).toBe("success");
    expect(world.status(world.start(thread, { input: { k1: null, k7: KILO.slice(9) } }))).toBe("success");
    expect(world.threadStatus(thread)).toBe("idle");
  });

  it("count what the thread would hold, not all that was ever sent", async () => {
    const world = await openLimited();
    const thread = world.thread();
    const runs = Array.from({ length: 50 }, () => world.start(thread, { input: { same: KILO.repeat(3) } }));
    expect(new Set(world.statuses(runs))).toEqual(new Set(["success"]));
  });

  it("end a scripted run at the time it would write them", async () => {
    const world = await openLimited();
    const thread = world.thread();
    const values = { all: KILO.repeat(5) };
    world.script({ match: {}, then: { after: "PT5S", values } });
    const run = world.start(thread);
    await world.advance(4_999);
    expect(world.status(run)).toBe("running");
    await world.advance(1);
    expect([world.status(run), world.outcome(run)]).toEqual(["error", { __error__: TOO_LARGE }]);
  });

  it("end a run that its script would have stopped", async () => {
    const world = await openLimited();
    world.script({ then: { dies: true, events: [{ mode: "values", data: { all: KILO.repeat(5) } }] } });
    expect(world.status(world.start(world.thread()))).toBe("error");
  });

  it("are refused with 413 by POST /threads/{thread_id}/state, and nothing is written", async () => {
    const world = await openLimited();
    const threadId = world.thread();
    world.start(threadId, { input: { a: KILO.repeat(3) } });
    const before = [...world.reader.list(CHECKPOINTS)];
    const change = (values: unknown) =>
      world.turn((turn) => updateState(turn, requireThread(turn, WORKSPACE, threadId), { values }));
    expect(() => change({ b: KILO.repeat(2) })).toThrow(
      expect.objectContaining({
        status: 413,
        message: expect.stringContaining("limits.agent_values_bytes"),
        hint: expect.stringContaining("/state"),
      }),
    );
    expect([...world.reader.list(CHECKPOINTS)]).toEqual(before);
    expect(change({ a: null, b: KILO.repeat(2) }).values).toEqual({ a: null, b: KILO.repeat(2) });
  });

  it("are refused with 413 when a thread is copied", async () => {
    const world = await openAgentWorld({ limits: { agent_values_bytes: LIMIT } });
    const threadId = world.thread();
    world.start(threadId, { input: { a: 1 } });
    world.turn((turn) => {
      const { checkpoint_id } = requireThread(turn, WORKSPACE, threadId);
      const key = checkpointKey(threadKey(WORKSPACE, threadId), checkpoint_id ?? "");
      const state = turn.get(CHECKPOINTS, key);
      if (state) turn.put(CHECKPOINTS, { ...state, values: { a: KILO.repeat(5) } });
    });
    const copy = () => world.turn((turn) => copyThread(turn, requireThread(turn, WORKSPACE, threadId)));
    expect(copy).toThrow(expect.objectContaining({ status: 413 }));
    expect(world.reader.count(THREADS, threadKey(WORKSPACE, "").slice(0, -1))).toBe(1);
    expect(world.world.defect).toBeUndefined();
  });
});

describe("the plan of a run", () => {
  const planOf = (world: Awaited<ReturnType<typeof openAgentWorld>>, run: string) => {
    const plan = world.reader.get(PLANS, run);
    if (!plan) throw new Error(`no plan of ${run}`);
    return plan;
  };

  it("holds a streamed text once and streams it in chunks", async () => {
    const world = await openAgentWorld();
    const text = Array.from({ length: 200 }, (_, n) => `${"word".repeat(20)}${n}`).join(" ");
    const run = world.start(world.thread(), { input: { messages: text } });
    expect(bytesOf(planOf(world, run).steps)).toBeLessThan(10 * text.length);
    const { frames } = streamOf(world, run, "messages");
    const report = frames
      .filter(({ event }) => event === "messages/partial")
      .map(({ data }) => (data as { content: string }[])[0]?.content ?? "");
    expect(report).toHaveLength(200);
    expect(report.every((content, index) => content.startsWith(report[index - 1] ?? ""))).toBe(true);
    expect([report[0], report.at(-1)]).toEqual([text.split(" ")[0], text]);
  });

  it("streams each of several texts from its own beginning", async () => {
    const world = await openAgentWorld();
    const chunk = (data: string) => ({ mode: "messages", data });
    const gap = { mode: "custom", data: 1 };
    const events = [chunk("Good "), chunk("day"), gap, chunk("Good "), chunk("night")];
    world.script({ then: { events } });
    const run = world.start(world.thread());
    const { frames } = streamOf(world, run, "messages");
    const texts = frames
      .filter(({ event }) => event === "messages/partial" || event === "messages/complete")
      .map(({ event, data }) => [event.slice(9), (data as { content: string }[])[0]?.content]);
    expect(texts).toEqual([
      ["partial", "Good "],
      ["partial", "Good day"],
      ["complete", "Good day"],
      ["partial", "Good "],
      ["partial", "Good night"],
      ["complete", "Good night"],
    ]);
  });

  it("does not repeat the values for each of its nodes and trace rows", async () => {
    const world = await openLimited();
    const thread = world.thread();
    world.start(thread, { input: { a: KILO.repeat(3) } });
    const events = Array.from({ length: 100 }, (_, n) => ({
      node: `n${n}`,
      mode: "custom",
      run_type: "tool",
    }));
    world.script({ then: { after: "PT5S", events } });
    const run = world.start(thread);
    const plan = planOf(world, run);
    expect(bytesOf(plan)).toBeLessThan(20 * LIMIT);
    expect(plan.spans.map(({ inputs }) => "a" in inputs)).toEqual([true, ...Array(99).fill(false)]);
    await world.advance(5_000);
    // Its trace rows are written.
    expect([world.status(run), planOf(world, run).spans]).toEqual(["success", []]);
  });

  it("is made without measuring the values again for each event when they do not fit", async () => {
    const world = await openLimited();
    const thread = world.thread();
    let written = 0;
    const toJSON = () => {
      written += 1;
      return KILO.repeat(3);
    };
    world.start(thread, { input: { a: { toJSON } } });
    const events = Array.from({ length: 100 }, () => ({ mode: "custom", run_type: "tool" }));
    world.script({ then: { after: "PT5S", events } });
    written = 0;
    const plan = planOf(world, world.start(thread));
    expect(plan.spans).toHaveLength(100);
    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThan(10);
  });
});

it("at most limits.agent_scripts scripts exist, and a removed one leaves no record", async () => {
  const world = await openAgentWorld({ limits: { agent_scripts: 2 } });
  const [first] = [world.script({ then: {} }), world.script({ then: {}, times: 1 })];
  for (let n = 0; n < 2; n += 1) world.start(world.thread());
  expect(world.reader.count(SCRIPT_MATCHES)).toBe(2);
  expect(() => world.script({ then: {} })).toThrow(
    expect.objectContaining({ status: 422, hint: expect.stringContaining("limits.agent_scripts") }),
  );
  world.turn((turn) => removeScript(turn, first.id));
  expect(world.reader.count(SCRIPT_MATCHES)).toBe(1);
  expect(() => world.script({ then: {} })).not.toThrow();
});

describe("the queue of a world", () => {
  it("counts the events that the turn itself has scheduled", async () => {
    const world = await openAgentWorld();
    const counts = world.turn((turn) =>
      [1, 2].map((afterMs) => {
        turn.schedule({ kind: "agent_run.due", ref: "r", afterMs, data: { thread: "t" } });
        return turn.pendingEventCount();
      }),
    );
    expect([...counts, world.turn((turn) => turn.pendingEventCount())]).toEqual([1, 2, 2]);
  });

  it("keeps nothing that was planned for a run that is stopped before", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    for (const action of ["rollback", "interrupt"] as const)
      world.cancel(world.start(thread, { after_seconds: 60 }), action);
    expect(world.world.queue()).toEqual([]);
  });

  it("refuses runs with 409 once limits.agent_waiting_events events wait", async () => {
    const world = await openAgentWorld({ limits: { agent_waiting_events: 3 } });
    const thread = world.thread();
    for (let n = 0; n < 3; n += 1)
      world.start(thread, { after_seconds: 60 + n, multitask_strategy: "enqueue" });
    const full = expect.objectContaining({
      status: 409,
      code: "too_many_events",
      hint: expect.stringContaining("limits.agent_waiting_events"),
    });
    expect(() => world.start(thread)).toThrow(full);
    expect(() => world.start(null)).toThrow(full);
    expect(world.world.queue()).toHaveLength(3);
    await world.advance(60_000);
    expect(() => world.start(null)).not.toThrow();
    expect(world.world.queue()).toHaveLength(2);
  });
});

describe("what a workspace may have", () => {
  const full = (limit: string, status = 409) =>
    expect.objectContaining({ status, hint: expect.stringContaining(`limits.${limit}`) });

  it("is limits.agent_threads threads, however they are created", async () => {
    const world = await openAgentWorld({ limits: { agent_threads: 2 } });
    const thread = world.thread();
    world.start(null, { assistant_id: "slow" });
    for (const create of [
      () => world.thread(),
      () => world.start(null),
      () => world.start("00000000-0000-4000-8000-0000000000aa", { if_not_exists: "create" }),
      () => world.turn((turn) => copyThread(turn, requireThread(turn, WORKSPACE, thread))),
    ])
      expect(create).toThrow(full("agent_threads"));
    const elsewhere = { ...WORKSPACE, region: "eu" };
    expect(() => world.turn((turn) => createThread(turn, elsewhere, {}))).not.toThrow();
    await world.advance(20_000);
    expect(() => world.thread()).not.toThrow();
  });

  it("is limits.agent_runs runs of a thread", async () => {
    const world = await openAgentWorld({ limits: { agent_runs: 2 } });
    const thread = world.thread();
    const first = world.start(thread);
    world.start(thread);
    expect(() => world.start(thread)).toThrow(full("agent_runs"));
    world.turn((turn) => deleteRun(turn, requireRun(turn, WORKSPACE, thread, first)));
    expect(() => world.start(thread)).not.toThrow();
  });

  it("is limits.agent_assistants assistants, with limits.agent_assistant_versions versions", async () => {
    const world = await openAgentWorld({ limits: { agent_assistants: 1, agent_assistant_versions: 2 } });
    const create = () => world.turn((turn) => createAssistant(turn, WORKSPACE, { graph_id: "echo" }));
    const { assistant_id } = create();
    expect(create).toThrow(full("agent_assistants"));
    for (const name of ["b", "c"])
      world.turn((turn) => updateAssistant(turn, WORKSPACE, assistant_id, { name }));
    const assistant = world.turn((turn) => requireOwnAssistant(turn, WORKSPACE, assistant_id));
    expect(world.turn((turn) => versionsOf(turn, assistant))).toMatchObject([{ name: "c" }, { name: "b" }]);
    world.turn((turn) => deleteAssistant(turn, WORKSPACE, assistant_id));
    expect(world.reader.count(ASSISTANT_VERSIONS)).toBe(0);
  });

  it("is limits.agent_metadata_bytes bytes of metadata for a thread or an assistant, in however many changes", async () => {
    const world = await openAgentWorld({ limits: { agent_metadata_bytes: 1000 } });
    const half = (name: string) => ({ metadata: { [name]: "x".repeat(600) } });
    const { thread_id } = world.turn((turn) => createThread(turn, WORKSPACE, half("a")));
    const findThread = () => requireThread(world.reader, WORKSPACE, thread_id);
    const { assistant_id } = world.turn((turn) =>
      createAssistant(turn, WORKSPACE, { graph_id: "echo", ...half("a") }),
    );
    for (const change of [
      () => world.turn((turn) => updateThread(turn, findThread(), half("b"))),
      () => world.turn((turn) => createThread(turn, WORKSPACE, { metadata: { a: KILO } })),
      () => world.turn((turn) => updateAssistant(turn, WORKSPACE, assistant_id, half("b"))),
      () => world.turn((turn) => createAssistant(turn, WORKSPACE, { graph_id: "echo", config: { a: KILO } })),
    ])
      expect(change).toThrow(full("agent_metadata_bytes", 413));
    expect(findThread()).toMatchObject(half("a"));
    expect(() =>
      world.turn((turn) => updateThread(turn, findThread(), { metadata: { a: 1 } })),
    ).not.toThrow();
  });
});
