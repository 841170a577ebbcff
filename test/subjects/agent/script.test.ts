import { describe, expect, it } from "vitest";
import { SCRIPT, type ScriptInput, scriptProblem } from "../../../emulator/subjects/agent/script.ts";
import { checkOf } from "../../../emulator/validation/check.ts";
import { openAgentWorld } from "../../support/agent-world.ts";
import { streamOf } from "./stream-of.ts";

const received = (...stream: Parameters<typeof streamOf>) =>
  streamOf(...stream).frames.map(({ event, data }) => [event, data]);

describe("a script", () => {
  it("decides status, duration and values", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    world.script({ then: { after: "PT5S", values: { found: 7 } } });
    const run = world.start(thread, { input: { asked: 1 } });
    await world.advance(4999);
    expect(world.status(run)).toBe("running");
    expect(received(world, run, "values").at(-1)).toEqual(["values", { asked: 1 }]);
    await world.advance(1);
    expect(world.status(run)).toBe("success");
    expect(world.values(thread)).toEqual({ found: 7 });
  });

  it.each([
    [
      { status: "error", error: { error: "ValueError", message: "no" } },
      "error",
      { __error__: { error: "ValueError", message: "no" } },
    ],
    [{ error: "no" }, "error", { __error__: { error: "RuntimeError", message: "no" } }],
    [{ status: "timeout" }, "timeout", { __error__: { error: "TimeoutError" } }],
    [{ interrupt: { sure: null } }, "interrupted", { __interrupt__: [{ value: { sure: null } }] }],
    [{ status: "interrupted" }, "interrupted", {}],
    [{ status: "success" }, "success", {}],
  ])("%j ends a run with %s", async (then, status, outcome) => {
    const world = await openAgentWorld();
    world.script({ then });
    const thread = world.thread();
    const run = world.start(thread, {});
    expect(world.status(run)).toBe(status);
    expect(world.outcome(run)).toMatchObject(outcome);
  });

  it("turns the assistant failing into one that succeeds", async () => {
    const world = await openAgentWorld();
    world.script({ match: { assistant_id: "failing" }, then: { status: "success" } });
    expect(world.status(world.start(world.thread(), { assistant_id: "failing" }))).toBe("success");
  });

  it("applies to the runs of its assistant, of its thread, or to the nth run", async () => {
    const world = await openAgentWorld();
    const [one, two] = [world.thread(), world.thread()];
    world.script({
      match: { assistant_id: "echo", thread_id: one, nth: 2 },
      times: 2,
      then: { status: "error" },
    });
    const runs = [one, one, two, one, one].map((thread) => world.start(thread));
    const other = world.start(one, { assistant_id: "agent" });
    expect(world.statuses(runs)).toEqual(["success", "error", "success", "error", "success"]);
    expect(world.status(other)).toBe("running");
  });

  it("added later has priority over those of the configuration", async () => {
    const scripts = [{ then: { values: { from: "file" } } }];
    const world = await openAgentWorld({ agent: { scripts, traces: false } });
    const thread = world.thread();
    world.start(thread);
    expect(world.values(thread)).toEqual({ from: "file" });
    world.script({ then: { values: { from: "first" } } });
    world.script({ match: { nth: 1 }, then: { values: { from: "second" } } });
    world.start(thread);
    expect(world.values(thread)).toEqual({ from: "second" });
    world.start(thread);
    expect(world.values(thread)).toEqual({ from: "first" });
  });

  it("can keep a run from ever starting; runs behind it start", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    world.script({ match: { nth: 1 }, then: { never_starts: true } });
    const [first, second] = [world.start(thread), world.start(thread)];
    await world.advance(86_400_000);
    expect(world.statuses([first, second])).toEqual(["pending", "success"]);
    world.cancel(first);
    expect(world.threadStatus(thread)).toBe("idle");
  });

  it("can stop a run in the middle: only the run timeout ends it", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    const events = [{ mode: "updates", data: { work: { half: true } } }];
    world.script({ match: { nth: 1 }, then: { dies: true, events } });
    const run = world.start(thread);
    await world.advance(3_599_999);
    expect(world.status(run)).toBe("running");
    await world.advance(1);
    expect(world.status(run)).toBe("timeout");
    expect(world.values(thread)).toEqual({ half: true });
  });

  it("streams its events, each at its time and to the readers of its mode", async () => {
    const world = await openAgentWorld();
    const events = [
      { mode: "custom", data: { progress: 1 } },
      { after: "PT1S", mode: "messages-tuple", data: "Hel" },
      { mode: "messages-tuple", data: "lo" },
      { after: "PT1S", mode: "updates", data: { model: { answer: 42 } } },
      { mode: "debug", data: { any: "thing" } },
    ];
    world.script({ then: { events } });
    const run = world.start(world.thread(), { input: { q: 1 } });
    expect(received(world, run, "custom", "updates")).toEqual([
      ["metadata", { run_id: run, attempt: 1 }],
      ["custom", { progress: 1 }],
    ]);
    await world.advance(1000);
    const tuples = received(world, run, "messages-tuple").slice(1) as [
      string,
      [{ content: string; id: string }, object],
    ][];
    expect(tuples.map(([event, [chunk]]) => [event, chunk.content])).toEqual([
      ["messages", "Hel"],
      ["messages", "lo"],
    ]);
    expect(tuples[0]?.[1][0].id).toBe(tuples[1]?.[1][0].id);
    expect(received(world, run, "messages").at(-1)).toMatchObject([
      "messages/complete",
      [{ content: "Hello" }],
    ]);
    await world.advance(1000);
    expect(received(world, run, "updates", "values").slice(1)).toEqual([
      ["values", { q: 1 }],
      ["updates", { model: { answer: 42 } }],
      ["values", { q: 1, answer: 42 }],
    ]);
    expect(received(world, run, "debug").at(-1)).toEqual(["debug", { any: "thing" }]);
  });

  it.each([
    [{ then: { status: "running" } }, "then.status: must be one of success, error, timeout, interrupted"],
    [{ then: { after: "5S" } }, "then.after: must be a duration such as 6h"],
    [{ then: { values: [] } }, "then.values: must be a JSON object"],
    [{ then: { events: [{ mode: "video" }] } }, "then.events[0].mode: must be one of"],
    [{ then: { event: [] } }, "then.event: is not a known field"],
    [{ then: {}, match: { nth: 0 } }, "match.nth: must be >= 1"],
    [{ match: {} }, "then: is required"],
    [{ then: { interrupt: 1, status: "error" } }, "then.interrupt: only goes with status interrupted"],
    [{ then: { events: new Array(1001).fill({}) } }, "then.events: must have at most 1000 items"],
  ])("%j is refused, naming the wrong member", async (script, problem) => {
    const misfits = (await checkOf(SCRIPT))(script, "body");
    const events = misfits.length > 0 ? misfits : [`body.${scriptProblem(script as ScriptInput)}`];
    expect(events).toEqual([expect.stringContaining(`body.${problem}`)]);
  });
});
