import { describe, expect, it } from "vitest";
import { applyCommits } from "../../emulator/kernel/commit.ts";
import { DATA_DAMAGED, Refusal } from "../../emulator/kernel/refusal.ts";
import { isPendingReply } from "../../emulator/kernel/turn.ts";
import { gate, REQUEST, SHEEP, toyState, toyWorld } from "./toy-world.ts";

const dolly = { id: "dolly", flock: "a", legs: 4 };

describe("a turn", () => {
  it("persists its record changes as one commit", () => {
    const { world, commits } = toyWorld();
    world.turn(REQUEST, (turn) => {
      turn.put(SHEEP, dolly);
      turn.put(SHEEP, { ...dolly, legs: 3 });
      turn.put(SHEEP, { id: "shaun", flock: "a", legs: 4 });
      turn.remove(SHEEP, "shaun");
    });
    expect(commits).toHaveLength(1);
    expect(commits[0]?.put?.sheep).toEqual([{ key: "dolly", record: { ...dolly, legs: 3 } }]);
    expect(commits[0]?.removed?.sheep).toEqual(["shaun"]);
    expect(world.reader.get(SHEEP, "dolly")?.legs).toBe(3);
  });

  it("that only reads is in the journal and persists nothing", () => {
    const { world, commits } = toyWorld();
    world.turn(REQUEST, (turn) => turn.get(SHEEP, "dolly"));
    expect(commits).toEqual([]);
    expect(world.journal.since(0)).toHaveLength(1);
  });

  it("that refuses changes nothing and is recorded as refused", () => {
    const { world, commits } = toyWorld();
    const refuse = () =>
      world.turn(REQUEST, () => {
        throw new Refusal(404, "not_found", "No such sheep.");
      });
    expect(refuse).toThrow("No such sheep.");
    expect(commits).toEqual([]);
    expect(world.defect).toBeUndefined();
    expect(world.journal.since(0)[0]?.refused).toEqual({
      status: 404,
      code: "not_found",
      message: "No such sheep.",
    });
  });

  it("that refuses after it has written is a defect and ends the world", () => {
    const { world, commits } = toyWorld();
    const falseValue = () =>
      world.turn(REQUEST, (turn) => {
        turn.put(SHEEP, dolly);
        throw new Refusal(422, "too_late", "Never mind.");
      });
    expect(falseValue).toThrow("refused after it had written");
    expect(commits).toEqual([]);
    expect(() => world.turn(REQUEST, () => undefined)).toThrow("refused after it had written");
  });

  it("that reads a damaged file after it has written is reverted, and the world continues", () => {
    const { world, commits } = toyWorld();
    world.turn(REQUEST, (turn) => turn.put(SHEEP, dolly));
    const damagedRead = () =>
      world.turn(REQUEST, (turn) => {
        turn.put(SHEEP, { ...dolly, legs: 3 });
        turn.put(SHEEP, { id: "shaun", flock: "a", legs: 4 });
        turn.schedule({ kind: "bleat", ref: "dolly", afterMs: 1, data: {} });
        throw new Refusal(409, DATA_DAMAGED, "A file is damaged.");
      });
    expect(damagedRead).toThrow("A file is damaged.");
    expect([...world.reader.list(SHEEP)]).toEqual([dolly]);
    expect(world.queue()).toEqual([]);
    expect(world.journal.since(1)).toMatchObject([{ refused: { code: DATA_DAMAGED } }]);
    world.turn(REQUEST, (turn) => turn.remove(SHEEP, "dolly"));
    expect(commits).toHaveLength(2);
  });

  it("has its events in the queue when the journal has its entry: a clock sets its timer by that", () => {
    const { world } = toyWorld({ events: { bleat: () => undefined } });
    const events: unknown[] = [];
    world.journal.follow(() => events.push(world.nextEvent()?.kind));
    world.turn(REQUEST, (turn) => turn.schedule({ kind: "bleat", ref: "x", afterMs: 10, data: {} }));
    expect(events).toEqual(["bleat"]);
  });

  it("is listed in the journal as before once that has been condensed", () => {
    const { world } = toyWorld();
    world.turn(REQUEST, (turn) => turn.put(SHEEP, dolly));
    world.turn(REQUEST, (turn) => turn.remove(SHEEP, "dolly"));
    const list = world.journal.since(0);
    expect(list.map(({ put, removed }) => [put, removed])).toEqual([
      [["sheep/dolly"], undefined],
      [undefined, ["sheep/dolly"]],
    ]);
    world.journal.condense(1);
    expect(world.journal.since(0)).toEqual(list);
    // A condensed turn no longer holds records; the entry of any other turn is made for each read.
    const [first, second] = world.journal.since(0);
    const [again, anew] = world.journal.since(0);
    expect([again === first, anew === second]).toEqual([true, false]);
    expect(world.journal.lastOf(({ turn }) => turn <= 1)).toEqual({ turn: 1, now: world.now });
  });

  it("cannot be used when it is over", () => {
    const { world, commits } = toyWorld();
    const endedTurn = world.turn(REQUEST, (turn) => turn);
    expect(() => endedTurn.put(SHEEP, dolly)).toThrow("after its end");
    expect(() => endedTurn.nextId("sheep")).toThrow("after its end");
    expect(world.reader.get(SHEEP, "dolly")).toBeUndefined();
    expect(commits).toEqual([]);
  });

  it("may not begin inside another", () => {
    const { world } = toyWorld();
    expect(() => world.turn(REQUEST, () => world.turn(REQUEST, () => undefined))).toThrow(
      "began inside another",
    );
  });

  it("lists a group in the order of first writing, also after later writes", () => {
    const { world } = toyWorld();
    world.turn(REQUEST, (turn) => {
      for (const id of ["a", "b", "c"]) turn.put(SHEEP, { id, flock: "x", legs: 4 });
      turn.put(SHEEP, { id: "a", flock: "x", legs: 2 });
      turn.put(SHEEP, { id: "b", flock: "y", legs: 4 });
    });
    expect([...world.reader.list(SHEEP, "x")].map(({ id }) => id)).toEqual(["a", "c"]);
    expect(world.reader.count(SHEEP, "y")).toBe(1);
  });
});

describe("ids", () => {
  it("are a function of seed, kind and ordinal, so that another kind shifts nothing", () => {
    const draw = (kinds: readonly string[]) => {
      const { world } = toyWorld();
      return world.turn(REQUEST, (turn) => kinds.map((kind) => turn.nextId(kind)));
    };
    const [first, second] = draw(["sheep", "sheep"]);
    expect(draw(["sheep", "wolf", "sheep"])).toEqual([first, expect.any(String), second]);
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(first).not.toBe(second);
  });
});

describe("events", () => {
  it("fire at their instants, ties in order of scheduling", () => {
    const events: string[] = [];
    const { world } = toyWorld({
      events: { bleat: (turn, { ref }) => void events.push(`${ref}@${turn.now}`) },
    });
    world.turn(REQUEST, (turn) => {
      for (const [ref, afterMs] of [
        ["late", 20],
        ["first", 10],
        ["second", 10],
        ["now", 0],
      ] as const)
        turn.schedule({ kind: "bleat", ref, afterMs, data: {} });
    });
    expect(events).toEqual(["now@0"]);
    world.moveTo(10);
    world.moveTo(25);
    expect(events).toEqual(["now@0", "first@10", "second@10", "late@25"]);
  });

  it("name what scheduled them", () => {
    const { world } = toyWorld({ events: { bleat: () => undefined } });
    world.turn(REQUEST, (turn) => turn.schedule({ kind: "bleat", ref: "dolly", afterMs: 0, data: {} }));
    expect(world.journal.since(1)[0]?.cause).toEqual({
      type: "event",
      name: "bleat",
      ref: "dolly",
      detail: { scheduled_by: "test" },
    });
  });
});

describe("effects", () => {
  const ask = { kind: "shear", ref: "dolly" } as const;

  it("begin after the commit, and their results are events in the order of requests within a lane", async () => {
    const gates = [gate<object>(), gate<object>(), gate<object>()];
    const events: unknown[] = [];
    const order: string[] = [];
    const { world } = toyWorld({
      results: { shear: (_turn, { data }, result) => void events.push([data.nr, result]) },
      effects: {
        shear: ({ data }) => {
          order.push(`start ${data.nr}`);
          return gates[Number(data.nr)]?.promise as Promise<object>;
        },
      },
    });
    world.turn(REQUEST, (turn) => {
      for (const [nr, lane] of [
        [0, "x"],
        [1, "x"],
        [2, "y"],
      ] as const)
        turn.requestEffect({ ...ask, lane, data: { nr } });
      order.push("turn over");
    });
    expect(order).toEqual(["turn over", "start 0", "start 1", "start 2"]);
    gates[1]?.open({ wool: 1 });
    gates[2]?.open({ wool: 2 });
    await gates[2]?.promise;
    expect(events).toEqual([[2, { wool: 2 }]]);
    gates[0]?.open({ wool: 0 });
    await world.whenSettled();
    expect(events).toEqual([
      [2, { wool: 2 }],
      [0, { wool: 0 }],
      [1, { wool: 1 }],
    ]);
    expect(world.inFlight()).toEqual([]);
  });

  it("that were running when the process ended have the result interrupted", () => {
    const never = new Promise<object>(() => {});
    const before = toyWorld({ effects: { shear: () => never } });
    before.world.turn(REQUEST, (turn) => turn.requestEffect({ ...ask, lane: "x", data: {} }));
    const state = applyCommits(toyState(), before.commits);
    expect(state.inFlight).toHaveLength(1);
    const events: unknown[] = [];
    const after = toyWorld({
      state,
      results: { shear: (_turn, _effect, result) => void events.push(result) },
    });
    after.world.recover();
    expect(events).toEqual([{ failure: "interrupted", message: "the emulator was restarted" }]);
    expect(applyCommits(state, after.commits).inFlight).toEqual([]);
  });

  it("that reject are defects, which answer the requests that wait for them", async () => {
    const { world } = toyWorld({ effects: { shear: () => Promise.reject(new Error("blunt")) } });
    const pendingReply = world.turn(REQUEST, (turn) => {
      turn.requestEffect({ ...ask, lane: "x", data: {} });
      return turn.deferReply();
    });
    const reply = world.awaitReply(pendingReply.number);
    await world.whenSettled();
    expect(world.defect?.message).toBe("blunt");
    expect(await reply).toBe(world.defect);
  });
});

describe("pending replies", () => {
  it("are answered by a later turn", async () => {
    const { world } = toyWorld({
      events: { bleat: (turn, { data }) => turn.resolveReply(Number(data.replyNumber), "baa") },
    });
    const pendingReply = world.turn(REQUEST, (turn) => {
      const pendingReply = turn.deferReply();
      turn.schedule({ kind: "bleat", ref: "dolly", afterMs: 5, data: { replyNumber: pendingReply.number } });
      return pendingReply;
    });
    expect(isPendingReply(pendingReply)).toBe(true);
    const answer = world.awaitReply(pendingReply.number);
    world.moveTo(5);
    expect(await answer).toBe("baa");
  });

  it("of before a restart never answer a new request", () => {
    const first = toyWorld();
    const before = first.world.turn(REQUEST, (turn) => turn.deferReply());
    const second = toyWorld({ state: applyCommits(toyState(), first.commits) });
    expect(second.world.turn(REQUEST, (turn) => turn.deferReply()).number).not.toBe(before.number);
  });

  it("are rejected with the reason when the world ends", async () => {
    const { world } = toyWorld();
    const answer = world.awaitReply(world.turn(REQUEST, (turn) => turn.deferReply()).number);
    world.end(new Refusal(409, "reset", "Gone."));
    expect(await answer).toBeInstanceOf(Refusal);
    expect(() => world.turn(REQUEST, () => undefined)).toThrow("Gone.");
  });
});

describe("commits", () => {
  it("rebuild the state: records, queue, effects, ordinals and clock", () => {
    const never = new Promise<object>(() => {});
    const { world, commits } = toyWorld({
      effects: { shear: () => never },
      events: { bleat: () => undefined },
    });
    world.turn(REQUEST, (turn) => {
      turn.put(SHEEP, { ...dolly, id: turn.nextId("sheep") });
      turn.put(SHEEP, dolly);
      turn.schedule({ kind: "bleat", ref: "x", afterMs: 10, data: {} });
      turn.schedule({ kind: "bleat", ref: "y", afterMs: 30, data: {} });
      turn.requestEffect({ kind: "shear", ref: "z", lane: "l", data: {} });
    });
    world.moveTo(10);
    world.turn(REQUEST, (turn) => turn.remove(SHEEP, "dolly"));
    world.turn({ type: "control", name: "flow" }, (turn) => turn.setClock({ mode: "flowing", rate: 2 }));
    const rebuilt = applyCommits(toyState(), commits);
    expect(JSON.parse(JSON.stringify(rebuilt))).toEqual(JSON.parse(JSON.stringify(world.state())));
    expect(applyCommits(rebuilt, commits.slice(0, 1))).toEqual(rebuilt);
  });
});

describe("a stored world", () => {
  const event = { number: 1, at: 10, kind: "bleat", ref: "dolly", data: {}, cause: "test" };
  const effect = { number: 1, kind: "shear", ref: "dolly", lane: "x", data: {} };

  it.each([
    ["event", { queue: [event, { ...event, number: 2, kind: "moo" }] }, "the event moo (dolly)"],
    [
      "effect",
      { inFlight: [effect, { ...effect, number: 2, kind: "toString" }] },
      "the effect toString (dolly)",
    ],
  ])("with an %s of an unknown kind is refused before it begins", (_what, state, name) => {
    expect(() => toyWorld({ state: { ...toyState(), ...state } })).toThrow(
      expect.objectContaining({
        status: 422,
        code: "unknown_event",
        message: `The stored world contains ${name}, which this version does not know.`,
        hint: "Start the version that wrote this data, or use another --data folder.",
      }),
    );
  });

  it("may name an earlier event name for the result of an effect", () => {
    const events: unknown[] = [];
    const older = { ...effect, then: "shorn" };
    const { world } = toyWorld({
      state: { ...toyState(), inFlight: [older] },
      results: { shear: (_turn, { ref }) => void events.push(ref) },
    });
    world.recover();
    expect(events).toEqual(["dolly"]);
  });
});
