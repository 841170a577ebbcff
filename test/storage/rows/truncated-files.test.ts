import { spawn } from "node:child_process";
import { appendFileSync, cpSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { describe, expect, test } from "vitest";
import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { RECORD_BYTES } from "../../../emulator/storage/rows/sidecar.ts";
import { openTraceStore } from "../../../emulator/storage/rows/store.ts";
import {
  DAY,
  idOf,
  instant,
  readAll,
  SCOPE,
  SESSION,
  sampleRow,
  temporaryFolder,
  wholeDay,
} from "./sample-row.ts";

const NEXT_DAY = "2025-03-02";

function segment(folder: string, day = DAY): string {
  return join(folder, SCOPE.region, SCOPE.tenantId, SESSION, day);
}

/** A store with three acknowledged versions, which was not closed. */
function written(): { folder: string; rows: TraceRow[] } {
  const folder = temporaryFolder();
  const store = openTraceStore({ folder });
  const rows = [sampleRow(1), sampleRow(2, { name: "😀" }), sampleRow(1, { status: "success" })];
  for (const row of rows) store.write(SCOPE, [row]);
  return { folder, rows };
}

function copyOf(folder: string): string {
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
}

/** What a row must be when only the first so many versions were kept. */
function expectVersions(folder: string, rows: readonly TraceRow[], kept: number): void {
  const store = openTraceStore({ folder });
  for (const id of [idOf(1), idOf(2)]) {
    expect(store.read(SCOPE, id)).toStrictEqual(rows.slice(0, kept).findLast((row) => row.id === id));
  }
  store.write(SCOPE, [sampleRow(3)]);
  const ids = new Set([...rows.slice(0, kept).map(({ id }) => id), idOf(3)]);
  expect(new Set(readAll(folder, wholeDay(store.mark())).map(({ id }) => id))).toStrictEqual(ids);
  const again = openTraceStore({ folder });
  expect(again.read(SCOPE, idOf(3))).toStrictEqual(sampleRow(3));
  expect(again.mark()).toBe(store.mark());
}

describe("a store whose process was ended in a write", () => {
  test("drops a record that is not whole, wherever it was cut", () => {
    const { folder, rows } = written();
    const size = statSync(`${segment(folder)}.index`).size;
    expect(size).toBe(3 * RECORD_BYTES);
    for (let length = 0; length <= size; length += 1) {
      const copy = copyOf(folder);
      truncateSync(`${segment(copy)}.index`, length);
      expectVersions(copy, rows, Math.floor(length / RECORD_BYTES));
    }
  });

  test("drops records whose data is not there, wherever it was cut", () => {
    const { folder, rows } = written();
    const data = readFileSync(`${segment(folder)}.ndjson`);
    const ends: number[] = [];
    for (let end = data.indexOf("\n"); end >= 0; end = data.indexOf("\n", end + 1)) ends.push(end + 1);
    const places = [0, 1, ...ends.flatMap((end) => [end - 2, end - 1, end, end + 1])];
    for (const length of places.filter((place) => place <= data.length)) {
      const copy = copyOf(folder);
      truncateSync(`${segment(copy)}.ndjson`, length);
      expectVersions(copy, rows, ends.filter((end) => end <= length).length);
    }
  });

  test("drops data that no record speaks of", () => {
    const { folder, rows } = written();
    appendFileSync(`${segment(folder)}.ndjson`, '{"id":"half a row');
    expectVersions(folder, rows, 3);
    expect(readFileSync(`${segment(folder)}.ndjson`, "utf8")).not.toContain("half a row");
  });

  test("drops records of zeros, as a crashed file system leaves it", () => {
    const { folder, rows } = written();
    appendFileSync(`${segment(folder)}.index`, Buffer.alloc(3 * RECORD_BYTES + 5));
    expectVersions(folder, rows, 3);
  });

  test("ends a move of which only the first half was written", () => {
    const folder = temporaryFolder();
    const store = openTraceStore({ folder });
    store.write(SCOPE, [sampleRow(1), sampleRow(2)]);
    const before = store.mark();
    const moved = sampleRow(1, { start_time: instant(1, NEXT_DAY), status: "moved" });
    store.write(SCOPE, [moved]);
    truncateSync(`${segment(folder)}.index`, 2 * RECORD_BYTES);

    const again = openTraceStore({ folder });
    expect(again.read(SCOPE, idOf(1))).toStrictEqual(moved);
    const statuses = (asOf: number, day: string): string[] =>
      readAll(folder, wholeDay(asOf, day)).map(({ status }) => status);
    expect(statuses(again.mark(), DAY)).toStrictEqual(["pending"]);
    expect(statuses(again.mark(), NEXT_DAY)).toStrictEqual(["moved"]);
    expect(statuses(before, DAY)).toStrictEqual(["pending", "pending"]);
    expect(again.mark()).toBe(before + 1);
  });
});

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** A program that writes one batch after another and says how many rows it has been answered for. */
const WRITER = `
  import { openTraceStore } from "${ROOT}emulator/storage/rows/store.ts";
  import { idOf, instant, SCOPE, sampleRow } from "SAMPLE";
  const store = openTraceStore({ folder: process.argv[2] });
  for (let n = 0; ; n += 20) {
    store.write(SCOPE, Array.from({ length: 20 }, (_, at) =>
      sampleRow((n + at) % 500, { total_tokens: n + at, start_time: instant(at, (n + at) % 3 ? "${DAY}" : "${NEXT_DAY}") })));
    process.stdout.write((n + 20) + "\\n");
  }
`;

describe("a process that is killed while it writes", () => {
  test("loses nothing that was acknowledged", { timeout: 60_000 }, async () => {
    const program = temporaryFolder();
    // The helpers of this folder import the test runner, which a plain program has not.
    const sample = readFileSync(new URL("./sample-row.ts", import.meta.url), "utf8")
      .replace(/import \{ onTestFinished \}.*\n/, "const onTestFinished = (_) => {};\n")
      .replaceAll("../../../", ROOT);
    const source = WRITER.replace("SAMPLE", "./sample.ts");
    writeFileSync(join(program, "sample.ts"), sample);
    writeFileSync(join(program, "writer.ts"), source);
    const built = join(program, "writer.mjs");
    buildSync({
      entryPoints: [join(program, "writer.ts")],
      bundle: true,
      platform: "node",
      format: "esm",
      logLevel: "error",
      outfile: built,
    });
    for (const killAfter of [1, 7, 40, 111]) {
      const folder = temporaryFolder();
      const child = spawn(process.execPath, [built, folder], { stdio: ["ignore", "pipe", "inherit"] });
      let acknowledged = 0;
      let lines = 0;
      for await (const piece of child.stdout.setEncoding("utf8")) {
        const numbers = String(piece)
          .split("\n")
          .filter((line) => line !== "");
        lines += numbers.length;
        acknowledged = Math.max(acknowledged, ...numbers.slice(0, -1).map(Number));
        if (lines >= killAfter) child.kill("SIGKILL");
      }
      const store = openTraceStore({ folder });
      expect(store.mark()).toBeGreaterThanOrEqual(acknowledged);
      const seen = [DAY, NEXT_DAY].flatMap((day) => readAll(folder, wholeDay(store.mark(), day)));
      expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
      // Of the batch that nobody was answered for, the rows of one day may be there without the others.
      expect(seen.length).toBeGreaterThanOrEqual(Math.min(500, acknowledged));
      expect(seen.length).toBeLessThanOrEqual(Math.min(500, store.mark()));
      for (const row of seen) expect(store.read(SCOPE, row.id)).toStrictEqual(row);
      for (let n = Math.max(0, acknowledged - 500); n < acknowledged; n += 1) {
        expect(store.read(SCOPE, idOf(n % 500))?.total_tokens).toBeGreaterThanOrEqual(n);
      }
    }
  });
});
