import fs, { readdirSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import {
  idOf,
  instant,
  openTraceStore,
  readAll,
  SCOPE,
  SESSION,
  sampleRow,
  type TestRows,
  temporaryFolder,
  wholeDay,
} from "../../storage/rows/open-store.ts";
import { replaceFileFunctions } from "../../support/file-functions.ts";

/** What was asked of the file system. */
const recorded = { calls: [] as string[] };

const watched = Object.entries(fs)
  .filter(([name, value]) => typeof value === "function" && name.endsWith("Sync"))
  .map(([name, value]) => [
    name,
    (...parameters: unknown[]) => {
      recorded.calls.push(name);
      return (value as (...all: unknown[]) => unknown)(...parameters);
    },
  ]);
replaceFileFunctions(Object.fromEntries(watched));

beforeEach(() => {
  recorded.calls = [];
});

/** The calls of the file system that an act makes. */
function callsOf(act: () => void): readonly string[] {
  recorded.calls = [];
  act();
  return recorded.calls.toSorted();
}

function storeOf(days: number, rowsPerDay: number): TestRows {
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

test("a fork of many rows in many days costs as few file operations as one of a single row", () => {
  const [small, large] = [storeOf(1, 1), storeOf(40, 500)];
  // The folder of discarded files is made once.
  for (const store of [small, large]) store.fork();
  const calls = callsOf(() => small.fork());
  expect(callsOf(() => large.fork())).toStrictEqual(calls);
  for (const heavy of ["copyFileSync", "linkSync", "readSync", "openSync", "mkdirSync"])
    expect(calls).not.toContain(heavy);
  // One line for the fork in both copies of the log. It also looks for files at the paths of its view, journal and bodies.
  expect(calls.filter((name) => name === "writeSync")).toHaveLength(2);
  expect(calls.length).toBeLessThanOrEqual(8);
});

test("the first read and write of a fork cost the same for sources of any size", () => {
  const [small, large] = [storeOf(1, 2), storeOf(40, 500)];
  const firstUse = (store: TestRows): readonly string[] => {
    const fork = store.fork();
    return callsOf(() => {
      fork.read(SCOPE, idOf(0));
      fork.write(SCOPE, [sampleRow(1, { status: "done" })]);
    });
  };
  firstUse(small);
  firstUse(large);
  expect(firstUse(large).length).toBeLessThanOrEqual(firstUse(small).length);
});

test("forks of one world read their source once", () => {
  const store = storeOf(10, 100).reopen();
  const readsOf = () =>
    callsOf(() => store.fork().read(SCOPE, idOf(0))).filter((name) => name === "readSync");
  expect(readsOf().length).toBeGreaterThan(10);
  expect(readsOf().length).toBeLessThanOrEqual(2);
});

test("many forks of many days share the files that a process may have open", () => {
  const store = storeOf(40, 2);
  const before = readdirSync("/dev/fd").length;
  for (let fork = 0; fork < 30; fork += 1) {
    const each = store.fork();
    for (let n = 0; n < 80; n += 1) expect(each.read(SCOPE, idOf(n))?.id).toBe(idOf(n));
    each.write(SCOPE, [sampleRow(1, { status: "done" })]);
  }
  expect(readdirSync("/dev/fd").length - before).toBeLessThan(300);
});

test("a long chain of forks reads and lists what all of them have written, in a bounded number of files", () => {
  let store = storeOf(1, 10);
  for (let n = 0; n < 50; n += 1) {
    store = store.fork();
    store.write(SCOPE, [sampleRow(n % 10, { status: `${n}` })]);
  }
  const expected = Array.from({ length: 10 }, (_, n) => `${40 + n}`);
  const { sessionId, day } = wholeDay(0);
  const { rowFiles } = store.location({ ...SCOPE, sessionId, day, asOf: store.mark() });
  expect(rowFiles.length).toBeGreaterThan(1);
  expect(rowFiles.length).toBeLessThanOrEqual(33);
  for (const each of [store, store.reopen()]) {
    expect(expected.map((_, n) => each.read(SCOPE, idOf(n))?.status)).toStrictEqual(expected);
    const rows = readAll(each.location, wholeDay(each.mark()));
    expect(rows.map(({ status }) => status).sort()).toStrictEqual(expected);
    expect([...each.list(SCOPE, { sessionIds: [SESSION], order: "asc" })]).toHaveLength(10);
  }
});
