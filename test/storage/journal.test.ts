import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { emptyState } from "../../emulator/kernel/commit.ts";
import { createFolds } from "../../emulator/storage/journal/folds.ts";
import { openJournal, readStretch } from "../../emulator/storage/journal/journal.ts";
import { batchOf, textOf } from "../../emulator/storage/journal/line.ts";
import { readHead } from "../../emulator/storage/journal/read-head.ts";
import { readState, writeState } from "../../emulator/storage/journal/state.ts";
import { openWorldJournal } from "../../emulator/storage/journal/world-journal.ts";
import { type Head, NO_ROWS, newHead, sealedHead } from "../../emulator/storage/pool/names.ts";
import { openPool } from "../../emulator/storage/pool/pool.ts";
import { createRound } from "../../emulator/storage/round.ts";
import { temporaryFolder } from "./rows/sample-row.ts";

const INITIAL = emptyState(7, 0, { mode: "frozen", rate: 1 });
const CAUSE = { type: "request", name: "test" } as const;

const NO_ROWS_WRITTEN = { pieces: [], tails: [] };

const textOfTurn = (turn: number) =>
  textOf(
    { turn, now: turn, cause: CAUSE, put: { notes: [{ key: `${turn}`, record: { turn } }] } },
    undefined,
  );

const lineOf = (turn: number) => batchOf([textOfTurn(turn)], NO_ROWS_WRITTEN);

describe("a journal", () => {
  test("goes on behind its last whole line, and is whole for others up to any line", () => {
    const pool = openPool(temporaryFolder(), true);
    const file = "1/journal-000001.ndjson";
    const journal = openJournal(pool, file);
    journal.append(lineOf(1) + lineOf(2));
    const { bytes } = journal;
    journal.append(lineOf(3));
    const turnsOf = (of: number | null, least?: number) =>
      [
        ...readStretch(pool, { file, bytes: of }, least === undefined ? undefined : { least, mayCut: true }),
      ].map(({ turn }) => turn);
    expect(turnsOf(bytes)).toStrictEqual([1, 2]);
    appendFileSync(pool.path(file), lineOf(4).slice(0, -1));
    expect(turnsOf(null)).toStrictEqual([1, 2, 3]);
    expect(readFileSync(pool.path(file), "utf8")).toContain('"turn":4');
    expect(turnsOf(null, bytes)).toStrictEqual([1, 2, 3]);
    openJournal(pool, file).append(lineOf(5));
    expect(turnsOf(null)).toStrictEqual([1, 2, 3, 5]);
  });

  test("counts a write of several lines whole or not at all, wherever it was torn", () => {
    const pool = openPool(temporaryFolder(), true);
    const file = "1/journal-000001.ndjson";
    const first = lineOf(1);
    const batch = batchOf([2, 3, 4].map(textOfTurn), NO_ROWS_WRITTEN);
    openJournal(pool, file).append(first + batch);
    const all = readFileSync(pool.path(file));
    for (let length = first.length; length <= all.length; length += 11) {
      writeFileSync(pool.path(file), all.subarray(0, length));
      const turns = [...readStretch(pool, { file, bytes: null }, { least: first.length, mayCut: true })].map(
        ({ turn }) => turn,
      );
      expect(turns).toStrictEqual(length === all.length ? [1, 2, 3, 4] : [1]);
      expect(readFileSync(pool.path(file))).toHaveLength(length === all.length ? length : first.length);
    }
    const known = { least: all.length, mayCut: true };
    writeFileSync(pool.path(file), all.subarray(0, -1));
    expect(() => [...readStretch(pool, { file, bytes: null }, known)]).toThrow(
      /is missing or ends before byte/,
    );
    const flipped = Buffer.from(all);
    flipped[all.length - 1] = 0x0b;
    writeFileSync(pool.path(file), flipped);
    expect(() => [...readStretch(pool, { file, bytes: null }, known)]).toThrow(/byte \d+, is damaged/);
  });

  test("that is damaged or has lost its end is refused", () => {
    const pool = openPool(temporaryFolder(), true);
    const file = "1/journal-000001.ndjson";
    openJournal(pool, file).append(lineOf(1));
    expect(() => [...readStretch(pool, { file, bytes: 10_000 })]).toThrow(/ends before byte 10000/);
    appendFileSync(pool.path(file), "{\n");
    expect(() => [...readStretch(pool, { file, bytes: null })]).toThrow(/line 2, is damaged/);
    expect(() => [...readStretch(pool, { file: "1/gone.ndjson", bytes: 3 })]).toThrow(
      /gone.ndjson is missing/,
    );
    expect([...readStretch(pool, { file: "1/not-yet.ndjson", bytes: null })]).toStrictEqual([]);
  });
});

describe("a state", () => {
  test("is JSON that a person can read, and is refused when it is missing or not as it was written", () => {
    const path = openPool(temporaryFolder(), true).path("1/state-000001.json");
    writeState(path, { state: INITIAL, rows: NO_ROWS });
    expect(readState(path)).toStrictEqual({ state: INITIAL, rows: NO_ROWS });
    const text = readFileSync(path, "utf8");
    expect(text.split("\n").length).toBeGreaterThan(5);
    for (const other of [text.replace('"seed": 7', '"seed": 8'), text.slice(0, -1), "{}", ""]) {
      writeFileSync(path, other);
      expect(() => readState(path)).toThrow(/state-000001\.json is damaged/);
    }
    expect(() => readState(`${path}.gone`)).toThrow(/is missing/);
  });
});

describe("the journal of a world", () => {
  /** A world whose journal is folded when it has more than these bytes. */
  function openWorld(foldAtBytes: number, from?: Head) {
    const pool = openPool(temporaryFolder(), true);
    let head = newHead(1, true, from);
    const first = "1/state-000000.json";
    writeState(pool.path(first), { state: INITIAL, rows: NO_ROWS });
    head = { ...head, state: first };
    const save = (next: Head): void => {
      head = next;
    };
    const journal = openWorldJournal({
      pool,
      head,
      save,
      foldAtBytes,
      folds: createFolds(pool.root, () => () => {}),
    });
    const read = (of = head) => readHead(pool, of, INITIAL).state;
    return { pool, journal, read, headNow: () => head };
  }

  test("is folded into a state when it has grown, and what was sealed before reads on from its own files", async () => {
    const { journal, read, headNow, pool } = openWorld(2000);
    journal.append(lineOf(1));
    const sealed = sealedHead(journal.head());
    for (let turn = 2; turn <= 40; turn += 1) journal.append(lineOf(turn));
    await expect.poll(() => headNow().state).not.toBe("1/state-000000.json");
    journal.append(lineOf(41));
    expect(read()).toMatchObject({ turn: 41, seed: 7 });
    expect(read().records.notes).toHaveLength(41);
    expect(read(sealed).turn).toBe(1);
    await journal.close({ state: { ...read(), now: 99 }, rows: NO_ROWS });
    expect(read()).toMatchObject({ turn: 41, now: 99 });
    expect(headNow().journals).toHaveLength(1);
    expect(existsSync(pool.path(headNow().journals[0]?.file ?? ""))).toBe(false);
  });

  test("is appended to anew after each fork, whose chain of files is bounded", async () => {
    const { journal, headNow } = openWorld(1e9, {
      owner: 0,
      state: null,
      journals: Array.from({ length: 40 }, () => ({ file: "1/state-000000.json", bytes: 0 })),
      others: [],
    });
    journal.append(lineOf(1));
    await expect.poll(() => headNow().journals.length).toBeLessThan(5);
  });

  test("stays as it is when its last state cannot be written", async () => {
    const { journal, read, pool, headNow } = openWorld(1e9);
    journal.append(lineOf(1));
    const state = {
      ...read(),
      toJSON: () => {
        throw new RangeError("too long");
      },
    };
    await journal.close({ state, rows: NO_ROWS });
    expect(read().turn).toBe(1);
    expect(readdirSync(pool.folder(1)).sort()).toStrictEqual(["journal-000001.ndjson", "state-000000.json"]);
    expect(headNow().state).toBe("1/state-000000.json");
  });
});

describe("what waits for the end of a round", () => {
  test("is written together, and whoever waits is told", async () => {
    const write = vi.fn();
    const round = createRound(write);
    expect(round.flushed()).toBeUndefined();
    round.due();
    round.due();
    expect(write).not.toHaveBeenCalled();
    await round.flushed();
    expect(write).toHaveBeenCalledOnce();
    round.flush();
    expect(write).toHaveBeenCalledTimes(2);
  });

  test("fails for good once it could not be written, and somebody hears of it in any case", async () => {
    const failure = new Error("disk full");
    const write = vi.fn(() => {
      throw failure;
    });
    const heard = vi.fn();
    const round = createRound(write, heard);
    round.due();
    await expect(round.flushed()).rejects.toBe(failure);
    expect(heard).toHaveBeenCalledExactlyOnceWith(failure);
    expect(() => round.flush()).toThrow(failure);
    expect(write).toHaveBeenCalledOnce();
  });
});
