import { type CaseRow, suite } from "../engine/case.ts";
import { equal } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import { HOUR, instantOf, iso, isoMicros, MINUTE } from "../engine/instant.ts";
import type { Members } from "../engine/json.ts";
import {
  exportsIn,
  FILES,
  ingest,
  type Prepared,
  prepare,
  rowAt,
  rowsOf,
  runExport,
  runsOf,
  statusOf,
  until,
} from "./export-helpers.ts";
import { GRACE, SCHEDULES, schedule, spawnedBy, windowOf } from "./lifecycle.ts";

/** §2.6: windows in hours from a midnight. */
const WINDOWS = {
  days: [0, 48],
  "mid-day": [12, 36],
  "around-midnight": [23.5, 24.5],
  "within-a-day": [6, 18],
} as const satisfies Readonly<Record<string, readonly [from: number, to: number]>>;

/** Rows are one microsecond before an edge, at it, and one microsecond after it. */
const OFFSETS = [-1, 0, 1] as const;

interface EdgeRow {
  readonly edge: number;
  readonly micros: (typeof OFFSETS)[number];
  readonly row: Members;
}

function edgeRows(t: Contract, edges: readonly number[]): readonly EdgeRow[] {
  return edges.flatMap((edge) =>
    OFFSETS.map((micros) => ({ edge, micros, row: rowAt(t, isoMicros(edge, micros)) })),
  );
}

function edgeCase(hours: readonly [from: number, to: number]): CaseRow {
  return {
    title: `rows next to the edges of a window from hour ${hours[0]} to hour ${hours[1]} are exported once, or not`,
    requirements: ["2.6-1", "2.6-2"],
    needs: FILES,
    async run(t) {
      const prepared = await prepare(t, { days: 2, perDay: 0 });
      const [from = 0, to = 0] = hours.map((hour) => prepared.from + hour * HOUR);
      const midnight = prepared.from + 24 * HOUR;
      const edges = [...new Set([from, midnight, to])].filter((edge) => edge >= from && edge <= to);
      const rows = edgeRows(t, edges);
      await ingest(
        t,
        prepared.projectId,
        rows.map(({ row }) => row),
      );
      const { id } = await runExport(t, { ...prepared, from, to });
      const ids = (await rowsOf(t, id)).map((bulkExport) => bulkExport.id);
      for (const { edge, micros, row } of rows) {
        const at = edge + micros / 1000;
        const expected = at >= from && at < to ? 1 : 0;
        const count = equal(ids.filter((each) => each === row.id).length, expected);
        const text = `the row at ${row.start_time} is exported ${expected} times`;
        if (at === to) t.choice("export.window_end", count, text);
        else t.fact("2.6-1", count, text);
      }
      const total = (await runsOf(t, id)).reduce((sum, { rows_exported }) => sum + rows_exported, 0);
      t.fact("2.6-2", equal(total, ids.length), "the runs count the rows of the files");
    },
  };
}

/** How many exports of a schedule have begun to work. */
const countStarted = async (t: Contract, id: string) =>
  (await exportsIn(t)).filter((each) => each.source_bulk_export_id === id && statusOf(each) !== "CREATED")
    .length;

/** Hours of an interval, and the spawned windows that are looked at. */
const INTERVALS = { "3.3/windows": [6, 4], "3.3/windows-1": [1, 2], "3.3/windows-168": [168, 1] } as const;

function intervalCase([hours, count]: readonly [hours: number, count: number]): CaseRow {
  return {
    title: `a schedule of ${hours} hours spawns consecutive windows, each ten minutes after its end`,
    requirements: ["3.3-1", "3.3-2", "3.3-3", ...(hours === 6 ? (["3.3-4"] as const) : []), "2.5-7"],
    needs: SCHEDULES,
    async run(t) {
      const prepared = await prepare(t, { days: 1, perDay: 0 });
      const { id, start } = await schedule(t, prepared, { interval_hours: hours });
      const length = hours * HOUR;
      for (let index = 0; index < count; index++) {
        const due = start + (index + 1) * length + GRACE;
        await t.advance({ to: iso(due - 1) });
        t.fact("3.3-3", equal(await countStarted(t, id), index), `export ${index + 1} does not begin early`);
        await t.advance({ to: iso(due + MINUTE / 2) });
        const isBegun = equal(await countStarted(t, id), index + 1);
        t.must("3.3-3", isBegun, `export ${index + 1} runs ten minutes after its end`);
        if (hours === 6) t.fact("3.3-4", isBegun, `export ${index + 1} is spawned on time`);
      }
      const all = await spawnedBy(t, id);
      t.fact("2.5-7", equal(all[0]?.source_bulk_export_id, id), "a spawned export names its source");
      const windows = all.map(windowOf);
      const hasWindows = windows.every((window) => !window.some(Number.isNaN));
      if (!t.choice("platform.reply_fields", hasWindows, "spawned exports have their windows")) return;
      t.fact("3.3-1", equal(windows[0], [start, start + length]), "the first window begins at start_time", {
        actual: all[0],
      });
      for (const [index, child] of all.slice(0, count).entries()) {
        const expected = [start + index * length, start + (index + 1) * length];
        const isNext = windowOf(child).join() === expected.join();
        t.fact("3.3-2", isNext, `window ${index + 1} begins at the end of the previous window`, {
          expected: expected.map(iso),
          actual: [child.start_time, child.end_time],
        });
        const due = start + (index + 1) * length + GRACE;
        t.choice(
          "export.start",
          instantOf(child.created_at) === due,
          "the export is created when it begins",
          {
            expected: iso(due),
            actual: child.created_at,
          },
        );
      }
    },
  };
}

export const WINDOW_EDGE_CASES = suite({
  ...Object.fromEntries(
    Object.entries(WINDOWS).map(([slug, hours]) => [`2.6/edges-${slug}`, edgeCase(hours)]),
  ),
  ...Object.fromEntries(Object.entries(INTERVALS).map(([id, interval]) => [id, intervalCase(interval)])),
  "3.3/edges": {
    title: "a row next to the edge between two windows of a schedule is exported",
    requirements: ["3.3-1", "3.3-2"],
    needs: [...SCHEDULES, "object_store"],
    async run(t) {
      const prepared: Prepared = await prepare(t, { days: 1, perDay: 0 });
      const { id, start } = await schedule(t, prepared, { interval_hours: 1 });
      const rows = edgeRows(t, [start, start + HOUR]);
      await ingest(
        t,
        prepared.projectId,
        rows.map(({ row }) => row),
      );
      await t.advance("PT2H10M");
      const ids: unknown[] = [];
      for (const child of await spawnedBy(t, id)) {
        t.must("3.1-6", await until(t, child.id, "COMPLETED"), "a spawned export is COMPLETED");
        ids.push(...(await rowsOf(t, child.id)).map((bulkExport) => bulkExport.id));
      }
      for (const { edge, micros, row } of rows) {
        const count = ids.filter((each) => each === row.id).length;
        const expected = edge === start && micros < 0 ? 0 : 1;
        const isShared = edge !== start && micros === 0;
        const text = `the row at ${row.start_time} is exported ${expected} times`;
        const id = edge === start ? "3.3-1" : "3.3-2";
        t.fact(id, isShared ? count > 0 : equal(count, expected), text, { expected, actual: count });
        if (isShared) t.choice("export.window_end", equal(count, expected), text);
      }
    },
  },
});
