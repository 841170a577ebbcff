import fc from "fast-check";
import { expect, test } from "vitest";
import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { casesOf } from "../../support/depth.ts";
import { openTraceStore } from "./open-store.ts";
import { idOf, instant, SCOPE, SESSION, sampleRow, temporaryFolder } from "./sample-row.ts";

const OTHER_SESSION = "5e550000-0000-4000-8000-000000000002";

const version = fc.record({
  n: fc.integer({ min: 0, max: 4 }),
  day: fc.constantFrom("2025-03-01", "2025-03-02"),
  session_id: fc.constantFrom(SESSION, OTHER_SESSION),
  name: fc.string({ maxLength: 5 }),
});
const writes = fc.array(fc.array(version, { minLength: 1, maxLength: 4 }), { maxLength: 10 });

test("a row as of any mark is its last version before it, wherever it was then", () => {
  fc.assert(
    fc.property(writes, fc.boolean(), (batches, isReopened) => {
      const folder = temporaryFolder();
      let store = openTraceStore({ folder });
      const versions: TraceRow[] = [];
      const marks = [store.mark()];
      for (const batch of batches) {
        const rows = batch.map(({ n, day, session_id, name }) =>
          sampleRow(n, { start_time: instant(n, day), session_id, name }),
        );
        store.write(SCOPE, rows as never);
        versions.push(...rows);
        marks.push(store.mark());
      }
      if (isReopened) {
        store.close();
        store = openTraceStore({ folder });
      }
      for (const mark of marks) {
        const rows = new Map(versions.slice(0, mark).map((row) => [row.id, row]));
        for (const n of [0, 1, 2, 3, 4])
          expect(store.readAsOf(SCOPE, idOf(n), mark)?.name).toBe(rows.get(idOf(n))?.name);
      }
      store.close();
    }),
    { numRuns: casesOf(60) },
  );
});

test("a text that is not an id finds no row", () => {
  const store = openTraceStore({ folder: temporaryFolder() });
  expect(store.readAsOf(SCOPE, "nobody", 1)).toBeUndefined();
  store.close();
});
