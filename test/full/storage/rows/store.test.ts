import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { MAX_FILES } from "../../../../emulator/storage/pool/open-files.ts";
import {
  DAY,
  idOf,
  instant,
  openTraceStore,
  readAll,
  SCOPE,
  SESSION,
  sampleRow,
  temporaryFolder,
  wholeDay,
} from "../../../storage/rows/open-store.ts";

const START = "2025-01-01T00:00:00.000000Z";
const END = "2026-01-01T00:00:00.000000Z";
const NEXT_DAY = "2025-03-02";

const STRANGE = sampleRow(1, {
  name: '日本語 😀 \u0000 \u2028 "quoted" \\ \n',
  tags: [],
  parent_run_ids: [idOf(2), idOf(3)],
  total_tokens: 2 ** 60,
  total_cost: "12345678901234567890.123456789012",
  inputs: { sizes: { head: 1 }, 'key "with" quotes': ["}", "{", null, "\ud83d\udc4d"] },
  outputs: 'a plain text with ,"sizes":{ in it',
  extra: 0,
  events: false,
  feedback_stats: { "": "" },
});

describe("the trace store", () => {
  test("returns waiting rows like appended ones, in reused memory too", () => {
    const folder = temporaryFolder();
    const store = openTraceStore({ folder });
    const { rows } = store.storage;
    const written = Array.from({ length: 40 }, (_, n) =>
      sampleRow(n, { start_time: instant(n, n % 3 === 0 ? NEXT_DAY : DAY), inputs: `${n} `.repeat(n * 100) }),
    );
    for (const [n, row] of written.entries()) {
      rows.write(SCOPE, [row]);
      if (n % 5 === 0) rows.appendToFiles();
      for (const each of written.slice(0, n + 1)) expect(rows.read(SCOPE, each.id)).toStrictEqual(each);
    }
    store.storage.flush();
    const reopened = store.reopen();
    for (const row of written) expect(reopened.read(SCOPE, row.id)).toStrictEqual(row);
    reopened.close();
  });

  test("returns the written rows, also after a restart", () => {
    const folder = temporaryFolder();
    const store = openTraceStore({ folder });
    store.write(SCOPE, [STRANGE, sampleRow(2)]);
    expect(store.read(SCOPE, STRANGE.id)).toStrictEqual(STRANGE);
    store.close();
    const again = openTraceStore({ folder });
    expect(again.read(SCOPE, STRANGE.id)).toStrictEqual(STRANGE);
    expect(again.read(SCOPE, idOf(2))).toStrictEqual(sampleRow(2));
    expect(again.read(SCOPE, idOf(3))).toBeUndefined();
    expect(again.read(SCOPE, "../../etc/passwd")).toBeUndefined();
  });

  test("counts the newest version of a row only, within a call and across calls", () => {
    const folder = temporaryFolder();
    const store = openTraceStore({ folder });
    store.write(SCOPE, [sampleRow(1), sampleRow(1, { status: "error" })]);
    store.write(SCOPE, [sampleRow(1, { status: "success" })]);
    expect(store.read(SCOPE, idOf(1))?.status).toBe("success");
    expect(readAll(folder, wholeDay(store.mark())).map(({ status }) => status)).toStrictEqual(["success"]);
    expect(store.stats().rows).toBe(1);
  });

  test("moves a row whose day has changed, there and back, within one call too", () => {
    const folder = temporaryFolder();
    const store = openTraceStore({ folder });
    const there = sampleRow(1, { start_time: instant(5, NEXT_DAY), status: "there" });
    const back = sampleRow(1, { status: "back" });
    store.write(SCOPE, [sampleRow(1), sampleRow(2)]);
    const before = store.mark();
    store.write(SCOPE, [there]);
    const moved = store.mark();
    expect(store.days(SCOPE, SESSION, START, END)).toStrictEqual([DAY, NEXT_DAY]);
    store.write(SCOPE, [back, there, back]);
    const statuses = (asOf: number, day: string): string[] =>
      readAll(folder, wholeDay(asOf, day)).map(({ status }) => status);
    expect(statuses(before, DAY)).toStrictEqual(["pending", "pending"]);
    expect(statuses(before, NEXT_DAY)).toStrictEqual([]);
    expect(statuses(moved, DAY)).toStrictEqual(["pending"]);
    expect(statuses(moved, NEXT_DAY)).toStrictEqual(["there"]);
    expect(statuses(store.mark(), DAY)).toStrictEqual(["back", "pending"]);
    expect(statuses(store.mark(), NEXT_DAY)).toStrictEqual([]);
    expect(store.days(SCOPE, SESSION, START, END)).toStrictEqual([DAY]);
    store.close();
    const again = openTraceStore({ folder });
    expect(again.days(SCOPE, SESSION, START, END)).toStrictEqual([DAY]);
    expect(again.read(SCOPE, idOf(1))?.status).toBe("back");
  });

  test("knows the days on which rows begin, to the microsecond", () => {
    const store = openTraceStore({ folder: temporaryFolder() });
    store.write(SCOPE, [
      sampleRow(1, { start_time: instant(10) }),
      sampleRow(2, { start_time: instant(30) }),
      sampleRow(3, { start_time: instant(86_399_999_999, "2025-02-28") }),
    ]);
    store.write(SCOPE, [sampleRow(2, { start_time: instant(50) })]);
    const days = (start: string, end: string): readonly string[] => store.days(SCOPE, SESSION, start, end);
    expect(days(instant(10), instant(11))).toStrictEqual([DAY]);
    expect(days(instant(11), instant(50))).toStrictEqual([]);
    expect(days(instant(50), instant(51))).toStrictEqual([DAY]);
    expect(days(instant(0, "2025-02-28"), instant(10))).toStrictEqual(["2025-02-28"]);
    expect(days(instant(86_399_999_999, "2025-02-28"), instant(11))).toStrictEqual(["2025-02-28", DAY]);
    expect(days(instant(0, "2025-02-28"), instant(86_399_999_999, "2025-02-28"))).toStrictEqual([]);
    expect(store.days(SCOPE, idOf(9), START, END)).toStrictEqual([]);
  });

  test("keeps regions, tenants and projects apart", () => {
    const folder = temporaryFolder();
    const store = openTraceStore({ folder });
    const other = { region: "eu", tenantId: SCOPE.tenantId };
    store.write(SCOPE, [sampleRow(1)]);
    store.write(other, [sampleRow(1, { status: "european", session_id: idOf(7) })]);
    expect(store.read(SCOPE, idOf(1))?.status).toBe("pending");
    expect(store.read(other, idOf(1))?.status).toBe("european");
    expect(store.read({ region: "us", tenantId: idOf(8) }, idOf(1))).toBeUndefined();
    expect(store.days(other, SESSION, START, END)).toStrictEqual([]);
    expect(store.days(other, idOf(7), START, END)).toStrictEqual([DAY]);
  });

  test.each([
    ["region", { region: "../us", tenantId: SCOPE.tenantId }, {}, /^"..\/us" is not a region\.$/],
    ["tenant", { region: "us", tenantId: ".." }, {}, /^"\.\." is not a tenant id, /],
    ["session", SCOPE, { session_id: "../x" }, /^The session id "..\/x" is not a lower-case UUID\.$/],
    [
      "upper-case id",
      SCOPE,
      { id: idOf(1).toUpperCase().replace("0000", "ABCD") },
      /^The row id .* is not a lower-case UUID\.$/,
    ],
    [
      "start time",
      SCOPE,
      { start_time: "2025-13-01T00:00:00.000000Z" },
      /^The start time .* is not a UTC time /,
    ],
    [
      "start time without microseconds",
      SCOPE,
      { start_time: "2025-03-01T00:00:00Z" },
      / is not a UTC time with six decimals\.$/,
    ],
  ])("refuses a bad %s before anything is written", (_name, scope, changes, message) => {
    const folder = temporaryFolder();
    const store = openTraceStore({ folder });
    expect(() => store.write(scope, [sampleRow(1), sampleRow(2, changes)])).toThrow(message);
    expect(store.mark()).toBe(0);
    const names = readdirSync(folder, { recursive: true }) as string[];
    expect(names.filter((name) => name.includes("rows"))).toStrictEqual([]);
  });

  test("keeps its mark over a clean end, and over one that was not", () => {
    const folder = temporaryFolder();
    const store = openTraceStore({ folder });
    expect(store.mark()).toBe(0);
    store.write(SCOPE, [sampleRow(1), sampleRow(2, { start_time: instant(0, NEXT_DAY) })]);
    store.write(SCOPE, [sampleRow(3), sampleRow(2)]);
    const mark = store.mark();
    expect(openTraceStore({ folder }).mark()).toBe(mark);
    store.close();
    const again = openTraceStore({ folder });
    expect(again.mark()).toBe(mark);
    again.write(SCOPE, [sampleRow(4)]);
    const last = openTraceStore({ folder });
    expect(last.mark()).toBe(mark + 1);
    expect(last.stats()).toStrictEqual(again.stats());
  });

  test("supports more segments than it keeps open", () => {
    const before = readdirSync("/dev/fd").length;
    const folder = temporaryFolder();
    const store = openTraceStore({ folder });
    const dayOf = (n: number): string =>
      instant(0, new Date(Date.UTC(2025, 0, 1 + n)).toISOString().slice(0, 10));
    const rows = Array.from({ length: 150 }, (_, n) => sampleRow(n, { start_time: dayOf(n) }));
    store.write(SCOPE, rows);
    store.write(
      SCOPE,
      rows.map((row) => ({ ...row, status: "success" })),
    );
    expect(rows.map(({ id }) => store.read(SCOPE, id)?.status)).toStrictEqual(rows.map(() => "success"));
    expect(readdirSync("/dev/fd").length - before).toBeLessThan(MAX_FILES + 20);
    store.close();
    expect(openTraceStore({ folder }).days(SCOPE, SESSION, START, END)).toHaveLength(150);
  });
});
