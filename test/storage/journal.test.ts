import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { emptyState } from "../../emulator/kernel/commit.ts";
import { createFolds } from "../../emulator/storage/journal/folds.ts";
import {
  type JournalEnd,
  openJournal,
  readJournalSegment,
  writeJournalEnd,
} from "../../emulator/storage/journal/journal.ts";
import { batchOf, textOf } from "../../emulator/storage/journal/line.ts";
import { readManifest } from "../../emulator/storage/journal/read-manifest.ts";
import { readState, writeState } from "../../emulator/storage/journal/state.ts";
import { WorldJournal } from "../../emulator/storage/journal/world-journal.ts";
import { type Manifest, NO_ROWS, newManifest, sealedManifest } from "../../emulator/storage/pool/names.ts";
import { openPool } from "../../emulator/storage/pool/pool.ts";
import { createRound } from "../../emulator/storage/round.ts";
import { temporaryFolder } from "./rows/open-store.ts";

const INITIAL = emptyState(7, 0, { mode: "frozen", rate: 1 });
const CAUSE = { type: "request", name: "test" } as const;

const NO_ROWS_WRITTEN = { segments: [], tails: [] };

const textOfTurn = (turn: number) =>
  textOf(
    { turn, now: turn, cause: CAUSE, put: { notes: [{ key: `${turn}`, record: { turn } }] } },
    undefined,
  );

const lineOf = (turn: number) => batchOf([textOfTurn(turn)], NO_ROWS_WRITTEN);

const FILE = "1/journal-000001.ndjson";

/** A journal with these lines, and how it is read: its turns, and where its lines end. */
function journalOf(...lines: readonly Buffer[]) {
  const pool = openPool(temporaryFolder(), true);
  const path = pool.path(FILE);
  const journal = openJournal(pool, FILE);
  journal.begin();
  for (const each of lines) journal.writeLines(each);
  const turnsOf = (bytes: number | null, onEnd?: JournalEnd) =>
    [...readJournalSegment(pool, { file: FILE, bytes, ...(bytes === null && { isBegun: true }) }, onEnd)].map(
      ({ turn }) => turn,
    );
  const read = () => {
    let end = 0;
    const turns = turnsOf(null, (at) => {
      end = at;
    });
    return { turns, end };
  };
  return { pool, path, journal, turnsOf, read, text: () => readFileSync(path, "utf8") };
}

describe("a journal", () => {
  test("continues after its last complete line, and readers may stop at any line", () => {
    const { pool, path, journal, turnsOf, read, text } = journalOf(lineOf(1), lineOf(2));
    const { bytes } = journal;
    journal.writeLines(lineOf(3));
    expect(turnsOf(bytes)).toStrictEqual([1, 2]);
    const torn = lineOf(4).subarray(0, -1);
    writeFileSync(path, `${text()}${torn}`);
    const { end, turns } = read();
    expect(turns).toStrictEqual([1, 2, 3]);
    truncateSync(path, end);
    openJournal(pool, FILE, end).writeLines(lineOf(5));
    expect(read().turns).toStrictEqual([1, 2, 3, 5]);
  });

  test("counts a write of several lines whole or not at all, wherever it was torn", () => {
    const first = lineOf(1);
    const batch = batchOf([2, 3, 4].map(textOfTurn), NO_ROWS_WRITTEN);
    const { pool, path, read, text } = journalOf(first, batch);
    // A process that was killed in the write had not yet written its end.
    writeJournalEnd(pool, FILE, first.length);
    const all = Buffer.concat([first, batch]);
    expect(text()).toBe(all.toString());
    for (let length = first.length; length <= all.length; length += 1) {
      writeFileSync(path, all.subarray(0, length));
      const isWhole = length === all.length;
      expect(read()).toStrictEqual({
        turns: isWhole ? [1, 2, 3, 4] : [1],
        end: isWhole ? length : first.length,
      });
    }
  });

  test("is refused with any byte of its lines another, and wherever its end is cut off", () => {
    const { path, journal, read } = journalOf(lineOf(1), batchOf([2, 3].map(textOfTurn), NO_ROWS_WRITTEN));
    const all = readFileSync(path);
    for (let at = 0; at < journal.bytes; at += 1) {
      const flipped = Buffer.from(all);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(path, flipped);
      expect(() => read(), `byte ${at}`).toThrow(/journal-000001\.ndjson, (line|byte) \d+, is damaged/);
    }
    for (let length = 0; length < journal.bytes; length += 1) {
      writeFileSync(path, all.subarray(0, length));
      expect(() => read(), `${length} bytes`).toThrow(
        /journal-000001\.ndjson is missing or ends before byte/,
      );
    }
    rmSync(path);
    expect(() => read()).toThrow(/journal-000001\.ndjson is missing/);
  });

  test("keeps all its lines without the file with its end, which is written again", () => {
    const { pool, path, read, turnsOf } = journalOf(lineOf(1));
    rmSync(pool.path("1/journal-end"));
    const { end, turns } = read();
    expect(turns).toStrictEqual([1]);
    openJournal(pool, FILE, end).writeLines(lineOf(2));
    expect(read().turns).toStrictEqual([1, 2]);
    truncateSync(path, end);
    expect(() => turnsOf(null)).toThrow(/ends before byte/);
  });

  test("keeps its end up to date after another journal of the same owner", () => {
    const { pool, path, turnsOf, journal } = journalOf(lineOf(1));
    openJournal(pool, "1/journal-000000.ndjson").begin();
    journal.begin();
    openJournal(pool, FILE).writeLines(lineOf(2));
    truncateSync(path, 0);
    expect(() => turnsOf(null)).toThrow(/ends before byte/);
  });

  test("that is an earlier version of itself is refused", () => {
    const { path, journal, turnsOf } = journalOf(lineOf(1));
    const earlier = readFileSync(path);
    journal.writeLines(lineOf(2));
    expect(turnsOf(null)).toStrictEqual([1, 2]);
    writeFileSync(path, earlier);
    expect(() => turnsOf(null)).toThrow(/journal-000001\.ndjson is missing or ends before byte \d+/);
  });

  test("that is shorter than what others know of it is refused; one that was never begun is empty", () => {
    const { pool, path, turnsOf, text } = journalOf(lineOf(1));
    expect(() => turnsOf(10_000)).toThrow(/ends before byte 10000/);
    writeFileSync(path, `${text()}{\n`);
    expect(() => turnsOf(null)).toThrow(/line 2, is damaged/);
    expect(() => [...readJournalSegment(pool, { file: "1/gone.ndjson", bytes: 3 })]).toThrow(
      /gone.ndjson is missing/,
    );
    expect([...readJournalSegment(pool, { file: "1/not-yet.ndjson", bytes: null })]).toStrictEqual([]);
  });
});

describe("a state", () => {
  test("is readable JSON, and is refused when it is missing or damaged", () => {
    const pool = openPool(temporaryFolder(), true);
    const file = "1/state-000001.json";
    const path = pool.path(file);
    writeState(pool, file, { state: INITIAL, rows: NO_ROWS });
    expect(readState(pool, file)).toStrictEqual({ state: INITIAL, rows: NO_ROWS });
    const text = readFileSync(path, "utf8");
    expect(text.split("\n").length).toBeGreaterThan(5);
    for (const other of [text.replace('"seed": 7', '"seed": 8'), text.slice(0, -1), "{}", ""]) {
      writeFileSync(path, other);
      expect(() => readState(pool, file)).toThrow(/state-000001\.json is damaged/);
    }
    expect(() => readState(pool, "1/gone.json")).toThrow(/is missing/);
  });
});

describe("the journal of a world", () => {
  /** A world whose journal is folded when it has more than these bytes. */
  function openWorld(foldAtBytes: number, from?: Manifest) {
    const pool = openPool(temporaryFolder(), true);
    let manifest = newManifest(1, true, from);
    const first = "1/state-000000.json";
    writeState(pool, first, { state: INITIAL, rows: NO_ROWS });
    manifest = { ...manifest, state: first };
    const save = (next: Manifest): void => {
      manifest = next;
    };
    const journal = new WorldJournal({
      pool,
      manifest,
      save,
      foldAtBytes,
      folds: createFolds(pool, () => () => {}),
    });
    const read = (of = manifest) => readManifest(pool, of, INITIAL).state;
    return { pool, journal, read, manifestNow: () => manifest };
  }

  test("is folded into a state when it has grown, and earlier sealed worlds still read their own files", async () => {
    const { journal, read, manifestNow, pool } = openWorld(2000);
    journal.appendLines(lineOf(1));
    const sealed = sealedManifest(journal.manifest());
    for (let turn = 2; turn <= 40; turn += 1) journal.appendLines(lineOf(turn));
    await expect.poll(() => manifestNow().state).not.toBe("1/state-000000.json");
    journal.appendLines(lineOf(41));
    expect(read()).toMatchObject({ turn: 41, seed: 7 });
    expect(read().records.notes).toHaveLength(41);
    expect(read(sealed).turn).toBe(1);
    await journal.close({ state: { ...read(), now: 99 }, rows: NO_ROWS });
    expect(read()).toMatchObject({ turn: 41, now: 99 });
    expect(manifestNow().journals).toHaveLength(1);
    expect(existsSync(pool.path(manifestNow().journals[0]?.file ?? ""))).toBe(false);
  });

  /** Long enough to be folded in a thread. */
  const LONG_LINE = batchOf(
    [
      textOf(
        { turn: 1, now: 1, cause: CAUSE, put: { notes: [{ key: "1", record: "x".repeat(3e6) }] } },
        undefined,
      ),
    ],
    NO_ROWS_WRITTEN,
  );

  test("does not wait for a fold at its end, which leaves all lines to the next start", async () => {
    const { journal, read, manifestNow } = openWorld(2000);
    journal.appendLines(LONG_LINE);
    expect(manifestNow().journals).toHaveLength(2);
    await journal.closeAsJournal();
    expect(manifestNow().state).toBe("1/state-000000.json");
    expect(read().turn).toBe(1);
  });

  test("does not end a fold that another world waits for", async () => {
    const { journal, manifestNow, pool } = openWorld(1e9);
    journal.appendLines(LONG_LINE);
    const sealed = sealedManifest(journal.manifest());
    const folds = createFolds(pool, () => () => {});
    const [first, second] = [vi.fn(), vi.fn()];
    const target = "1/state-000009.json";
    const fold = folds.start(sealed, target, first);
    folds.join(sealed.journals, second);
    await folds.leave(first);
    await fold;
    expect(first).not.toHaveBeenCalled();
    expect(second).toHaveBeenCalledWith(expect.objectContaining({ state: target }));
    expect(readManifest(pool, { ...manifestNow(), state: target, journals: [] }, INITIAL).state.turn).toBe(1);
  });

  test("is appended to again after each fork, and its chain of files is bounded", async () => {
    const { journal, manifestNow } = openWorld(1e9, {
      owner: 0,
      state: null,
      journals: Array.from({ length: 40 }, () => ({ file: "1/state-000000.json", bytes: 0 })),
      others: [],
    });
    journal.appendLines(lineOf(1));
    await expect.poll(() => manifestNow().journals.length).toBeLessThan(5);
  });

  test("stays as it is when its last state cannot be written", async () => {
    const { journal, read, pool, manifestNow } = openWorld(1e9);
    journal.appendLines(lineOf(1));
    const state = {
      ...read(),
      toJSON: () => {
        throw new RangeError("too long");
      },
    };
    await journal.close({ state, rows: NO_ROWS });
    expect(read().turn).toBe(1);
    const files = ["journal-000001.ndjson", "journal-end", "state-000000.json"];
    expect(readdirSync(pool.folder(1)).sort()).toStrictEqual(files);
    expect(manifestNow().state).toBe("1/state-000000.json");
  });
});

describe("what waits for the end of a round", () => {
  test("is written together, and wakes all waiting callers", async () => {
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

  test("is written at once behind its caller when it is much", async () => {
    const write = vi.fn();
    const otherWork = vi.fn();
    const round = createRound(write);
    setImmediate(otherWork);
    round.due();
    round.due(true);
    expect(write).not.toHaveBeenCalled();
    await round.flushed();
    expect(write).toHaveBeenCalledOnce();
    expect(otherWork).not.toHaveBeenCalled();
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
