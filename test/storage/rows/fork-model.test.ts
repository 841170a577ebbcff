import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { openTraceStore, type TraceFiles } from "../../../emulator/storage/rows/store.ts";
import { idOf, instant, readAll, SCOPE, SESSION, sampleRow, wholeDay } from "./sample-row.ts";

const DAYS = ["2025-03-01", "2025-03-02"];
const START = instant(0);
const END = instant(0, "2025-03-03");
const IDS_MAX = 6;

const store = fc.nat({ max: 30 });
const version = fc.record({
  n: fc.nat({ max: IDS_MAX }),
  day: fc.constantFrom(...DAYS),
  micros: fc.nat({ max: 3 }),
});
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("write" as const),
      store,
      versions: fc.array(version, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("fork" as const), store }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom("close" as const, "end" as const), store }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("read" as const), store }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A store, and what it must hold: all versions that it sees by their number. */
interface TestWorld {
  store: TraceFiles;
  readonly versions: TraceRow[];
}

function latest(versions: readonly TraceRow[]): TraceRow[] {
  const key = ({ start_time, id }: TraceRow): string => start_time + id;
  const newest = new Map(versions.map((row) => [row.id, row]));
  return [...newest.values()].sort((left, right) => (key(left) < key(right) ? -1 : 1));
}

function applyStep(step: Step, worlds: TestWorld[], at: number, folder: string): void {
  const world = worlds[step.store % worlds.length] as TestWorld;
  const { versions } = world;
  if (step.kind === "write") {
    const rows = step.versions.map(({ n, day, micros }, row) =>
      sampleRow(n, { start_time: instant(micros, day), name: `${at}.${row}` }),
    );
    world.store.write(SCOPE, rows);
    versions.push(...rows);
  } else if (step.kind === "fork") {
    const location = world.store.fork(join(folder, String(worlds.length)));
    worlds.push({ store: openTraceStore(location), versions: [...versions] });
  } else if (step.kind === "read") {
    check(world);
  } else {
    if (step.kind === "close") world.store.close();
    world.store = openTraceStore(world.store.location);
  }
}

function check({ store, versions }: TestWorld): void {
  expect(store.mark()).toBe(versions.length);
  const rows = latest(versions);
  for (let n = 0; n <= IDS_MAX; n += 1) {
    expect(store.read(SCOPE, idOf(n))).toStrictEqual(rows.find(({ id }) => id === idOf(n)));
  }
  const listed = [...store.list(SCOPE, { sessionIds: [SESSION], order: "asc" })];
  expect(listed.map((row) => row.read().name)).toStrictEqual(rows.map(({ name }) => name));
  const days = DAYS.filter((day) => rows.some(({ start_time }) => start_time.startsWith(day)));
  expect(store.days(SCOPE, SESSION, START, END)).toStrictEqual(days);
}

/** Marks lie between writes only: within one, a row that moves is in both of its days. */
function checkAsOf({ store, versions }: TestWorld, marks: readonly number[]): void {
  for (const mark of marks) {
    const rows = latest(versions.slice(0, mark));
    for (const day of DAYS) {
      const inDay = rows.filter(({ start_time }) => start_time.startsWith(day));
      expect(readAll(store.location, wholeDay(mark, day), 3)).toStrictEqual(inDay);
    }
    for (let n = 0; n <= IDS_MAX; n += 1) {
      const seen = store.readAsOf(SCOPE, idOf(n), mark)?.name;
      expect(seen).toBe(rows.find(({ id }) => id === idOf(n))?.name);
    }
  }
}

test("a forest of forks is what maps of their own would be", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 3, maxLength: 25 }), (steps) => {
      const folder = mkdtempSync(join(tmpdir(), "forest-"));
      try {
        const root = { store: openTraceStore({ folder: join(folder, "0") }), versions: [] };
        const worlds: TestWorld[] = [root];
        const marks = new Map<TestWorld, Set<number>>();
        for (const [at, each] of steps.entries()) {
          applyStep(each, worlds, at, folder);
          for (const world of worlds) {
            const known = marks.get(world) ?? new Set([0]);
            marks.set(world, known.add(world.store.mark()));
          }
        }
        for (const world of worlds) check(world);
        for (const world of worlds) checkAsOf(world, [...(marks.get(world) ?? [])]);
        for (const world of worlds) world.store = openTraceStore(world.store.location);
        for (const world of worlds) check(world);
      } finally {
        rmSync(folder, { recursive: true });
      }
    }),
    { numRuns: 120 },
  );
});
