import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { INSPECTION_OPERATIONS } from "../../emulator/control/inspection.ts";
import { type Bar, mergedBars } from "../../emulator/control/turns/bars.ts";
import { type Lanes, lanesOf } from "../../emulator/control/turns/lanes.ts";
import type { TurnPage } from "../../emulator/control/turns/pages.ts";
import { createTurnIndex } from "../../emulator/control/turns/turn-index.ts";
import type { Commit } from "../../emulator/kernel/commit.ts";
import { createJournal, type JournalEntry } from "../../emulator/kernel/journal.ts";
import type { Lines } from "../../emulator/subjects/control-operation.ts";
import { openAgentWorld } from "../support/agent-world.ts";
import { startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const BEGIN = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

/** A turn some time after the one before. */
const turn = fc.record({
  afterMs: fc.oneof(fc.constant(0), fc.nat(2_000), fc.nat(40 * MINUTE), fc.constant(20 * 24 * 60 * MINUTE)),
  cause: fc.constantFrom("request", "event"),
  name: fc.constantFrom("createThread", "cron.fire", "webhook.due", "export.spawn", "faults.arm", "other"),
  status: fc.constantFrom(undefined, 404, 429),
  note: fc.constantFrom(
    undefined,
    "webhook.delivered",
    "webhook.failed",
    "fault.triggered",
    "agent_run.moved",
  ),
  ref: fc.constantFrom("a", "b", "c"),
  to: fc.constantFrom("pending", "running", "success", "error"),
});
type MadeTurn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

function journalOf(turns: readonly MadeTurn[], capacity: number) {
  const journal = createJournal(capacity, 0);
  let now = BEGIN;
  for (const [index, { afterMs, cause, name, status, note, ref, to }] of turns.entries()) {
    now += afterMs;
    const notes = note === undefined ? {} : { notes: [{ kind: note, ref, detail: { to } }] };
    const commit = { turn: index + 1, now, cause: { type: cause, name, ref }, ...notes } as unknown as Commit;
    journal.append(commit, status === undefined ? undefined : { status, code: "c", message: "m" });
  }
  return journal;
}

type Mark = { readonly at: number; readonly turn: number; readonly bad: boolean };

/** The marks of a lane, computed from all turns at once. */
function marksOf(entries: readonly JournalEntry[], lane: string): readonly Mark[] {
  return entries.flatMap(({ turn, now, cause, refused, notes = [] }) => {
    const at = Date.parse(now);
    const own =
      refused?.status === 429
        ? "limits"
        : cause.type === "request"
          ? "requests"
          : refused
            ? undefined
            : {
                "cron.fire": "schedules",
                "export.spawn": "schedules",
                "webhook.due": "webhooks",
                "faults.arm": "faults",
              }[cause.name];
    return [
      ...(own === lane ? [{ at, turn, bad: refused !== undefined }] : []),
      ...notes.flatMap(({ kind }) => {
        const isHere =
          lane === "faults" ? kind === "fault.triggered" : lane === "webhooks" && kind.startsWith("webhook.");
        return isHere ? [{ at, turn, bad: kind !== "webhook.delivered" }] : [];
      }),
    ];
  });
}

function cellsOf(marks: readonly Mark[], step: number, from: number, to: number) {
  const cells = new Map<number, Mark[]>();
  for (const mark of marks.filter(({ at }) => at >= from && at <= to)) {
    const cell = Math.floor(mark.at / step);
    cells.set(cell, [...(cells.get(cell) ?? []), mark]);
  }
  return [...cells.values()].map((list) => ({
    at: list[0]?.at,
    turn: list[0]?.turn,
    ...(list.length > 1 && { to: list.at(-1)?.at, count: list.length }),
    ...(list.some(({ bad }) => bad) && { bad: true }),
  }));
}

function barsOf(entries: readonly JournalEntry[]) {
  const bars = new Map<string, { id: string; from: number; to: number | null; status: string }>();
  for (const { now, notes = [] } of entries)
    for (const { kind, ref, detail } of notes) {
      if (kind !== "agent_run.moved") continue;
      const status = String(detail?.to);
      const to = status === "pending" || status === "running" ? null : Date.parse(now);
      bars.set(ref, { id: ref, from: bars.get(ref)?.from ?? Date.parse(now), to, status });
    }
  return [...bars.values()].sort((a, b) => a.from - b.from);
}

function expectNaive(
  lanes: Lanes,
  entries: readonly JournalEntry[],
  from = 0,
  to = Number.POSITIVE_INFINITY,
) {
  expect(lanes.turns).toBe(entries.length);
  for (const [lane, { total, cells }] of Object.entries(lanes.marks)) {
    const marks = marksOf(entries, lane);
    expect(total).toBe(marks.length);
    expect(cells.map(({ label, ...cell }) => cell)).toEqual(cellsOf(marks, lanes.step_ms, from, to));
  }
  expect(lanes.overview.cells.reduce((sum, [, count]) => sum + count, 0)).toBe(entries.length);
}

describe("the lanes of the turns", () => {
  const world = fc.record({
    turns: fc.array(turn, { minLength: 1, maxLength: 60 }),
    more: fc.array(turn, { maxLength: 20 }),
    capacity: fc.constantFrom(10, 1_000),
    columns: fc.integer({ min: 1, max: 50 }),
  });

  it("are the same as computed from all turns at once, also when turns arrive and are dropped between two replies", () => {
    fc.assert(
      fc.property(world, ({ turns, more, capacity, columns }) => {
        const index = createTurnIndex();
        index.update(journalOf(turns, capacity));
        const journal = journalOf([...turns, ...more], capacity);
        index.update(journal);
        const entries = journal.since(0);
        const lanes = lanesOf(index, { columns });
        expectNaive(lanes, entries);
        expect(
          [...(lanes.agent_runs.bars ?? [])].sort((a, b) => a.from - b.from || (a.id < b.id ? -1 : 1)),
        ).toEqual([...barsOf(entries)].sort((a, b) => a.from - b.from || (a.id < b.id ? -1 : 1)));
        const instants = entries.map(({ now }) => Date.parse(now));
        const [from, to] = [instants[instants.length >> 2] ?? 0, instants[instants.length >> 1] ?? 0];
        expectNaive(lanesOf(index, { columns, from, to }), entries, from, to);
      }),
      { numRuns: 75 },
    );
  });

  it("are at most so many cells, however the turns are distributed", () => {
    fc.assert(
      fc.property(world, ({ turns, columns }) => {
        const index = createTurnIndex();
        index.update(journalOf(turns, 1_000));
        const { overview, gaps } = lanesOf(index, { columns });
        // The time before and after each gap begins and ends within a cell.
        expect(overview.cells.length).toBeLessThanOrEqual(columns + 2 * (gaps.length + 1));
      }),
      { numRuns: 75 },
    );
  });

  it("as a delta with the last reply are the same as all of them", () => {
    fc.assert(
      fc.property(world, ({ turns, more, capacity, columns }) => {
        const index = createTurnIndex();
        index.update(journalOf(turns, capacity));
        const before = lanesOf(index, { columns });
        index.update(journalOf([...turns, ...more], capacity));
        const delta = lanesOf(index, { columns, since: before.turn, stepMs: before.step_ms });
        const all = lanesOf(index, { columns });
        if (delta.since === undefined) {
          expect(delta).toEqual(all);
          return;
        }
        for (const lane of ["requests", "faults", "limits"] as const)
          expect(mergedCells(before, delta, lane)).toEqual(all.marks[lane].cells);
        expect(delta.agent_runs.bars ?? before.agent_runs.bars).toEqual(all.agent_runs.bars);
      }),
      { numRuns: 75 },
    );
  });

  it("merges bars until there are few enough, and counts them", () => {
    const bars: readonly Bar[] = Array.from({ length: 500 }, (_, n) => ({
      ...{ id: `run ${n}`, from: n * 7, to: n % 5 === 0 ? null : n * 7 + (n % 90) },
      status: n === 3 ? "error" : "success",
    }));
    const merged = mergedBars(bars, 1, 20);
    expect(merged.length).toBeLessThanOrEqual(20);
    expect(merged.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(500);
    expect(merged.filter(({ status }) => status === "error")).toHaveLength(1);
  });
});

function mergedCells(before: Lanes, { since = 0, first, step_ms, marks }: Lanes, lane: keyof Lanes["marks"]) {
  const firstCell = Math.floor((first ?? 0) / step_ms);
  const same = before.marks[lane].cells.filter(
    ({ at }) => at < since && Math.floor(at / step_ms) > firstCell,
  );
  return [...same, ...marks[lane].cells].sort((a, b) => a.at - b.at);
}

const rig = useRig("test", () => startRig());
const turnsPage = (query = "") => rig.emulator.control<TurnPage>("GET", `/turns${query}`);

describe("GET /turns", () => {
  it("shows pages by position, around a turn and at a time, and reads new turns into a filtered list", async () => {
    for (let count = 0; count < 12; count += 1) await rig.call("POST", "/threads", {});
    await rig.call("GET", "/threads/00000000-0000-4000-8000-000000000000");
    const all = await rig.emulator.control<readonly JournalEntry[]>("GET", "/journal");
    const newest = await turnsPage("?limit=3");
    expect(newest).toEqual({
      items: all.slice(-3),
      offset: all.length - 3,
      matching: all.length,
      total: all.length,
      first_turn: all[0]?.turn,
    });
    expect((await turnsPage("?limit=2&offset=4")).items).toEqual(all.slice(4, 6));
    expect((await turnsPage(`?limit=3&turn=${all[5]?.turn}`)).items).toEqual(all.slice(4, 7));
    const at = encodeURIComponent(all[7]?.now ?? "");
    expect((await turnsPage(`?limit=1&at=${at}`)).items[0]?.now).toBe(all[7]?.now);
    const ids = all.filter(({ cause }) => cause.name === "createThread");
    expect(await turnsPage("?limit=5&text=CREATEthread")).toMatchObject({
      items: ids.slice(-5),
      matching: ids.length,
      total: all.length,
    });
    await rig.call("POST", "/threads", {});
    expect((await turnsPage("?limit=5&text=CREATEthread")).matching).toBe(ids.length + 1);
    expect((await turnsPage("?status=404")).items.map(({ refused }) => refused?.status)).toEqual([404]);
    expect((await turnsPage("?kind=refused")).matching).toBe(1);
    expect((await turnsPage("?kind=fault")).items).toEqual([]);
  });

  it("refuses two places and an unknown kind, and names what is valid", async () => {
    const { status, body } = await rig.call<object>("GET", "/_emulator/v1/turns?offset=1&turn=2");
    expect(status).toBe(422);
    expect(JSON.stringify(body)).toContain("Send one of offset, turn and at.");
    const unknown = await rig.call<object>("GET", "/_emulator/v1/turns?kind=x");
    expect(unknown.status).toBe(422);
    expect(JSON.stringify(unknown.body)).toContain("object_storage");
    expect((await rig.call("GET", "/_emulator/v1/turns?limit=0")).status).toBe(422);
  });
});

describe("GET /lanes", () => {
  it("counts every turn, and refuses a range that ends before it begins", async () => {
    await rig.call("POST", "/threads", {});
    const lanes = await rig.emulator.control<Lanes>("GET", "/lanes");
    const { total } = await turnsPage();
    expect(lanes.turns).toBe(total);
    await rig.call("POST", "/threads", {});
    expect((await rig.emulator.control<Lanes>("GET", "/lanes?columns=10")).turns).toBe(total + 1);
    const { status, body } = await rig.call<object>(
      "GET",
      "/_emulator/v1/lanes?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z",
    );
    expect(status).toBe(422);
    expect(JSON.stringify(body)).toContain("Give a range that begins before it ends.");
    expect((await rig.call("GET", "/_emulator/v1/lanes?columns=0")).status).toBe(422);
    expect((await rig.call("GET", "/_emulator/v1/lanes?from=soon")).status).toBe(422);
  });
});

describe("GET /status?follow=1", () => {
  it("sends the status at once and after new turns, several of them in one line, until the world ends", async () => {
    const reply = await fetch(`${rig.emulator.url}/_emulator/v1/status?follow=1`);
    const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    let text = "";
    const lines = () =>
      text
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as { turn: number });
    const read = async () => {
      const { value, done } = await reader.read();
      text += decoder.decode(value, { stream: true });
      return done;
    };
    while (lines().length < 1) await read();
    const before = lines()[0]?.turn ?? 0;
    for (let count = 0; count < 20; count += 1) await rig.call("POST", "/threads", {});
    while (lines().at(-1)?.turn !== before + 20) await read();
    expect(lines().length).toBeLessThan(21);
    await rig.emulator.control("POST", "/reset", {});
    while (!(await read()));
    expect(lines().at(-1)?.turn).toBe(before + 20);
  });

  it("waits for the next turn of a quiet world, and for its end", async () => {
    const { world, thread } = await openAgentWorld();
    const operation = INSPECTION_OPERATIONS.find(({ path }) => path === "/status");
    const context = { world, status: () => ({ turn: world.lastTurn }), pause: async () => {} };
    const stream = await operation?.run(context as never, { query: { follow: 1 } } as never);
    const iterator = (stream as Lines).lines[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toBe(`{"turn":${world.lastTurn}}\n`);
    const second = iterator.next();
    // It looks for a turn before it waits.
    await new Promise((resolve) => setImmediate(resolve));
    thread();
    expect((await second).value).toBe(`{"turn":${world.lastTurn}}\n`);
    const third = iterator.next();
    await new Promise((resolve) => setImmediate(resolve));
    world.end(new Error("The world has ended."));
    expect(await third).toEqual({ value: undefined, done: true });
  });
});
