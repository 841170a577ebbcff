import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import type { TraceLocation } from "../../../emulator/storage/rows/layers.ts";
import { noteNext } from "../../../emulator/storage/rows/marks.ts";
import { RECORD_BYTES } from "../../../emulator/storage/rows/sidecar.ts";
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

const NEXT_DAY = "2025-03-02";
const START = "2025-01-01T00:00:00.000000Z";
const END = "2026-01-01T00:00:00.000000Z";

function newStore(): TraceFiles {
  return openTraceStore({ folder: temporaryFolder() });
}

function forkOf(store: TraceFiles): TraceFiles {
  return openTraceStore(store.fork(join(temporaryFolder(), "fork")));
}

function segment({ folder }: TraceLocation, day = DAY): string {
  return join(folder, SCOPE.region, SCOPE.tenantId, SESSION, day);
}

function statuses(store: TraceFiles, day = DAY, asOf = store.mark()): string[] {
  return readAll(store.location, wholeDay(asOf, day)).map(({ status }) => status as string);
}

function listed(store: TraceFiles): string[] {
  const rows = store.list(SCOPE, { sessionIds: [SESSION], order: "asc" });
  return [...rows].map((row) => `${row.startTime.slice(8, 10)} ${row.read().status}`);
}

/** All files of a folder with what is in them. */
function contents(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    names
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name), "hex")]),
  );
}

const moved = (n: number, status: string): TraceRow =>
  sampleRow(n, { start_time: instant(n, NEXT_DAY), status });

describe("a fork of a trace store", () => {
  test("sees the rows of its parent as of the fork, and neither sees the other's later ones", () => {
    const parent = newStore();
    parent.write(SCOPE, [sampleRow(1), sampleRow(2)]);
    const fork = forkOf(parent);
    parent.write(SCOPE, [sampleRow(1, { status: "parent" }), sampleRow(3)]);
    fork.write(SCOPE, [sampleRow(1, { status: "fork" })]);
    parent.write(SCOPE, [moved(4, "parent")]);
    expect(statuses(fork)).toStrictEqual(["fork", "pending"]);
    expect(statuses(parent)).toStrictEqual(["parent", "pending", "pending"]);
    expect(fork.read(SCOPE, idOf(1))?.status).toBe("fork");
    expect(parent.read(SCOPE, idOf(1))?.status).toBe("parent");
    expect(fork.read(SCOPE, idOf(3))).toBeUndefined();
    expect([listed(fork), listed(parent)]).toStrictEqual([
      ["01 fork", "01 pending"],
      ["01 parent", "01 pending", "01 pending", "02 parent"],
    ]);
    expect(fork.days(SCOPE, SESSION, START, END)).toStrictEqual([DAY]);
    expect(parent.days(SCOPE, SESSION, START, END)).toStrictEqual([DAY, NEXT_DAY]);
    expect([fork.mark(), parent.mark()]).toStrictEqual([3, 5]);
  });

  test("begins a day anew that its parent has begun after the fork", () => {
    const parent = newStore();
    parent.write(SCOPE, [sampleRow(1)]);
    const fork = forkOf(parent);
    parent.write(SCOPE, [moved(2, "parent")]);
    expect(fork.days(SCOPE, SESSION, START, END)).toStrictEqual([DAY]);
    fork.write(SCOPE, [moved(2, "fork")]);
    expect([statuses(fork, NEXT_DAY), statuses(parent, NEXT_DAY)]).toStrictEqual([["fork"], ["parent"]]);
  });

  test("moves a row to another day without a trace in its parent", () => {
    const parent = newStore();
    parent.write(SCOPE, [sampleRow(1), sampleRow(2), moved(3, "there")]);
    const before = contents(parent.location.folder);
    const fork = forkOf(parent);
    const mark = fork.mark();
    fork.write(SCOPE, [moved(1, "moved")]);
    expect([statuses(fork), statuses(fork, NEXT_DAY)]).toStrictEqual([["pending"], ["moved", "there"]]);
    expect(statuses(fork, DAY, mark)).toStrictEqual(["pending", "pending"]);
    expect(fork.readAsOf(SCOPE, idOf(1), mark)?.status).toBe("pending");
    expect(fork.readAsOf(SCOPE, idOf(1), fork.mark())?.status).toBe("moved");
    expect(statuses(parent)).toStrictEqual(["pending", "pending"]);
    parent.close();
    fork.close();
    for (const store of [openTraceStore(parent.location), openTraceStore(fork.location)])
      expect(store.read(SCOPE, idOf(1))?.status).toBe(store.location.layers?.length ? "moved" : "pending");
    expect(contents(parent.location.folder)).toMatchObject(before);
  });

  test("reads versions as of marks from before and after the fork", () => {
    const parent = newStore();
    parent.write(SCOPE, [sampleRow(1, { status: "first" })]);
    parent.write(SCOPE, [sampleRow(1, { status: "second" })]);
    const fork = forkOf(parent);
    parent.write(SCOPE, [sampleRow(1, { status: "parent" })]);
    fork.write(SCOPE, [sampleRow(1, { status: "fork" })]);
    const seen = (store: TraceFiles): unknown[] =>
      [0, 1, 2, 3].map((mark) => store.readAsOf(SCOPE, idOf(1), mark)?.status);
    expect(seen(fork)).toStrictEqual([undefined, "first", "second", "fork"]);
    expect(seen(parent)).toStrictEqual([undefined, "first", "second", "parent"]);
  });

  test("adds to a segment in files of its own, and copies nothing", () => {
    const parent = newStore();
    parent.write(SCOPE, [sampleRow(1), moved(2, "x")]);
    const fork = forkOf(parent);
    expect([statuses(fork), listed(fork)]).toStrictEqual([["pending"], ["01 pending", "02 x"]]);
    expect(readdirSync(fork.location.folder)).toStrictEqual([]);
    expect(fork.stats()).toStrictEqual({ rows: 2, bytes: 0 });
    fork.write(SCOPE, [sampleRow(1)]);
    expect([
      existsSync(`${segment(fork.location)}.index`),
      existsSync(`${segment(fork.location)}.added.index`),
      existsSync(`${segment(fork.location, NEXT_DAY)}.added.index`),
    ]).toStrictEqual([false, true, false]);
    const { bytes } = fork.stats();
    expect(bytes).toBeLessThan(2 * parent.stats().bytes);
    expect(bytes).toBe(openTraceStore(fork.location).stats().bytes);
    fork.write(SCOPE, [moved(2, "y")]);
    expect(fork.stats()).toStrictEqual(openTraceStore(fork.location).stats());
    expect(fork.stats().bytes).toBeGreaterThan(bytes);
  });

  test("goes on from its parent's mark, however either was closed", () => {
    const parent = newStore();
    parent.write(SCOPE, [sampleRow(1), sampleRow(2)]);
    const place = parent.fork(join(temporaryFolder(), "fork"));
    expect(openTraceStore(place).mark()).toBe(2);
    const fork = openTraceStore(place);
    fork.close();
    const again = openTraceStore(place);
    again.write(SCOPE, [sampleRow(3)]);
    expect(openTraceStore(place).mark()).toBe(3);
    again.close();
    expect(openTraceStore(place).mark()).toBe(3);
  });

  test("refuses a folder that holds something", () => {
    const parent = newStore();
    parent.write(SCOPE, [sampleRow(1)]);
    const folder = temporaryFolder();
    writeFileSync(join(folder, "something"), "");
    expect(() => parent.fork(folder)).toThrow(/needs an empty folder/);
    expect(readdirSync(folder)).toStrictEqual(["something"]);
  });

  test("goes on from rows in several folders, and changes each of them in its own", () => {
    const first = newStore();
    first.write(SCOPE, [sampleRow(1), sampleRow(2), sampleRow(3)]);
    const second = forkOf(first);
    second.write(SCOPE, [sampleRow(2, { status: "second" }), sampleRow(4, { status: "second" })]);
    const third = forkOf(second);
    first.write(SCOPE, [sampleRow(1, { status: "later" })]);
    second.write(SCOPE, [sampleRow(4, { status: "later" })]);
    third.write(SCOPE, [sampleRow(1, { status: "third" }), moved(4, "third")]);
    third.write(SCOPE, [sampleRow(5, { status: "third" }), moved(2, "third")]);
    third.write(SCOPE, [sampleRow(2, { status: "back" })]);
    const mark = third.mark();
    const before = contents(second.location.folder);
    for (const store of [third, openTraceStore(third.location), forkOf(third)]) {
      expect(statuses(store)).toStrictEqual(["third", "back", "pending", "third"]);
      expect(statuses(store, NEXT_DAY)).toStrictEqual(["third"]);
      expect(statuses(store, DAY, 5)).toStrictEqual(["pending", "second", "pending", "second"]);
      expect(listed(store)).toStrictEqual(["01 third", "01 back", "01 pending", "01 third", "02 third"]);
      expect(store.readAsOf(SCOPE, idOf(4), 5)?.status).toBe("second");
      expect(store.mark()).toBe(mark);
    }
    expect(contents(second.location.folder)).toStrictEqual(before);
    expect(statuses(second)).toStrictEqual(["pending", "second", "pending", "later"]);
    expect(statuses(first)).toStrictEqual(["later", "pending", "pending"]);
  });

  test("knows the rows of a parent that has read them as of the fork, whatever either does next", () => {
    const parent = newStore();
    parent.write(SCOPE, [sampleRow(1), sampleRow(2), moved(3, "there")]);
    const forks = [forkOf(parent), forkOf(parent)];
    parent.write(SCOPE, [moved(1, "parent"), sampleRow(4)]);
    const [one, other] = forks as [TraceFiles, TraceFiles];
    one.write(SCOPE, [sampleRow(3, { status: "one" }), sampleRow(5, { status: "one" })]);
    expect([listed(one), listed(other), listed(parent)]).toStrictEqual([
      ["01 pending", "01 pending", "01 one", "01 one"],
      ["01 pending", "01 pending", "02 there"],
      ["01 pending", "01 pending", "02 parent", "02 there"],
    ]);
    expect(one.days(SCOPE, SESSION, START, END)).toStrictEqual([DAY]);
    expect([one, other, parent].map((store) => store.read(SCOPE, idOf(1))?.status)).toStrictEqual([
      "pending",
      "pending",
      "parent",
    ]);
    expect([one, other, parent].map((store) => store.read(SCOPE, idOf(5))?.status)).toStrictEqual([
      "one",
      undefined,
      undefined,
    ]);
  });
});

describe("forks of forks", () => {
  test("need no layer of what has written nothing", () => {
    const empty = newStore();
    expect(empty.fork(join(temporaryFolder(), "a")).layers).toStrictEqual([]);
    empty.write(SCOPE, [sampleRow(1)]);
    const layer = { folder: empty.location.folder, mark: 1 };
    let last = forkOf(empty);
    for (let n = 0; n < 5; n += 1) last = forkOf(last);
    expect(last.location.layers).toStrictEqual([layer]);
    last.close();
    expect(openTraceStore(last.location).fork(join(temporaryFolder(), "b")).layers).toStrictEqual([layer]);
    last = openTraceStore(last.location);
    last.write(SCOPE, [sampleRow(2)]);
    expect(forkOf(last).location.layers).toStrictEqual([{ folder: last.location.folder, mark: 2 }, layer]);
  });

  test("do not make endless chains", () => {
    let last = newStore();
    const stores = [last];
    for (let n = 0; n < 70; n += 1) {
      last.write(SCOPE, [sampleRow(n, { start_time: instant(n, n % 7 === 0 ? NEXT_DAY : DAY) })]);
      last = forkOf(last);
      stores.push(last);
    }
    expect(Math.max(...stores.map(({ location: place }) => place.layers?.length ?? 0))).toBe(32);
    for (const [n, store] of stores.entries()) {
      expect(store.mark()).toBe(Math.min(70, n + 1));
      expect(listed(store)).toHaveLength(Math.min(70, n + 1));
    }
  });
});

describe("a process that ended", () => {
  function twoDays(): TraceFiles {
    const parent = newStore();
    parent.write(SCOPE, [sampleRow(1), sampleRow(2, { name: "x".repeat(500) }), moved(3, "there")]);
    return parent;
  }

  test("in the middle of a fork's first write leaves a fork that sees the same", () => {
    const parent = twoDays();
    const place = parent.fork(join(temporaryFolder(), "fork"));
    openTraceStore(place).write(SCOPE, [sampleRow(1, { status: "fork" })]);
    const path = `${segment(place)}.added`;
    const [data, index] = [readFileSync(`${path}.ndjson`), readFileSync(`${path}.index`)];
    const leftovers = [
      [data.length - 1, undefined],
      [data.length, undefined],
      [data.length, 0],
      [data.length, 1],
      [data.length, RECORD_BYTES - 1],
      [data.length - 1, RECORD_BYTES],
      [0, 0],
    ] as const;
    for (const [dataBytes, indexBytes] of leftovers) {
      rmSync(`${path}.index`);
      writeFileSync(`${path}.ndjson`, data.subarray(0, dataBytes));
      if (indexBytes !== undefined) writeFileSync(`${path}.index`, index.subarray(0, indexBytes));
      for (const fork of [openTraceStore(place), openTraceStore({ ...place, inherited: undefined })]) {
        expect(fork.mark()).toBe(indexBytes === RECORD_BYTES ? 4 : 3);
        expect([statuses(fork), listed(fork)]).toStrictEqual([
          ["pending", "pending"],
          ["01 pending", "01 pending", "02 there"],
        ]);
      }
      openTraceStore(place).write(SCOPE, [sampleRow(2, { status: "again" })]);
      expect(statuses(openTraceStore(place))).toStrictEqual(["pending", "again"]);
    }
    expect(statuses(parent)).toStrictEqual(["pending", "pending"]);
  });

  test("in the middle of making a fork whole leaves one that sees the same", () => {
    const parent = twoDays();
    const place = parent.fork(join(temporaryFolder(), "fork"));
    openTraceStore(place).write(SCOPE, [sampleRow(1, { status: "fork" })]);
    const path = segment(place);
    const whole = (ending: string): Buffer => {
      const [beginning, rest] = [`${segment(parent.location)}.${ending}`, `${path}.added.${ending}`];
      return Buffer.concat([readFileSync(beginning), readFileSync(rest)]);
    };
    const [data, index] = [whole("ndjson"), whole("index")];
    const expectAll = () => {
      for (const fork of [openTraceStore(place), openTraceStore({ ...place, inherited: undefined })]) {
        expect([statuses(fork), listed(fork)]).toStrictEqual([
          ["fork", "pending"],
          ["01 fork", "01 pending", "02 there"],
        ]);
        expect(fork.readAsOf(SCOPE, idOf(1), 3)?.status).toBe("pending");
      }
    };
    writeFileSync(`${path}.ndjson.new`, data.subarray(0, 100));
    expectAll();
    writeFileSync(`${path}.ndjson`, data);
    expectAll();
    writeFileSync(`${path}.index.new`, index.subarray(0, 60));
    expectAll();
    writeFileSync(`${path}.index`, index);
    expectAll();
    const fork = openTraceStore(place);
    fork.write(SCOPE, [sampleRow(2, { status: "whole" })]);
    expect(statuses(openTraceStore(place))).toStrictEqual(["fork", "whole"]);
    expect(statSync(`${path}.index`).size).toBe(index.length + RECORD_BYTES);
    expect(fork.stats().bytes).toBe(openTraceStore(place).stats().bytes);
  });

  test("with its machine, and took rows away that a fork goes on from, is told without a file changed", () => {
    const parent = twoDays();
    const fork = forkOf(parent);
    fork.write(SCOPE, [sampleRow(1, { status: "fork" })]);
    const path = `${segment(parent.location)}.index`;
    truncateSync(path, statSync(path).size - RECORD_BYTES);
    const before = contents(fork.location.folder);
    expect(() => openTraceStore(fork.location).read(SCOPE, idOf(1))).toThrow(/Restore the data folder/);
    expect(contents(fork.location.folder)).toStrictEqual(before);
  });

  test("in the middle of the parent's next write changes nothing for the fork", () => {
    const parent = twoDays();
    const fork = forkOf(parent);
    parent.write(SCOPE, [sampleRow(4), moved(1, "moved")]);
    const path = `${segment(parent.location)}.index`;
    truncateSync(path, statSync(path).size - 2 * RECORD_BYTES + 7);
    expect(statuses(fork)).toStrictEqual(["pending", "pending"]);
    const again = openTraceStore(parent.location);
    expect(again.read(SCOPE, idOf(1))?.status).toBe("moved");
    again.write(SCOPE, [sampleRow(2, { status: "after" })]);
    for (const store of [fork, openTraceStore(fork.location)]) {
      expect([statuses(store), statuses(store, NEXT_DAY)]).toStrictEqual([["pending", "pending"], ["there"]]);
      expect(store.read(SCOPE, idOf(1))?.status).toBe("pending");
    }
  });

  function beforeAnEndedMove(): TraceFiles {
    const parent = twoDays();
    parent.write(SCOPE, [moved(1, "moved")]);
    truncateSync(`${segment(parent.location)}.index`, 2 * RECORD_BYTES);
    return parent;
  }

  test("in the middle of a move has it ended before there are forks, whose rows would lie elsewhere then", () => {
    const parent = openTraceStore(beforeAnEndedMove().location);
    const fork = forkOf(parent);
    for (const status of ["new", "changed"]) fork.write(SCOPE, [sampleRow(4, { status })]);
    expect(parent.read(SCOPE, idOf(1))?.status).toBe("moved");
    for (const store of [fork, openTraceStore(fork.location)]) {
      expect([statuses(store), statuses(store, NEXT_DAY)]).toStrictEqual([
        ["pending", "changed"],
        ["moved", "there"],
      ]);
      expect(listed(store)).toStrictEqual(["01 pending", "01 changed", "02 moved", "02 there"]);
    }
  });

  test("in the middle of a move and is not used before it is closed has it ended later all the same", () => {
    const { location: place } = beforeAnEndedMove();
    openTraceStore(place).close();
    const parent = openTraceStore(place);
    const fork = forkOf(parent);
    for (const status of ["new", "changed"]) fork.write(SCOPE, [sampleRow(4, { status })]);
    expect(parent.read(SCOPE, idOf(1))?.status).toBe("moved");
    expect(statuses(openTraceStore(fork.location))).toStrictEqual(["pending", "changed"]);
  });

  test("in the middle of a move that came along in a file leaves it to each fork, in its own folder", () => {
    const parent = beforeAnEndedMove();
    noteNext(parent.location.folder, parent.mark());
    const reopened = openTraceStore(parent.location);
    const before = contents(parent.location.folder);
    const fork = forkOf(reopened);
    expect(fork.stats().bytes).toBe(0);
    expect(fork.read(SCOPE, idOf(1))?.status).toBe("moved");
    expect([statuses(fork), statuses(fork, NEXT_DAY)]).toStrictEqual([["pending"], ["moved", "there"]]);
    expect(fork.stats()).toStrictEqual(openTraceStore(fork.location).stats());
    const { "forked-at": _mark, ...after } = contents(parent.location.folder);
    expect(after).toStrictEqual(before);
    expect(reopened.read(SCOPE, idOf(1))?.status).toBe("moved");
    expect([statuses(reopened), statuses(forkOf(fork))]).toStrictEqual([["pending"], ["pending"]]);
  });

  test("with its machine leaves a fork the rows that are whole", () => {
    const parent = twoDays();
    const path = `${segment(parent.location)}.ndjson`;
    truncateSync(path, statSync(path).size - 5);
    const again = openTraceStore(parent.location);
    const fork = forkOf(again);
    expect([statuses(fork), listed(fork)]).toStrictEqual([["pending"], ["01 pending", "02 there"]]);
    again.write(SCOPE, [sampleRow(4, { status: "after" })]);
    expect([statuses(again), statuses(fork)]).toStrictEqual([["pending", "after"], ["pending"]]);
    fork.write(SCOPE, [sampleRow(5, { status: "fork" })]);
    expect(statuses(openTraceStore(fork.location))).toStrictEqual(["pending", "fork"]);
  });

  test("never gives a number below a fork's mark again", () => {
    const parent = twoDays();
    const fork = forkOf(parent);
    const path = segment(parent.location, NEXT_DAY);
    // The last row is lost, as after the end of a whole machine.
    truncateSync(`${path}.index`, 0);
    const again = openTraceStore(parent.location);
    again.write(SCOPE, [sampleRow(1, { status: "new" })]);
    expect(again.mark()).toBe(4);
    expect(statuses(fork)).toStrictEqual(["pending", "pending"]);
  });
});
