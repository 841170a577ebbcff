import { describe, expect, it } from "vitest";
import { PLANS } from "../../../emulator/subjects/agent/plan.ts";
import { CHECKPOINTS, RUNS } from "../../../emulator/subjects/agent/records.ts";
import { DELIVERIES } from "../../../emulator/subjects/webhooks/records.ts";
import { openAgentWorld } from "../../support/agent-world.ts";

const HOUR_MS = 3_600_000;

describe("a run", () => {
  it("of the echo graph ends at once with its input as values, and leaves the thread idle", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    const run = world.start(thread, { input: { a: 1 } });
    expect(world.status(run)).toBe("success");
    expect(world.threadStatus(thread)).toBe("idle");
    expect(world.values(thread)).toEqual({ a: 1 });
    expect(world.outcome(run)).toEqual({ a: 1 });
  });

  it("of echo answers the last human message, and messages pile up on the thread", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    world.start(thread, { input: { messages: [{ role: "user", content: "one" }] } });
    world.start(thread, { input: { messages: "two" } });
    const { messages } = world.values(thread) as {
      messages: { type: string; content: string; id: string }[];
    };
    expect(messages.map(({ type, content }) => [type, content])).toEqual([
      ["human", "one"],
      ["ai", "one"],
      ["human", "two"],
      ["ai", "two"],
    ]);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(4);
  });

  it("of slow works for ten seconds of virtual time", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    const run = world.start(thread, { assistant_id: "slow" });
    expect(world.status(run)).toBe("running");
    expect(world.threadStatus(thread)).toBe("busy");
    await world.advance(9999);
    expect(world.status(run)).toBe("running");
    await world.advance(1);
    expect(world.status(run)).toBe("success");
    expect(world.values(thread)).toEqual({ step: 10 });
  });

  it("of failing sets an error on the run and on the thread", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    const run = world.start(thread, { assistant_id: "failing", input: { a: 1 } });
    expect(world.status(run)).toBe("error");
    expect(world.threadStatus(thread)).toBe("error");
    expect(world.outcome(run)).toMatchObject({ __error__: { error: "RuntimeError" } });
    expect(world.status(world.start(thread))).toBe("success");
    expect(world.threadStatus(thread)).toBe("idle");
  });

  it("of the interrupting graph ends interrupted and resumes with command.resume", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    const runId = world.start(thread, { assistant_id: "interrupting", input: { a: 1 } });
    expect(world.status(runId)).toBe("interrupted");
    expect(world.threadStatus(thread)).toBe("interrupted");
    expect(world.outcome(runId)).toMatchObject({ __interrupt__: [{ value: "Shall I continue?" }] });
    expect([Object.keys(world.outcome(runId) as object), world.values(thread)]).toEqual([
      ["__interrupt__"],
      { a: 1 },
    ]);
    const resumed = world.start(thread, { assistant_id: "interrupting", command: { resume: "yes" } });
    expect(world.status(resumed)).toBe("success");
    expect(world.threadStatus(thread)).toBe("idle");
    expect(world.values(thread)).toEqual({ a: 1, answer: "yes" });
  });

  it("of the interrupting graph also resumes with the answer by the id of the interrupt", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    const runId = world.start(thread, { assistant_id: "interrupting", input: { a: 1 } });
    const { __interrupt__: [open] = [] } = world.outcome(runId) as { __interrupt__?: { id: string }[] };
    const resume = { [open?.id ?? ""]: { sure: true } };
    world.start(thread, { assistant_id: "interrupting", command: { resume } });
    expect(world.values(thread)).toEqual({ a: 1, answer: { sure: true } });
  });

  it.each([[{ n: 1 }], [[["n", 1]]]])("takes %j in update of a command as values", async (update) => {
    const world = await openAgentWorld();
    const thread = world.thread();
    world.start(thread, { input: { a: 1 } });
    await world.advance(0);
    world.start(thread, { command: { update } });
    await world.advance(0);
    expect(world.values(thread)).toEqual({ a: 1, n: 1 });
    world.start(thread, { assistant_id: "interrupting", input: { b: 2 } });
    await world.advance(0);
    world.start(thread, { assistant_id: "interrupting", command: { resume: "yes", update: { n: 2 } } });
    await world.advance(0);
    expect(world.values(thread)).toEqual({ a: 1, b: 2, n: 2, answer: "yes" });
  });

  it("keeps fields without an effect in kwargs, only if they were sent", async () => {
    const world = await openAgentWorld();
    const kwargs = (body: Record<string, unknown>) =>
      world.reader.get(RUNS, world.start(world.thread(), body))?.kwargs;
    const request = { checkpoint_during: true, strict_resume: true, langsmith_tracer: { project: "p" } };
    expect(kwargs(request)).toMatchObject(request);
    expect(kwargs({})).not.toHaveProperty("checkpoint_during");
  });

  it("starts after_seconds later", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    const later = world.start(thread, { after_seconds: 60 });
    const now = world.start(thread);
    expect(world.statuses([later, now])).toEqual(["pending", "success"]);
    expect(world.threadStatus(thread)).toBe("busy");
    await world.advance(60_000);
    expect(world.status(later)).toBe("success");
    expect(world.threadStatus(thread)).toBe("idle");
  });

  it("ends with status timeout after limits.agent_run_timeout", async () => {
    const world = await openAgentWorld({ limits: { agent_run_timeout: "PT5S" } });
    const thread = world.thread();
    const run = world.start(thread, { assistant_id: "slow" });
    await world.advance(4999);
    expect(world.status(run)).toBe("running");
    await world.advance(1);
    expect(world.status(run)).toBe("timeout");
    expect(world.threadStatus(thread)).toBe("error");
    expect(world.values(thread)).toEqual({ step: 4 });
    expect(world.outcome(run)).toMatchObject({ __error__: { error: "TimeoutError" } });
  });
});

describe("runs of one thread", () => {
  it("work one at a time, in order of creation", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    const runs = [1, 2, 3].map(() => world.start(thread, { assistant_id: "slow" }));
    expect(world.statuses(runs)).toEqual(["running", "pending", "pending"]);
    await world.advance(10_000);
    expect(world.statuses(runs)).toEqual(["success", "running", "pending"]);
    await world.advance(20_000);
    expect(world.statuses(runs)).toEqual(["success", "success", "success"]);
    expect(world.threadStatus(thread)).toBe("idle");
  });

  it("multitask_strategy reject refuses a second run and writes nothing", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    const busy = world.start(thread, { assistant_id: "slow" });
    expect(() => world.start(thread, { multitask_strategy: "reject" })).toThrow(/already running a task/);
    expect(world.statuses([busy])).toEqual(["running"]);
    expect(world.reader.count(RUNS, `us/${"00000000-0000-4000-8000-000000000001"}/${thread}`)).toBe(1);
  });

  it("multitask_strategy interrupt ends the others as interrupted and keeps their values", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    const [first, second] = [world.start(thread, { assistant_id: "slow" }), world.start(thread)];
    await world.advance(3500);
    const third = world.start(thread, { multitask_strategy: "interrupt", input: { third: true } });
    expect(world.statuses([first, second, third])).toEqual(["interrupted", "interrupted", "success"]);
    expect(world.values(thread)).toEqual({ step: 3, third: true });
    expect(world.outcome(first)).toEqual({ step: 3 });
  });

  it("multitask_strategy rollback removes the others and their values", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    world.start(thread, { input: { before: 1 } });
    const [first, second] = [world.start(thread, { assistant_id: "slow" }), world.start(thread)];
    await world.advance(3500);
    const third = world.start(thread, { multitask_strategy: "rollback", input: { third: true } });
    expect(world.statuses([first, second, third])).toEqual(["gone", "gone", "success"]);
    expect(world.values(thread)).toEqual({ before: 1, third: true });
    expect(world.outcome(first)).toEqual({
      __error__: { error: "UserRollback", message: "The run was rolled back." },
    });
  });

  it("without multitask_strategy the assumption agent.multitask_default decides", async () => {
    const world = await openAgentWorld({ assumptions: { "agent.multitask_default": "reject" } });
    const thread = world.thread();
    world.start(thread, { assistant_id: "slow" });
    expect(() => world.start(thread)).toThrow(/already running/);
  });

  it("at most limits.agent_pending_runs runs wait on a thread", async () => {
    const world = await openAgentWorld({ limits: { agent_pending_runs: 2 } });
    const thread = world.thread();
    for (let count = 0; count < 3; count += 1) world.start(thread, { assistant_id: "slow" });
    expect(() => world.start(thread)).toThrow(/2 runs wait on this thread/);
  });
});

describe("a cancelled run", () => {
  it("is interrupted: waiting ones never start, the next one does", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    const [first, second, third] = [1, 2, 3].map(() => world.start(thread, { assistant_id: "slow" })) as [
      string,
      string,
      string,
    ];
    world.cancel(second);
    world.cancel(first);
    expect(world.statuses([first, second, third])).toEqual(["interrupted", "interrupted", "running"]);
    expect(() => world.cancel(first)).toThrow(/has ended with status interrupted/);
    await world.advance(10_000);
    expect(world.status(third)).toBe("success");
  });

  it("leaves its thread idle, or interrupted when it had begun", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    const waiting = world.start(thread, { after_seconds: 60 });
    world.cancel(waiting);
    expect(world.threadStatus(thread)).toBe("idle");
    const working = world.start(thread, { assistant_id: "slow" });
    await world.advance(1500);
    world.cancel(working);
    expect(world.threadStatus(thread)).toBe("interrupted");
  });

  it("is gone after a rollback, and its stale events change nothing", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    const run = world.start(thread, { assistant_id: "slow" });
    await world.advance(1500);
    world.cancel(run, "rollback");
    expect(world.status(run)).toBe("gone");
    expect(world.threadStatus(thread)).toBe("idle");
    expect(world.values(thread)).toBeNull();
    await world.advance(HOUR_MS);
    expect(world.values(thread)).toBeNull();
  });
});

describe("a run without a thread", () => {
  it("gets a temporary thread, removed at its end; its outcome can still be read", async () => {
    const world = await openAgentWorld();
    const run = world.start(null, { assistant_id: "slow" });
    const { thread_id } = world.reader.get(RUNS, run) ?? { thread_id: "" };
    expect(world.threadStatus(thread_id)).toBe("busy");
    await world.advance(10_000);
    expect([world.status(run), world.threadStatus(thread_id)]).toEqual(["gone", "gone"]);
    expect(world.outcome(run)).toEqual({ step: 10 });
    expect([...world.reader.list(CHECKPOINTS)]).toEqual([]);
  });

  it.each(["interrupt", "rollback"] as const)(
    "shares its thread with one that somebody starts there, which outlives its %s",
    async (action) => {
      const world = await openAgentWorld({ http: { disable_webhooks: true } });
      const first = world.start(null, { assistant_id: "slow" });
      const thread = world.reader.get(RUNS, first)?.thread_id ?? "";
      const second = world.start(thread, {
        input: { b: 2 },
        webhook: "https://a.example/",
        after_seconds: 5,
      });
      await world.advance(1000);
      world.cancel(first, action);
      expect(world.threadStatus(thread)).toBe("busy");
      await world.advance(4000);
      expect(world.outcome(second)).toMatchObject({ b: 2 });
      expect([...world.reader.list(DELIVERIES)]).toMatchObject([{ run_id: second, run_status: "success" }]);
      expect(world.threadStatus(thread)).toBe("gone");
    },
  );

  it("keeps its thread when on_completion is keep", async () => {
    const world = await openAgentWorld();
    const run = world.start(null, { on_completion: "keep", input: { a: 1 } });
    const { thread_id } = world.reader.get(RUNS, run) ?? { thread_id: "" };
    expect(world.values(thread_id)).toEqual({ a: 1 });
  });
});

describe("retained states", () => {
  it("is bounded: plans of ended runs and checkpoints of a thread", async () => {
    const world = await openAgentWorld({ limits: { agent_kept_streams: 5, agent_checkpoints: 4 } });
    const thread = world.thread();
    const runs = Array.from({ length: 10 }, (_, n) => world.start(thread, { input: { n } }));
    expect([...world.reader.list(PLANS)].map(({ run_id }) => run_id)).toEqual(runs.slice(5));
    expect([...world.reader.list(CHECKPOINTS)].map(({ values }) => values)).toEqual(
      [6, 7, 8, 9].map((n) => ({ n })),
    );
    expect(world.outcome(runs[0] as string)).toEqual({ n: 9 });
  });
});
