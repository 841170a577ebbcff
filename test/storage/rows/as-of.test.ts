import fc from "fast-check";
import { expect, test } from "vitest";
import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { rowOf } from "../../../emulator/storage/rows/lines.ts";
import { createPartitionReader } from "../../../emulator/storage/rows/partition-reader.ts";
import {
  idOf,
  instant,
  openTraceStore,
  readAll,
  SCOPE,
  SESSION,
  sampleRow,
  temporaryFolder,
  wholeDay,
} from "./open-store.ts";

const DAYS = ["2025-03-01", "2025-03-02", "2025-03-03"];

const version = fc.record({
  n: fc.integer({ min: 0, max: 12 }),
  day: fc.constantFrom(...DAYS),
  micros: fc.constantFrom(0, 1, 2, 3, 86_399_999_999),
  name: fc.string({ unit: "grapheme", maxLength: 5 }),
});
const step = fc.oneof(
  { weight: 6, arbitrary: fc.array(version, { minLength: 1, maxLength: 6 }) },
  { weight: 1, arbitrary: fc.constantFrom("close" as const, "end" as const) },
);
const window = fc.record({
  start: fc.integer({ min: 0, max: 4 }),
  end: fc.constantFrom(1, 2, 3, 86_399_999_999, 86_400_000_000),
});

function compareRows(left: TraceRow, right: TraceRow): number {
  const [a, b] = [left.start_time + left.id, right.start_time + right.id];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The obvious way: the newest version of each id, then those of the day and window, sorted. */
function selected(versions: readonly TraceRow[], day: string, start: string, end: string): TraceRow[] {
  const newest = new Map(versions.map((row) => [row.id, row]));
  return [...newest.values()]
    .filter(({ start_time: at }) => at.startsWith(day) && at >= start && at < end)
    .sort(compareRows);
}

test("a partition as of any mark is what an obvious model says", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), window, (steps, { start, end }) => {
      const folder = temporaryFolder();
      let store = openTraceStore({ folder });
      const versions: TraceRow[] = [];
      const marks = [store.mark()];
      for (const part of steps) {
        if (typeof part === "string") {
          if (part === "close") store.close();
          store = openTraceStore({ folder });
          continue;
        }
        const rows = part.map(({ n, day, micros, name }) =>
          sampleRow(n, { start_time: instant(micros, day), name }),
        );
        store.write(SCOPE, rows);
        versions.push(...rows);
        marks.push(store.mark());
      }
      for (const asOf of marks) {
        for (const day of DAYS) {
          const from = instant(start, day);
          const until = instant(end, day);
          const got = readAll(folder, { ...wholeDay(asOf, day), start: from, end: until }, 2);
          expect(got).toStrictEqual(selected(versions.slice(0, asOf), day, from, until));
        }
      }
      const [from, until] = [instant(start), instant(end, "2025-03-02")];
      const days = DAYS.filter((day) => selected(versions, day, from, until).length > 0);
      expect(store.days(SCOPE, SESSION, from, until)).toStrictEqual(days);
      for (let n = 0; n <= 12; n += 1) {
        expect(store.read(SCOPE, idOf(n))).toStrictEqual(versions.findLast(({ id }) => id === idOf(n)));
      }
    }),
    { numRuns: 2 },
  );
});

test("a reader continues after any cursor, with its plan and without", () => {
  const folder = temporaryFolder();
  const store = openTraceStore({ folder });
  const rows = Array.from({ length: 50 }, (_, n) => sampleRow(n, { start_time: instant((n * 17) % 23) }));
  store.write(SCOPE, rows);
  const asOf = store.mark();
  store.write(
    SCOPE,
    rows.map((row) => ({ ...row, start_time: instant(3), status: "later" })),
  );
  const expected = rows.toSorted(compareRows);
  const partitionReader = createPartitionReader(store.location);
  let cursor: string | null = null;
  for (let at = 0; at < expected.length; at += 1) {
    const fresh = createPartitionReader(store.location);
    for (const reader of [partitionReader, fresh]) {
      const source = reader.open(wholeDay(asOf), cursor);
      expect(source.remaining()).toBe(expected.length - at);
      const rows = source.take(7, Number.MAX_SAFE_INTEGER, true);
      expect(rows.map(({ line }) => rowOf(line))).toStrictEqual(expected.slice(at, at + 7));
    }
    fresh.close();
    cursor = `${expected[at]?.start_time} ${expected[at]?.id}`;
  }
  expect(partitionReader.open(wholeDay(asOf), cursor).take(1, 1, true)).toStrictEqual([]);
});

test("a source takes no more rows and bytes than asked, and one row that is too large when it must", () => {
  const folder = temporaryFolder();
  const store = openTraceStore({ folder });
  store.write(
    SCOPE,
    [0, 1, 2, 3].map((n) => sampleRow(n, { inputs: "x".repeat(n === 2 ? 5000 : 10) })),
  );
  const reader = createPartitionReader(store.location);
  const source = reader.open(wholeDay(store.mark()), null);
  const ids = (maxRows: number, maxBytes: number, atLeastOne: boolean): string[] =>
    source.take(maxRows, maxBytes, atLeastOne).map((row) => row.value("id"));
  expect(ids(1, 10_000, false)).toStrictEqual([idOf(0)]);
  expect(ids(10, 2000, false)).toStrictEqual([idOf(1)]);
  expect(ids(10, 2000, false)).toStrictEqual([]);
  expect(ids(10, 2000, true)).toStrictEqual([idOf(2)]);
  expect([source.remaining(), source.cursor()]).toStrictEqual([1, `${instant(2000)} ${idOf(2)}`]);
  reader.close();
});

test("a reader does not take the rows of a world for those of the one that was there before", () => {
  let store = openTraceStore({ folder: temporaryFolder() });
  const reader = createPartitionReader((partition) => store.location(partition));
  const namesAsOf = (asOf: number): string[] =>
    reader
      .open(wholeDay(asOf), null)
      .take(9, 1e9, true)
      .map((row) => row.value("name"));
  expect(namesAsOf(1)).toStrictEqual([]);
  for (const name of ["first", "second", "third"]) {
    store = openTraceStore({ folder: temporaryFolder() });
    store.write(SCOPE, [sampleRow(1, { name })]);
    expect(namesAsOf(1)).toStrictEqual([name]);
  }
  store = openTraceStore({ folder: temporaryFolder() });
  expect(namesAsOf(1)).toStrictEqual([]);
  reader.close();
});
