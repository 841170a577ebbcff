import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { COLUMN_NAMES, type TraceRow } from "../../contracts/spec/bulk-exports/columns.ts";
import { Refusal } from "../../emulator/kernel/refusal.ts";
import { sealLines } from "../../emulator/storage/checksum.ts";
import { tailName } from "../../emulator/storage/rows/segment.ts";
import { EXPORTS } from "../../emulator/subjects/bulk-exports/records.ts";
import { JsonText } from "../../emulator/subjects/json-text.ts";
import { HARD_ROWS } from "../storage/parquet/sample-export.ts";
import { idOf, instant, SCOPE, SESSION, sampleRow } from "../storage/rows/open-store.ts";
import {
  createExportFixture,
  EXPORT_ID,
  type ExportFixture,
  type ExportFixtureOptions,
} from "./export-fixture.ts";

const FIRST = "2025-03-01";
const EMPTY = "2025-03-02";
const THIRD = "2025-03-03";
const LAST = "2025-03-04";
const NOON = 12 * 3_600_000_000;

/** 25 rows from noon of a day on, a second apart; every text has the same length on every day. */
function rowsOf(day: string, from: number): TraceRow[] {
  return Array.from({ length: 25 }, (_, n) =>
    sampleRow(from + n, {
      start_time: instant(NOON + n * 1_000_000, day),
      dotted_order: `20250301T000000000000Z${idOf(from + n)}`,
    }),
  );
}

const FIRST_ROWS = rowsOf(FIRST, 100);
const THIRD_ROWS = rowsOf(THIRD, 200);
const OUTSIDE = [
  sampleRow(300, { start_time: instant(NOON / 2 - 1, FIRST) }),
  sampleRow(301, { start_time: instant((NOON * 3) / 2, LAST) }),
];
const LAST_ROW = sampleRow(302, { start_time: instant((NOON * 3) / 2 - 1, LAST) });
const ROWS = [...THIRD_ROWS, ...OUTSIDE, LAST_ROW, ...FIRST_ROWS];
const SELECTED = 51;
/** The rows of the second file of the first day, and one of them. */
const SECOND_FILE = FIRST_ROWS.slice(10, 20);
const ROW = FIRST_ROWS[14] as TraceRow;

function fixtureOf(options: Partial<ExportFixtureOptions> = {}): Promise<ExportFixture> {
  return createExportFixture({ rows: ROWS, ...options });
}

async function kindsOf(fixture: ExportFixture, id = EXPORT_ID): Promise<string[]> {
  const { ok, problems } = await fixture.verify(id);
  expect(ok).toBe(problems.length === 0);
  return problems.map(({ kind }) => kind);
}

describe("an export with nothing wrong is verified", () => {
  test.each([
    ["v1", "none"],
    ["v1", "gzip"],
    ["v1", "zstandard"],
    ["v2_beta", "snappy"],
    ["v2_beta", "zstandard"],
  ] as const)(
    "in %s with %s: three files a day, an empty day, rows outside of the window",
    async (formatVersion, compression) => {
      const fixture = await fixtureOf({ formatVersion, compression });
      expect(await fixture.verify()).toStrictEqual({ ok: true, rows: SELECTED, files: 7, problems: [] });
    },
  );

  test.each(["v1", "v2_beta"] as const)("with values that are hard to write in %s", async (formatVersion) => {
    const fixture = await fixtureOf({ rows: HARD_ROWS, formatVersion, start: instant(0) });
    expect(await fixture.verify()).toStrictEqual({
      ok: true,
      rows: HARD_ROWS.length,
      files: 1,
      problems: [],
    });
  });

  test.each([
    [["start_time", "id", "inputs"]],
    [["id", "total_cost"]],
    [["run_type", "start_time"]],
    [["run_type", "status"]],
  ] as const)("with the columns %j, of which some rows have the same values", async (fields) => {
    const fixture = await fixtureOf({ fields });
    expect(await fixture.verify()).toMatchObject({ ok: true, rows: SELECTED });
  });

  test("after a client left, whose check ended at the next run", async () => {
    const fixture = await fixtureOf();
    await expect(fixture.verify(undefined, () => true)).rejects.toMatchObject({ code: "interrupted" });
    expect(await fixture.verify()).toMatchObject({ ok: true, rows: SELECTED });
  });

  test("when rows arrive after the start of the runs", async () => {
    const fixture = await fixtureOf();
    const [changed, moved] = FIRST_ROWS as [TraceRow, TraceRow];
    fixture.traces.write(SCOPE, [
      { ...changed, outputs: "changed later" },
      { ...moved, start_time: instant(NOON, THIRD) },
      sampleRow(400, { start_time: instant(NOON, FIRST) }),
      sampleRow(401, { start_time: instant(NOON, EMPTY) }),
    ]);
    expect(await kindsOf(fixture)).toStrictEqual([]);
  });

  test("in any order of the rows in a file or a partition", async () => {
    const fixture = await fixtureOf();
    await fixture.rewrite(FIRST, 0, FIRST_ROWS.slice(5, 15).reverse());
    await fixture.rewrite(FIRST, 1, [...FIRST_ROWS.slice(15, 20), ...FIRST_ROWS.slice(0, 5)]);
    expect(await kindsOf(fixture)).toStrictEqual([]);
  });

  test("without a permission: the embedded store is read directly", async () => {
    // The doors of this scene throw when they are opened.
    expect(await kindsOf(await fixtureOf())).toStrictEqual([]);
  });
});

const allBut = (column: string) => COLUMN_NAMES.filter((name) => name !== column);

/** Each tampering with the one kind of problem that it has to be found as. */
const TAMPERINGS: Readonly<Record<string, readonly [string, (fixture: ExportFixture) => unknown]>> = {
  "a file that was removed": ["missing_file", (fixture) => fixture.removeObject(fixture.keyOf(FIRST, 1))],
  "the only file of a day that was removed": [
    "missing_file",
    (fixture) => fixture.removeObject(fixture.keyOf(LAST)),
  ],
  "a row twice in one file": [
    "duplicate_row",
    (fixture) => fixture.rewrite(FIRST, 0, [...FIRST_ROWS.slice(0, 10), FIRST_ROWS[3] as TraceRow]),
  ],
  "a row in two files of a partition": [
    "duplicate_row",
    (fixture) => fixture.rewrite(FIRST, 2, [...FIRST_ROWS.slice(20), FIRST_ROWS[0] as TraceRow]),
  ],
  "a row less": ["missing_row", (fixture) => fixture.rewrite(FIRST, 1, FIRST_ROWS.slice(11, 20))],
  "the last rows of a day in no file": [
    "missing_row",
    (fixture) => {
      fixture.removeObject(fixture.keyOf(LAST));
      fixture.changeRun(LAST, { files: [] });
    },
  ],
  "a row that the store does not have": [
    "extra_row",
    (fixture) =>
      fixture.rewrite(FIRST, 1, [...SECOND_FILE, sampleRow(500, { start_time: instant(NOON, FIRST) })]),
  ],
  "a changed value": [
    "changed_value",
    (fixture) => fixture.rewrite(FIRST, 1, SECOND_FILE.with(4, { ...ROW, inputs: { question: "?" } })),
  ],
  "a start that was changed within its day": [
    "changed_value",
    async (fixture) => {
      const rows = FIRST_ROWS.slice(0, 10).with(0, {
        ...(FIRST_ROWS[0] as TraceRow),
        start_time: instant(NOON + 1, FIRST),
      });
      await fixture.rewrite(FIRST, 0, rows);
    },
  ],
  "a row in the file of another day": [
    "wrong_partition",
    async (fixture) => {
      await fixture.rewrite(FIRST, 2, [...FIRST_ROWS.slice(20), THIRD_ROWS[0] as TraceRow]);
      await fixture.rewrite(THIRD, 0, THIRD_ROWS.slice(1, 10));
    },
  ],
  "a row of before the window": [
    "wrong_partition",
    (fixture) => fixture.rewrite(FIRST, 2, [...FIRST_ROWS.slice(20), OUTSIDE[0] as TraceRow]),
  ],
  "the bodies of two days' files swapped": [
    "wrong_partition",
    (fixture) => {
      const keys = [fixture.keyOf(FIRST), fixture.keyOf(THIRD)] as const;
      const [first, third] = keys.map((key) => fixture.bytesOf(key).length);
      expect(first).toBe(third);
      fixture.swapObjects(...keys);
    },
  ],
  "a row of another project": [
    "wrong_project",
    (fixture) => fixture.rewrite(FIRST, 1, SECOND_FILE.with(4, { ...ROW, session_id: idOf(1) })),
  ],
  "a row that the store does not have, of another project": [
    "wrong_project",
    (fixture) => {
      const row = sampleRow(500, { start_time: instant(NOON, FIRST), session_id: idOf(1) });
      return fixture.rewrite(FIRST, 1, [...SECOND_FILE, row]);
    },
  ],
  "a file with the rows of another tenant": [
    "wrong_project",
    (fixture) => fixture.rewrite(LAST, 0, [LAST_ROW], { tenantId: idOf(1) }),
  ],
  "a file that was moved into another day's folder": [
    "wrong_partition",
    (fixture) => {
      const key = fixture.keyOf(FIRST, 2);
      fixture.moveObject(key, key.replace("day=01", "day=02"));
    },
  ],
  "a file that was written into another day's folder": [
    "wrong_partition",
    (fixture) => {
      const key = fixture.keyOf(LAST).replace("day=04", "day=02");
      fixture.moveObject(fixture.keyOf(LAST), key);
      fixture.changeFile(LAST, 0, { key });
    },
  ],
  "a file under another prefix": [
    "outside_prefix",
    (fixture) => {
      const key = fixture.keyOf(LAST).replace("traces/all", "traces/other");
      fixture.moveObject(fixture.keyOf(LAST), key);
      fixture.changeFile(LAST, 0, { key });
    },
  ],
  "a copy of a file under another name": [
    "extra_file",
    (fixture) => {
      const key = fixture.keyOf(FIRST, 2);
      fixture.putObject(key.replace("part-00002", "part-00003"), fixture.bytesOf(key));
    },
  ],
  "a file cut off": [
    "damaged_file",
    (fixture) =>
      fixture.putObject(fixture.keyOf(FIRST, 1), fixture.bytesOf(fixture.keyOf(FIRST, 1)).subarray(0, -9)),
  ],
  "a file with rubbish in its pages": [
    "damaged_file",
    (fixture) => {
      const bytes = Buffer.from(fixture.bytesOf(fixture.keyOf(FIRST, 1)));
      bytes.fill(0xff, 4, 60);
      fixture.putObject(fixture.keyOf(FIRST, 1), bytes);
    },
  ],
  "a column less": [
    "columns",
    (fixture) => fixture.rewrite(FIRST, 1, SECOND_FILE, { columns: allBut("outputs") }),
  ],
  "no id column": ["columns", (fixture) => fixture.rewrite(FIRST, 1, SECOND_FILE, { columns: allBut("id") })],
  "columns in another order": [
    "columns",
    (fixture) => fixture.rewrite(FIRST, 1, SECOND_FILE, { columns: COLUMN_NAMES.toReversed() }),
  ],
  "the columns' types of the other format": [
    "type",
    (fixture) => fixture.rewrite(FIRST, 1, SECOND_FILE, { formatVersion: "v2_beta" }),
  ],
  "another compression": [
    "compression",
    (fixture) => fixture.rewrite(FIRST, 1, SECOND_FILE, { compression: "snappy" }),
  ],
  "a wrong count in a run's record": ["count", (fixture) => fixture.changeFile(FIRST, 1, { rows: 9 })],
  "a wrong size in a run's record": ["size", (fixture) => fixture.changeFile(FIRST, 1, { bytes: 9 })],
  "a run less": ["tiling", (fixture) => fixture.removeRun(EMPTY)],
  "a run that ends too early": [
    "tiling",
    (fixture) => fixture.changeRun(EMPTY, { end_time: instant(NOON, EMPTY) }),
  ],
  "a run that ends too late": [
    "tiling",
    (fixture) => fixture.changeRun(EMPTY, { end_time: instant(1, THIRD) }),
  ],
  "a run that has not completed": [
    "not_completed",
    (fixture) => fixture.changeRun(EMPTY, { status: "FAILED" }),
  ],
};

describe("damage is reported as exactly one kind of problem", () => {
  test.each(Object.entries(TAMPERINGS))("%s", async (_, [kind, tamper]) => {
    const fixture = await fixtureOf();
    await tamper(fixture);
    expect([...new Set(await kindsOf(fixture))]).toStrictEqual([kind]);
  });

  test.each(["missing_row", "extra_row", "duplicate_row"] as const)("%s is found once", async (kind) => {
    const fixture = await fixtureOf({ formatVersion: "v2_beta", compression: "gzip" });
    const tampering = Object.values(TAMPERINGS).find(([each]) => each === kind);
    await tampering?.[1](fixture);
    expect(await kindsOf(fixture)).toStrictEqual([kind]);
  });

  test("files that were moved are each found by their size, two of one size one after the other", async () => {
    const fixture = await fixtureOf();
    const moves = [LAST, FIRST, THIRD].map((day, at) => {
      const from = fixture.keyOf(day);
      return { from, to: `${fixture.keyOf(FIRST)}.${at}`, bytes: fixture.bytesOf(from).length };
    });
    expect(moves[1]?.bytes).toBe(moves[2]?.bytes);
    for (const { from, to } of moves) fixture.moveObject(from, to);
    const problems = (await fixture.verify()).problems.map(({ key, detail }) => [key, detail]);
    expect(problems.sort()).toEqual(moves.map(({ from, to }) => [to, `belongs at ${from}`]));
  });

  test("in files without ids too", async () => {
    const fields = ["name", "run_type", "start_time"] as const;
    const rows = FIRST_ROWS.slice(0, 10);
    const changed = await fixtureOf({ fields });
    await changed.rewrite(FIRST, 0, rows.with(2, { ...rows[2]!, name: "another" }));
    expect(await kindsOf(changed)).toStrictEqual(["changed_value"]);
    const doubled = await fixtureOf({ fields });
    await doubled.rewrite(FIRST, 0, [...rows, rows[2]!]);
    expect(await kindsOf(doubled)).toStrictEqual(["duplicate_row"]);
    const swapped = await fixtureOf({ fields: ["name", "run_type"] });
    swapped.swapObjects(swapped.keyOf(FIRST), swapped.keyOf(THIRD));
    expect(await kindsOf(swapped)).toStrictEqual(new Array(20).fill("wrong_partition"));
  });

  test("in JSON, where spaces make no difference and a text that is not JSON is another value", async () => {
    const row = FIRST_ROWS[10] as TraceRow;
    const withInputs = async (text: string) => {
      const fixture = await fixtureOf();
      const inputs = new JsonText(Buffer.from(text));
      await fixture.rewrite(FIRST, 1, SECOND_FILE.with(0, { ...row, inputs }));
      return (await fixture.verify()).problems.map(({ kind, detail }) => [kind, detail]);
    };
    expect(await withInputs('{ "question" : "number\\u0020110" }')).toStrictEqual([]);
    const detail = `row ${idOf(110)}: inputs is {"question instead of {"question":"number 110"}`;
    expect(await withInputs('{"question')).toStrictEqual([["changed_value", detail]]);
  });

  test("with the key and both values, from where they differ on", async () => {
    const fixture = await fixtureOf();
    const long = { text: "x".repeat(5000) };
    const rows = SECOND_FILE.with(0, { ...FIRST_ROWS[10]!, inputs: long, name: "step 999" });
    await fixture.rewrite(FIRST, 1, rows);
    const { problems } = await fixture.verify();
    const inStore = '{"question":"number 110"}';
    expect(problems).toStrictEqual([
      {
        kind: "changed_value",
        key: fixture.keyOf(FIRST, 1),
        detail:
          `row ${idOf(110)}: name is "step 999" instead of "step 110", ` +
          `inputs is {"text":"${"x".repeat(191)}… instead of ${inStore}`,
      },
    ]);
  });

  test("naming at most a hundred problems", async () => {
    const rows = Array.from({ length: 130 }, (_, n) =>
      sampleRow(n, { start_time: instant(NOON + n, FIRST) }),
    );
    const fixture = await fixtureOf({ rows, rowsPerFile: 1000 });
    await fixture.rewrite(
      FIRST,
      0,
      rows.map((row) => ({ ...row, error: "changed" })),
    );
    const { problems } = await fixture.verify();
    expect(problems).toHaveLength(101);
    expect(problems[100]).toStrictEqual({
      kind: "more",
      key: "",
      detail: "30 more problems: changed_value 30",
    });
  });
});

describe("an export that has not completed", () => {
  async function halfway(): Promise<ExportFixture> {
    const fixture = await fixtureOf();
    const [one, two] = fixture.runOf(FIRST).files;
    const { start_time, id } = FIRST_ROWS[19]!;
    fixture.changeRun(FIRST, {
      status: "RUNNING",
      files: [one!, two!],
      latest_cursor: `${start_time} ${id}`,
      exhausted: false,
    });
    fixture.put(EXPORTS, { ...fixture.parent(), status: "RUNNING" });
    return fixture;
  }

  test("is reported as such, and its files up to the checkpoints are accepted", async () => {
    const { rows, files, problems } = await (await halfway()).verify();
    expect({ rows, files, kinds: problems.map(({ kind }) => kind) }).toStrictEqual({
      rows: 46,
      files: 6,
      kinds: ["not_completed"],
    });
  });

  test("is compared with the store up to its checkpoints", async () => {
    const fixture = await halfway();
    await fixture.rewrite(FIRST, 1, FIRST_ROWS.slice(11, 20));
    expect(await kindsOf(fixture)).toStrictEqual(["not_completed", "missing_row"]);
  });

  test("has no rows to be missed before its runs begin", async () => {
    const fixture = await fixtureOf();
    for (const day of [FIRST, EMPTY, THIRD, LAST]) fixture.removeRun(day);
    fixture.put(EXPORTS, { ...fixture.parent(), status: "CREATED" });
    const { rows, problems } = await fixture.verify();
    expect(rows).toBe(0);
    expect([...new Set(problems.map(({ kind }) => kind))]).toStrictEqual(["not_completed", "extra_file"]);
  });
});

test("finds a row of another project by its text when no column shows the project", async () => {
  const fixture = await fixtureOf({ fields: ["id", "start_time"] });
  const { pool } = fixture.traces;
  const name = `${tailName(Number(basename(fixture.traces.key)), { ...SCOPE, sessionId: SESSION, day: LAST })}.ndjson`;
  const file = pool.path(name);
  const lines = readFileSync(file, "utf8").trimEnd().replaceAll(SESSION, idOf(1)).split("\n");
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  sealLines(bytes, pool.sealOf(name), 0);
  writeFileSync(file, bytes);
  const { problems } = await fixture.verify();
  expect(problems).toMatchObject([{ kind: "wrong_project", key: fixture.keyOf(LAST) }]);
  expect(problems[0]?.detail).toContain(`belongs to project ${idOf(1)} of tenant ${SCOPE.tenantId}`);
});

describe("a schedule", () => {
  const SCHEDULE = "50000000-0000-4000-8000-000000000001";
  const SPAWNS = ["a", "b", "c"].map((letter) => `${letter}0000000-0000-4000-8000-000000000001`);

  async function scheduled(starts: readonly string[]): Promise<ExportFixture> {
    const fixture = await fixtureOf();
    fixture.schedule({ id: SCHEDULE, status: "RUNNING", interval_hours: 12, start_time: instant(0, FIRST) });
    for (const [at, start] of starts.entries()) {
      const end = new Date(Date.parse(start) + 12 * 3_600_000).toISOString().replace("Z", "000Z");
      await fixture.exportWindow(SPAWNS[at]!, start, end, SCHEDULE);
    }
    return fixture;
  }

  test("is verified by every export that it spawned", async () => {
    const fixture = await scheduled([instant(0, FIRST), instant(NOON, FIRST), instant(0, EMPTY)]);
    expect(await fixture.verify(SCHEDULE)).toStrictEqual({ ok: true, rows: 26, files: 4, problems: [] });
    fixture.removeObject(
      [...fixture.world.reader.list({ name: "objects", idOf: String, groupOf: String }, "exports")]
        .map((object) => (object as unknown as { key: string }).key)
        .find((key) => key.includes(SPAWNS[1]!))!,
    );
    expect(await kindsOf(fixture, SCHEDULE)).toStrictEqual(["missing_file"]);
  });

  test.each([
    ["later than it should", [instant(0, FIRST), instant(0, EMPTY)]],
    ["before the one before has ended", [instant(0, FIRST), instant(NOON - 1000, FIRST)]],
    ["later than the schedule", [instant(NOON, FIRST)]],
  ])("whose spawned window begins %s has a gap", async (_, starts) => {
    expect(await kindsOf(await scheduled(starts), SCHEDULE)).toStrictEqual(["schedule_gap"]);
  });
});

describe("a destination elsewhere", () => {
  type Denied = readonly ("get" | "list")[];
  const denial = { failure: "access_denied", code: "AccessDenied", message: "AccessDenied: no" } as const;

  function elsewhere(deny: Denied): Promise<ExportFixture> {
    return fixtureOf({
      doors: (files) => ({
        open: (_, { accessKeyId }) => ({
          async list(prefix) {
            expect(accessKeyId).toBe("key");
            return deny.includes("list")
              ? denial
              : { keys: [...files.keys()].filter((key) => key.startsWith(prefix)) };
          },
          async get(key) {
            const bytes = files.get(key);
            if (deny.includes("get")) return denial;
            return bytes ? { bytes } : { failure: "refused", code: "NoSuchKey", message: "NoSuchKey: gone" };
          },
          put: async () => denial,
          size: async () => denial,
          delete: async () => denial,
        }),
      }),
    });
  }

  test.each([
    [[], []],
    [["list"], []],
    [["get"], new Array(7).fill("unreadable")],
  ] as const)("whose key may not %j gives %j", async (deny, kinds) => {
    expect(await kindsOf(await elsewhere(deny))).toStrictEqual(kinds);
  });

  test("is missing a file when its listing is, and has an extra one when that is listed", async () => {
    const fixture = await elsewhere([]);
    const key = fixture.keyOf(FIRST);
    fixture.removeObject(key);
    fixture.putObject(key.replace(".parquet", ".txt"), new Uint8Array(3));
    expect(await kindsOf(fixture)).toStrictEqual(["missing_file", "extra_file"]);
  });

  test("that was deleted cannot be read", async () => {
    const fixture = await fixtureOf();
    fixture.put(EXPORTS, { ...fixture.parent(), bulk_export_destination_id: "gone" });
    expect(await kindsOf(fixture)).toStrictEqual(["unreadable"]);
  });
});

test("an unknown export is refused", async () => {
  const fixture = await fixtureOf();
  await expect(fixture.verify("unknown")).rejects.toMatchObject({ name: "Refusal", status: 404 });
});

test("a world that is reset meanwhile refuses the verification", async () => {
  const fixture = await fixtureOf();
  const verification = fixture.verify();
  fixture.world.end(new Refusal(409, "reset", "The world was reset."));
  rmSync(fixture.traces.key, { recursive: true });
  await expect(verification).rejects.toMatchObject({ code: "reset" });
});

test("verification yields to the event loop between batches of rows", async () => {
  const rows = Array.from({ length: 3000 }, (_, n) => sampleRow(n, { start_time: instant(NOON + n, FIRST) }));
  const fixture = await fixtureOf({ rows, rowsPerFile: 3000 });
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const { ok } = await fixture.verify();
  isOver = true;
  expect(ok).toBe(true);
  expect(turns).toBeGreaterThan(10);
});
