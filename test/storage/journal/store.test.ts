import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Commit, emptyState } from "../../../emulator/kernel/commit.ts";
import { compact } from "../../../emulator/storage/journal/compaction.ts";
import { removeRecords } from "../../../emulator/storage/journal/sharing.ts";
import { openStore, readStore } from "../../../emulator/storage/journal/store.ts";

const initial = emptyState(7, 0, { mode: "frozen", rate: 1 });
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "store-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function commit(turn: number): Commit {
  const record = { id: `record-${turn % 10}`, turn };
  return {
    turn,
    now: turn,
    cause: { type: "request", name: "test" },
    put: { things: [{ key: record.id, record }] },
    ordinals: { thing: turn },
  };
}

function open(compactAtBytes?: number, at = folder) {
  const { state, last } = readStore(at, initial);
  return { state, ...openStore({ folder: at, last, ...(compactAtBytes && { compactAtBytes }) }) };
}

function keepUpTo(last: number) {
  const store = open();
  for (let turn = 1; turn <= last; turn += 1) store.append(commit(turn));
  return store;
}

const journals = () =>
  readdirSync(folder)
    .filter((name) => name.startsWith("journal-"))
    .sort();

describe("the store", () => {
  it("gives back what was kept, although it was never closed", () => {
    keepUpTo(25);
    const { state } = open();
    expect(state).toMatchObject({ turn: 25, now: 25, ordinals: { thing: 25 } });
    expect(state.records.things).toHaveLength(10);
    expect(state.records.things).toContainEqual({ key: "record-5", record: { id: "record-5", turn: 25 } });
  });

  it("drops a last line that was not written to its end, and only that", () => {
    keepUpTo(3);
    const [journal] = journals();
    appendFileSync(join(folder, String(journal)), JSON.stringify(commit(4)).slice(0, -5));
    expect(open().state.turn).toBe(3);
    const again = open();
    again.append(commit(4));
    expect(open().state.turn).toBe(4);
  });

  it("refuses a damaged line in the middle instead of losing what is behind it", () => {
    keepUpTo(3);
    const file = join(folder, String(journals()[0]));
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, [lines[0], lines[1]?.slice(4), lines[2], ""].join("\n"));
    expect(open).toThrow("line 2, is damaged");
  });

  it("becomes one JSON file that a person can read when it is closed", async () => {
    const store = keepUpTo(5);
    const state = { ...initial, turn: 5, now: 5 };
    await store.close(state);
    expect(journals()).toEqual([]);
    expect(JSON.parse(readFileSync(join(folder, "world.json"), "utf8"))).toMatchObject({
      format: 1,
      state: { turn: 5 },
    });
    expect(open().state).toEqual(state);
  });

  it("loses nothing when it has become too large for one JSON text", async () => {
    const store = keepUpTo(5);
    const tooLarge = {
      ...initial,
      get records(): never {
        throw new RangeError("Invalid string length");
      },
    };
    await store.close(tooLarge);
    expect(open().state.turn).toBe(5);
  });

  it("refuses files of a newer emulator, and files that are none of its own", () => {
    open();
    const file = join(folder, "world.json");
    writeFileSync(file, JSON.stringify({ format: 2, upTo: 0, state: initial }));
    expect(open).toThrow("has format 2; this emulator reads up to 1");
    writeFileSync(file, "{}");
    expect(open).toThrow("does not say its format");
    writeFileSync(file, "{");
    expect(open).toThrow("is not readable JSON");
  });

  it("begins with the initial state as long as no turn was kept", () => {
    open();
    const later = { ...initial, now: 99 };
    expect(readStore(folder, later).state).toEqual(later);
  });
});

describe("records given to another folder", () => {
  const other = () => join(folder, "other");

  it("are those of that moment, and each side goes on by itself", async () => {
    const store = keepUpTo(5);
    const last = store.shareTo(other());
    const fork = openStore({ folder: other(), last });
    store.append(commit(6));
    fork.append({ ...commit(6), now: 600 });
    fork.append(commit(7));
    expect(readStore(folder, initial).state).toMatchObject({ turn: 6, now: 6 });
    expect(readStore(other(), initial).state).toMatchObject({ turn: 7, now: 7 });
    await fork.close({ ...initial, turn: 7 });
    expect(open().state.records.things).toHaveLength(6);
  });

  it("stay when the one that gave them is folded, closed or removed", async () => {
    const store = keepUpTo(5);
    store.shareTo(other());
    const before = readStore(folder, initial).state;
    store.append(commit(6));
    compact(folder, 1);
    expect(readStore(other(), initial).state).toEqual(before);
    await store.close({ ...initial, turn: 6 });
    removeRecords(folder);
    expect(readStore(other(), initial).state).toEqual(before);
    expect(readStore(folder, initial).state).toEqual(initial);
  });

  it("can be given on, again and again", () => {
    const store = keepUpTo(3);
    for (const name of ["a", "b", "c"]) store.shareTo(join(folder, name));
    const b = openStore({ folder: join(folder, "b"), last: 1 });
    b.append(commit(4));
    b.shareTo(join(folder, "d"));
    expect(readStore(join(folder, "d"), initial).state.turn).toBe(4);
    expect(readStore(join(folder, "c"), initial).state.turn).toBe(3);
  });
});

describe("compaction", () => {
  it("folds journals into the snapshot without changing what they add up to", () => {
    keepUpTo(25);
    const before = open().state;
    compact(folder, 1);
    expect(open().state).toEqual(before);
    expect(journals()).not.toContain("journal-000001.ndjson");
  });

  it("can be interrupted between its steps and done again", () => {
    keepUpTo(25);
    const journal = readFileSync(join(folder, "journal-000001.ndjson"));
    compact(folder, 1);
    const before = open().state;
    writeFileSync(join(folder, "journal-000001.ndjson"), journal);
    expect(open().state).toEqual(before);
  });

  it("runs in a thread of its own once a journal has grown", async () => {
    const store = open(2000);
    for (let turn = 1; turn <= 200; turn += 1) store.append(commit(turn));
    expect(journals().length).toBeGreaterThan(0);
    const { state } = open();
    expect(state.turn).toBe(200);
    await store.close(state);
    expect(open().state).toEqual(state);
  });
});
