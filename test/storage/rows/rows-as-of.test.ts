import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import type { RowView } from "../../../emulator/storage/rows/rows-as-of.ts";
import {
  idOf,
  instant,
  openTraceStore,
  SCOPE,
  SESSION,
  sampleRow,
  type TestRows,
  temporaryFolder,
} from "./open-store.ts";

const SESSIONS = [SESSION, "5e550000-0000-4000-8000-000000000002"];
const DAYS = ["2025-03-01", "2025-03-02"];
const IDS = Array.from({ length: 8 }, (_, n) => n);
const TRACES = [idOf(100), idOf(101)];

const version = fc.record({
  n: fc.nat(IDS.length - 1),
  day: fc.constantFrom(...DAYS),
  session_id: fc.constantFrom(...SESSIONS),
  micros: fc.nat(3),
  trace_id: fc.constantFrom(...TRACES),
});
const batch = fc.array(version, { minLength: 1, maxLength: 5 });
const step = fc.oneof(
  { weight: 8, arbitrary: batch },
  { weight: 1, arbitrary: fc.constantFrom("reopen" as const, "fork" as const) },
);

let versionsMade = 0;

/** The sizes of the rows: the ids among so many versions, and the files in the folder of the world. */
function sizesOf(store: TestRows, versions: readonly TraceRow[]): ReturnType<RowView["stats"]> {
  const folder = join(store.key, "rows");
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  const bytes = files
    .filter((each) => each.isFile())
    .map((each) => statSync(join(each.parentPath, each.name)).size)
    .reduce((sum, size) => sum + size, 0);
  return { rows: new Set(versions.map(({ id }) => id)).size, bytes };
}

/** Each version is another one by its name. */
function rowsOf(versions: typeof batch extends fc.Arbitrary<infer T> ? T : never) {
  return versions.map(({ n, day, micros, ...rest }) =>
    sampleRow(n, { ...rest, start_time: instant(micros, day), name: `version ${versionsMade++}` }),
  );
}

/** All that reads of a view can show. */
function viewOf(view: Pick<RowView, "read" | "list" | "days">): unknown {
  const ends = { start: instant(1, DAYS[0]), end: instant(3, DAYS[1]) };
  const list = (range: object) =>
    [...view.list(SCOPE, { sessionIds: SESSIONS, order: "asc", ...range })].map((each) => each.read().name);
  return {
    read: IDS.map((n) => view.read(SCOPE, idOf(n))?.name),
    all: list({}),
    window: list({ ...ends, order: "desc" }),
    page: list({ after: { startTime: instant(1, DAYS[0]), id: idOf(4) } }),
    // May list rows of other traces: those are left out here.
    trace: [...view.list(SCOPE, { sessionIds: SESSIONS, traceId: TRACES[0] ?? "", order: "desc" })]
      .map((each) => each.read())
      .filter(({ trace_id }) => trace_id === TRACES[0])
      .map(({ name }) => name),
    days: SESSIONS.map((each) => view.days(SCOPE, each, ends.start, ends.end)),
  };
}

/** The same, the obvious way. */
function expected(versions: readonly TraceRow[]): unknown {
  const newest = new Map(versions.map((row) => [row.id, row]));
  const placeOf = ({ start_time, id }: TraceRow) => `${start_time} ${id}`;
  const all = [...newest.values()].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  const names = (rows: readonly TraceRow[]) => rows.map(({ name }) => name);
  const window = all.filter(({ start_time: at }) => at >= instant(1, DAYS[0]) && at < instant(3, DAYS[1]));
  const days = (session: string) =>
    DAYS.filter((day) =>
      window.some(({ session_id, start_time }) => session_id === session && start_time.startsWith(day)),
    );
  return {
    read: IDS.map((n) => newest.get(idOf(n))?.name),
    all: names(all),
    window: names(window).reverse(),
    page: names(all.filter((row) => placeOf(row) > `${instant(1, DAYS[0])} ${idOf(4)}`)),
    trace: names(all.filter(({ trace_id }) => trace_id === TRACES[0])).reverse(),
    days: SESSIONS.map(days),
  };
}

test("rows as of any mark are what an obvious model says, whatever was written since and before it was asked", () => {
  const property = fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
    let store: TestRows = openTraceStore({ folder: temporaryFolder() });
    const versions: TraceRow[] = [];
    const marks = [0];
    const sizes = new Map([[0, sizesOf(store, versions)]]);
    // Those opened early see the rest being written.
    let early: { readonly mark: number; readonly view: RowView }[] = [];
    for (const part of steps) {
      if (typeof part === "string") {
        early = [];
        if (part === "reopen") store.close();
        store = part === "reopen" ? store.reopen() : store.fork();
        // A fork owns none of the files that it starts from.
        if (part === "fork") for (const [mark, { rows }] of sizes) sizes.set(mark, { rows, bytes: 0 });
        continue;
      }
      const rows = rowsOf(part);
      store.write(SCOPE, rows as never);
      versions.push(...rows);
      marks.push(store.mark());
      sizes.set(store.mark(), sizesOf(store, versions));
      expect(store.stats(), `the sizes at ${store.mark()}`).toEqual(sizes.get(store.mark()));
      early.push({ mark: store.mark(), view: store.asOf(store.mark()) });
      if (early.length % 2 === 0) viewOf(early.at(-1)?.view ?? store);
    }
    const late = marks.map((mark) => ({ mark, view: store.asOf(mark) }));
    for (const { mark, view } of [...early, ...late]) {
      expect(viewOf(view), `as of ${mark} of ${store.mark()}`).toEqual(expected(versions.slice(0, mark)));
      expect(view.mark()).toBe(mark);
      expect(view.stats(), `sizes as of ${mark} of ${store.mark()}`).toEqual(sizes.get(mark));
    }
    store.close();
  });
  fc.assert(property, { numRuns: 5 });
});

test("a list of history is not changed by later writes", () => {
  const store = openTraceStore({ folder: temporaryFolder() });
  const write = (name: string) =>
    store.write(SCOPE, IDS.map((n) => sampleRow(n, { start_time: instant(n), name })) as never);
  write("first");
  const rows = store.asOf(store.mark()).list(SCOPE, { sessionIds: [SESSION], order: "desc" });
  const names: string[] = [];
  for (const row of rows) {
    write("later");
    names.push(`${row.id} ${row.read().name}`);
  }
  expect(names).toEqual(IDS.toReversed().map((n) => `${idOf(n)} first`));
  store.close();
});

test("a read as of a later mark has the state of that mark", () => {
  const store = openTraceStore({ folder: temporaryFolder() });
  const marks = ["first", "second", "third"].map((name) => {
    store.write(SCOPE, [sampleRow(1, { start_time: instant(1), name })]);
    return store.mark();
  });
  const [first = 0, second = 0, third = 0] = marks;
  const past = store.asOf(second);
  const nameAt = (mark: number) => [
    past.readAsOf(SCOPE, idOf(1), mark)?.name,
    past.asOf(mark).read(SCOPE, idOf(1))?.name,
  ];
  expect([first, second, third].map(nameAt)).toEqual([
    ["first", "first"],
    ["second", "second"],
    ["second", "second"],
  ]);
  expect([first, second, third].map((mark) => past.asOf(mark).mark())).toEqual([first, second, second]);
  store.close();
});

test("history accepts no writes, and a text that is not an id finds no row in it", () => {
  const store = openTraceStore({ folder: temporaryFolder() });
  expect(store.asOf(0).read(SCOPE, "nobody")).toBeUndefined();
  expect(() => store.asOf(0).write(SCOPE, [])).toThrow("history is read-only");
  store.close();
});
