import fc from "fast-check";
import { expect, test } from "vitest";
import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { idOf, openTraceStore, SCOPE, SESSION, sampleRow, temporaryFolder } from "./open-store.ts";

const OTHER = "99999999-0000-4000-8000-000000000001";

/** A row that may come again with another start, so that it moves within its day or to another. */
const change = fc.record({
  number: fc.integer({ min: 1, max: 12 }),
  day: fc.integer({ min: 1, max: 3 }),
  second: fc.integer({ min: 0, max: 3 }),
  session: fc.constantFrom(SESSION, OTHER),
  trace: fc.integer({ min: 1, max: 4 }),
});

const batches = fc.array(fc.array(change, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 6 });

function rowOf({
  number,
  day,
  second,
  session,
  trace,
}: typeof change extends fc.Arbitrary<infer T> ? T : never): TraceRow {
  const start_time = `2026-02-0${day}T00:00:0${second}.000000Z`;
  return { ...sampleRow(number), start_time, session_id: session, trace_id: idOf(900 + trace) };
}

test("rows are listed as a plain sort of their newest versions would, after every batch and a restart", () => {
  fc.assert(
    fc.property(batches, fc.boolean(), fc.integer({ min: 1, max: 4 }), (list, isOneProject, trace) => {
      const folder = temporaryFolder();
      let store = openTraceStore({ folder });
      const newest = new Map<string, TraceRow>();
      const sessionIds = isOneProject ? [SESSION] : [SESSION, OTHER];
      const keyOf = ({ start_time, id }: TraceRow) => `${start_time} ${id}`;
      const matching = (isWanted: (row: TraceRow) => boolean) =>
        [...newest.values()]
          .filter((row) => sessionIds.includes(row.session_id) && isWanted(row))
          .map(keyOf)
          .sort();
      for (const [index, changes] of list.entries()) {
        const rows = [...new Map(changes.map((one) => [one.number, rowOf(one)])).values()];
        store.write(SCOPE, rows);
        for (const row of rows) newest.set(row.id, row);
        if (index === 2) {
          store.close();
          store = openTraceStore({ folder });
        }
        const list = (range: object) =>
          [...store.list(SCOPE, { sessionIds, order: "asc", ...range })].map((match) => {
            const row = match.read();
            expect([match.id, match.startTime]).toEqual([row.id, row.start_time]);
            expect(JSON.parse(JSON.stringify(row))).toEqual(newest.get(row.id));
            return keyOf(row);
          });
        const all = matching(() => true);
        expect(list({})).toEqual(all);
        expect(list({ order: "desc" })).toEqual(all.toReversed());
        const [start, end] = ["2026-02-01T00:00:02.000000Z", "2026-02-03T00:00:01.000000Z"];
        expect(list({ start, end })).toEqual(
          matching((row) => row.start_time >= start && row.start_time < end),
        );
        expect(list({ traceId: idOf(900 + trace) })).toEqual(
          matching((row) => row.trace_id === idOf(900 + trace)),
        );
        for (const [at, key] of all.entries()) {
          const [startTime = "", id = ""] = key.split(" ");
          expect(list({ after: { startTime, id } })).toEqual(all.slice(at + 1));
          expect(list({ after: { startTime, id }, order: "desc" })).toEqual(all.slice(0, at).toReversed());
        }
      }
      store.close();
    }),
    { numRuns: 2 },
  );
});

test("thousands of rows out of order are listed in order, and changing one moves only it", () => {
  const store = openTraceStore({ folder: temporaryFolder() });
  const startOf = (number: number) =>
    `2026-02-01T${String(number % 24).padStart(2, "0")}:00:00.${String(number).padStart(6, "0")}Z`;
  for (let from = 0; from < 3000; from += 500)
    store.write(
      SCOPE,
      Array.from({ length: 500 }, (_, n) => ({ ...sampleRow(from + n), start_time: startOf(from + n) })),
    );
  const list = () =>
    [...store.list(SCOPE, { sessionIds: [SESSION], order: "asc" })].map(({ startTime }) => startTime);
  expect(list()).toEqual(Array.from({ length: 3000 }, (_, n) => startOf(n)).sort());
  store.write(SCOPE, [{ ...sampleRow(5), start_time: "2026-02-01T23:59:59.000000Z" }]);
  expect(list().at(-1)).toBe("2026-02-01T23:59:59.000000Z");
  expect(list()).not.toContain(startOf(5));
  store.close();
});

test("a large row is listed in both orders, alone and before or after a small one", () => {
  const large = sampleRow(1, { inputs: { text: "x".repeat(100_000) } });
  for (const rows of [[large], [large, sampleRow(2)], [sampleRow(0), large]]) {
    const store = openTraceStore({ folder: temporaryFolder() });
    store.write(SCOPE, rows);
    store.appendToFiles();
    for (const order of ["asc", "desc"] as const) {
      const contents = [...store.list(SCOPE, { sessionIds: [SESSION], order })].map((match) => match.read());
      expect(JSON.parse(JSON.stringify(contents))).toEqual(order === "asc" ? rows : rows.toReversed());
    }
    store.close();
  }
});
