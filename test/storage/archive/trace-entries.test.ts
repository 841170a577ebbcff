import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import {
  addTraceFile,
  sealedContent,
  traceEntries,
} from "../../../emulator/storage/archive/trace-entries.ts";
import type { NamedSegment } from "../../../emulator/storage/pool/names.ts";
import { openPool } from "../../../emulator/storage/pool/pool.ts";
import { imageOfNames, namesIn } from "../../../emulator/storage/rows/image.ts";
import { openRowStore } from "../../../emulator/storage/rows/store.ts";
import {
  DAY,
  idOf,
  instant,
  openTraceStore,
  readAll,
  SCOPE,
  sampleRow,
  type TestRows,
  temporaryFolder,
  wholeDay,
} from "../rows/open-store.ts";

const NEXT_DAY = "2025-03-02";
const OWNER = 9;

/** A store with the entries that an archive would have of another one. */
async function carried({ rows, pool }: Pick<TestRows, "pool"> & { rows: ReturnType<TestRows["image"]> }) {
  const target = openPool(temporaryFolder(), true);
  const segments = new Map<string, NamedSegment>();
  for (const { name, size, content } of traceEntries("traces/", pool, namesIn(rows))) {
    const file = addTraceFile(segments, OWNER, rows.next, { name: name.slice("traces/".length), size });
    const pieces: Uint8Array[] = [];
    for await (const piece of sealedContent(target, file, Readable.from(content()))) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    expect(bytes).toHaveLength(size);
    mkdirSync(dirname(target.path(file)), { recursive: true });
    writeFileSync(target.path(file), bytes);
  }
  const image = imageOfNames(target, { next: rows.next, segments: [...segments.values()] });
  return openRowStore({
    pool: target,
    owner: OWNER + 1,
    image,
    changed: () => undefined,
    appending: () => undefined,
  });
}

test("rows in the files of several worlds become complete files, without later rows", async () => {
  const first = openTraceStore({ folder: temporaryFolder() });
  first.write(SCOPE, [sampleRow(1), sampleRow(2), sampleRow(3, { start_time: instant(3, NEXT_DAY) })]);
  const second = first.fork();
  second.write(SCOPE, [sampleRow(1, { status: "second" }), sampleRow(4)]);
  const third = second.fork();
  third.write(SCOPE, [sampleRow(2, { status: "third", start_time: instant(9, NEXT_DAY) })]);
  const snapshot = third.image();
  const survivor = third.fork();
  const mark = third.mark();
  for (const store of [first, second, third])
    store.write(SCOPE, [sampleRow(1, { status: "later" }), sampleRow(7)]);

  const copy = await carried({ rows: snapshot, pool: third.pool });
  expect(copy.mark()).toBe(mark);
  for (const day of [DAY, NEXT_DAY]) {
    const rows = readAll(copy.location, wholeDay(mark, day));
    expect(rows.length).toBe(2);
    expect(rows).toStrictEqual(readAll(survivor.location, wholeDay(mark, day)));
  }
  expect(copy.read(SCOPE, idOf(1))?.status).toBe("second");
  expect(copy.readAsOf(SCOPE, idOf(2), 5)?.status).toBe("pending");
});
