import type * as realFs from "node:fs";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { openTraceStore, type TraceFiles } from "../../../emulator/storage/rows/store.ts";
import {
  DAY,
  idOf,
  instant,
  readAll,
  SCOPE,
  SESSION,
  sampleRow,
  temporaryFolder,
  wholeDay,
} from "./sample-row.ts";

/** What was asked of the file system, and how many more calls succeed before one fails. */
const recordedCalls = vi.hoisted(() => ({ calls: [] as string[], failing: new Map<string, number>() }));

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof realFs>();
  const watched = Object.entries(fs).map(([name, value]) => {
    if (typeof value !== "function" || !name.endsWith("Sync")) return [name, value];
    return [
      name,
      (...parameters: unknown[]) => {
        recordedCalls.calls.push(name);
        const left = recordedCalls.failing.get(name);
        if (left !== undefined) recordedCalls.failing.set(name, left - 1);
        if (left === 0) throw Object.assign(new Error(`${name} failed`), { code: "EPERM" });
        return (value as (...all: unknown[]) => unknown)(...parameters);
      },
    ];
  });
  return { ...Object.fromEntries(watched), default: fs };
});

beforeEach(() => {
  recordedCalls.calls = [];
  recordedCalls.failing.clear();
});

/** The calls of the file system that an act makes. */
function callsOf(act: () => void): readonly string[] {
  recordedCalls.calls = [];
  act();
  return recordedCalls.calls.toSorted();
}

function storeOf(days: number, rowsPerDay: number): TraceFiles {
  const store = openTraceStore({ folder: temporaryFolder() });
  for (let day = 0; day < days; day += 1) {
    const date = new Date(Date.UTC(2025, 2, 1 + day)).toISOString().slice(0, 10);
    const rows = Array.from({ length: rowsPerDay }, (_, n) =>
      sampleRow(day * rowsPerDay + n, { start_time: instant(n, date) }),
    );
    store.write(SCOPE, rows);
  }
  return store;
}

test("a fork of many rows in many days asks no more of the file system than one of a single row", () => {
  const forks = (store: TraceFiles): readonly string[] => {
    const folder = join(temporaryFolder(), "fork");
    return callsOf(() => openTraceStore(store.fork(folder)));
  };
  const [small, large] = [storeOf(1, 1), storeOf(40, 500)];
  const calls = forks(small);
  expect(forks(large)).toStrictEqual(calls);
  expect(calls.length).toBeLessThan(25);
  for (const heavy of ["copyFileSync", "linkSync", "readSync"]) expect(calls).not.toContain(heavy);
  // It is opened to note the mark, which is done once for each mark.
  expect(calls.filter((name) => name === "openSync")).toHaveLength(1);
  const again = forks(small);
  expect(again).not.toContain("openSync");
  expect(forks(large)).toStrictEqual(again);
  large.close();
  expect(forks(openTraceStore(large.location)).length).toBeLessThanOrEqual(calls.length);
});

test("the first read and write of a fork ask no more of the file system, however much it goes on from", () => {
  const [small, large] = [storeOf(1, 2), storeOf(40, 500)];
  const firstUse = (store: TraceFiles): readonly string[] => {
    const fork = openTraceStore(store.fork(join(temporaryFolder(), "fork")));
    return callsOf(() => {
      expect(fork.read(SCOPE, idOf(1))?.status).toBe("pending");
      fork.write(SCOPE, [sampleRow(1, { start_time: instant(1), status: "changed" })]);
      fork.write(SCOPE, [sampleRow(0, { start_time: instant(0), status: "changed" })]);
      expect(fork.read(SCOPE, idOf(1))?.status).toBe("changed");
    });
  };
  const calls = firstUse(small);
  expect(firstUse(large)).toStrictEqual(calls);
  for (const heavy of ["copyFileSync", "linkSync", "renameSync"]) expect(calls).not.toContain(heavy);
});

test("what forks of one kept snapshot go on from is read once for all of them", () => {
  const store = storeOf(5, 20);
  const snapshot = openTraceStore({ ...store.fork(join(temporaryFolder(), "kept")), inherited: undefined });
  const firstRead = (name: string): number => {
    const fork = openTraceStore(snapshot.fork(join(temporaryFolder(), name)));
    return callsOf(() => fork.read(SCOPE, idOf(1))).filter((call) => call === "readSync").length;
  };
  const [first, second, third] = [firstRead("a"), firstRead("b"), firstRead("c")];
  expect(first).toBeGreaterThan(10);
  // The record of the row, and its line.
  expect([second, third]).toStrictEqual([2, 2]);
});

test.each([
  ["openSync", 0],
  ["openSync", 1],
  ["writeSync", 0],
  ["writeSync", 1],
])("a first write that fails in %s, after %i that did not, leaves the fork as it was", (name, before) => {
  const parent = storeOf(1, 3);
  const fork = openTraceStore(parent.fork(join(temporaryFolder(), "fork")));
  expect(fork.read(SCOPE, idOf(1))?.status).toBe("pending");
  recordedCalls.failing.set(name, before);
  const changed = sampleRow(1, { start_time: instant(1), status: "changed" });
  expect(() => fork.write(SCOPE, [changed])).toThrow(`${name} failed`);
  expect(fork.read(SCOPE, idOf(1))?.status).toBe("pending");
  fork.write(SCOPE, [changed]);
  for (const store of [fork, openTraceStore(fork.location)])
    expect(store.read(SCOPE, idOf(1))?.status).toBe("changed");
  expect(parent.read(SCOPE, idOf(1))?.status).toBe("pending");
});

/** A store that goes on from as many others as one may go on from, each of which has written a row. */
function forkChain(days: readonly string[] = [DAY]): TraceFiles {
  let last = openTraceStore({ folder: temporaryFolder() });
  for (let n = 0; n <= 32; n += 1) {
    if (n > 0) last = openTraceStore(last.fork(join(temporaryFolder(), "fork")));
    last.write(SCOPE, [sampleRow(n, { start_time: instant(n, days[n % days.length]) })]);
  }
  return last;
}

test.each([
  ["openSync", 40],
  ["renameSync", 0],
  ["renameSync", 1],
])("a chain of forks whose end cannot be made whole in %s, after %i, stays as it was", (name, before) => {
  const store = forkChain();
  expect(store.location.layers).toHaveLength(32);
  const fork = (): TraceFiles => openTraceStore(store.fork(join(temporaryFolder(), "fork")));
  recordedCalls.failing.set(name, before);
  expect(fork).toThrow(`${name} failed`);
  recordedCalls.failing.clear();
  for (const each of [store, openTraceStore(store.location), fork(), openTraceStore(store.location)]) {
    const rows = [...each.list(SCOPE, { sessionIds: [SESSION], order: "asc" })];
    expect(rows.map((row) => row.read().name)).toStrictEqual(rows.map((_, n) => `step ${n}`));
    expect(rows).toHaveLength(33);
  }
  expect(fork().location.layers).toHaveLength(1);
  const left = readdirSync(store.location.folder, { recursive: true, encoding: "utf8" });
  expect(left.filter((path) => path.endsWith(".new"))).toStrictEqual([]);
});

test("a chain of forks whose end is partly whole keeps what is written to it afterwards", () => {
  const store = forkChain([DAY, "2025-03-02"]);
  // Each day has two files.
  recordedCalls.failing.set("renameSync", 2);
  expect(() => store.fork(join(temporaryFolder(), "fork"))).toThrow("renameSync failed");
  recordedCalls.failing.clear();
  store.write(SCOPE, [sampleRow(0, { start_time: instant(0), name: "afterwards" })]);
  for (const each of [store, openTraceStore(store.location)]) {
    expect(each.read(SCOPE, idOf(0))?.name).toBe("afterwards");
    expect(readAll(each.location, wholeDay(each.mark())).map(({ name }) => name)).toContain("afterwards");
  }
});

test("the files of a fork have what it has added, and nothing else", () => {
  const parent = storeOf(1, 3);
  const fork = openTraceStore(parent.fork(join(temporaryFolder(), "fork")));
  parent.write(SCOPE, [sampleRow(9, { start_time: instant(9), name: "of the parent" })]);
  fork.write(SCOPE, [sampleRow(8, { start_time: instant(8), name: "of the fork" })]);
  const names = readdirSync(fork.location.folder, { recursive: true, encoding: "utf8" });
  const data = names.find((name) => name.endsWith(".ndjson")) ?? "no data";
  const lines = readFileSync(join(fork.location.folder, data), "utf8").split("\n");
  expect(lines.filter((line) => line !== "").map((line) => JSON.parse(line).name)).toStrictEqual([
    "of the fork",
  ]);
});

test("many forks of many days share the files that a process may have open", () => {
  const parent = storeOf(8, 1);
  const forks = Array.from({ length: 60 }, () =>
    openTraceStore(parent.fork(join(temporaryFolder(), "fork"))),
  );
  const names = (store: TraceFiles): unknown[] =>
    [...store.list(SCOPE, { sessionIds: [SESSION], order: "asc" })].map((row) => row.read().name);
  recordedCalls.calls = [];
  for (const [at, fork] of forks.entries()) fork.write(SCOPE, [sampleRow(0, { name: `fork ${at}` })]);
  for (const [at, fork] of forks.entries())
    expect(names(fork)).toStrictEqual([
      `fork ${at}`,
      ...Array.from({ length: 7 }, (_, n) => `step ${n + 1}`),
    ]);
  const counted = (name: string): number => recordedCalls.calls.filter((call) => call === name).length;
  expect(counted("openSync")).toBeGreaterThan(2 * 60 * 8);
  expect(counted("openSync") - counted("closeSync")).toBeLessThan(2 * 300);
  for (const fork of forks) fork.close();
});
