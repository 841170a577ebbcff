import fc from "fast-check";
import { expect, test, vi } from "vitest";
import type { NamedRows } from "../../../../emulator/storage/pool/names.ts";
import { differingRows } from "../../../../emulator/storage/rows/row-difference.ts";
import {
  idOf,
  instant,
  openTraceStore,
  SCOPE,
  sampleRow,
  type TestRows,
  temporaryFolder,
} from "../../../storage/rows/open-store.ts";

const DAYS = ["2025-03-01", "2025-03-02"];

const rows = fc.array(
  fc.record({
    n: fc.integer({ min: 0, max: 9 }),
    day: fc.constantFrom(...DAYS),
    micros: fc.constantFrom(0, 1, 2),
    name: fc.constantFrom("a", "b"),
  }),
  { minLength: 1, maxLength: 5 },
);
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ world: fc.nat(), rows }) },
  { weight: 2, arbitrary: fc.record({ forkOf: fc.nat() }) },
);

/** The differences as lines: the day, the id, and the name in each of the two worlds. */
function listDifferences(store: TestRows, names: readonly [NamedRows, NamedRows]): string[] {
  const results: string[] = [];
  const count = { rows: 0, rows_total: 0 };
  for (const pair of differingRows(store.pool, names, count)) {
    if (!pair || (pair.before && pair.after && pair.before.content().equals(pair.after.content()))) continue;
    const versions = [pair.before, pair.after].map((version) => version?.read());
    const day = versions.find((version) => version)?.start_time.slice(0, 10);
    const texts = versions.map((version) => (version ? `${version.start_time} ${version.name}` : "-"));
    results.push([day, pair.id, ...texts].join(" "));
  }
  expect(count.rows).toBe(count.rows_total);
  return results.sort();
}

/** The obvious way: all rows of both worlds, by day and id. */
function differencesByReadingAll(one: TestRows, other: TestRows): string[] {
  const results: string[] = [];
  for (const day of DAYS)
    for (let n = 0; n <= 9; n += 1) {
      const texts = [one, other].map((store) => {
        const row = store.read(SCOPE, idOf(n));
        return row?.start_time.startsWith(day) ? `${row.start_time} ${row.name}` : "-";
      });
      if (texts[0] !== texts[1]) results.push([day, idOf(n), ...texts].join(" "));
    }
  return results.sort();
}

test("the differences of any two related worlds, also after a restart, are those of all their rows", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 14 }), (steps) => {
      const worlds = [openTraceStore({ folder: temporaryFolder() })];
      const at = (n: number) => worlds[n % worlds.length] as TestRows;
      for (const each of steps) {
        if ("forkOf" in each) worlds.push(at(each.forkOf).fork());
        else
          at(each.world).write(
            SCOPE,
            each.rows.map(({ n, day, micros, name }) =>
              sampleRow(n, { start_time: instant(micros, day), name }),
            ),
          );
      }
      for (const one of worlds)
        for (const other of worlds)
          expect(listDifferences(one, [one.names(), other.names()])).toEqual(
            differencesByReadingAll(one, other),
          );
      worlds[0]?.close();
    }),
    { numRuns: 300 },
  );
});

test("ten changed rows need as many reads of files in a world of 20,000 rows as in one of 200", () => {
  const readsIn = (count: number): number => {
    const store = openTraceStore({ folder: temporaryFolder() });
    store.write(
      SCOPE,
      Array.from({ length: count }, (_, n) => sampleRow(n)),
    );
    const fork = store.fork();
    fork.write(
      SCOPE,
      Array.from({ length: 10 }, (_, n) => sampleRow(n, { name: "other" })),
    );
    // The parent has other rows since, which are in the same file as the shared ones.
    store.write(SCOPE, [sampleRow(count)]);
    const { files } = store.pool;
    const read = vi.spyOn(files, "read");
    expect(listDifferences(store, [store.names(), fork.names()])).toHaveLength(11);
    return read.mock.calls.length;
  };
  expect(readsIn(20_000)).toBe(readsIn(200));
});
