import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import {
  markOf,
  noteMark,
  traceEntries,
  traceEntryPath,
} from "../../../emulator/storage/archive/trace-entries.ts";
import type { TraceLocation } from "../../../emulator/storage/rows/layers.ts";
import { openTraceStore, type TraceFiles } from "../../../emulator/storage/rows/store.ts";
import {
  DAY,
  idOf,
  instant,
  readAll,
  SCOPE,
  sampleRow,
  temporaryFolder,
  wholeDay,
} from "../rows/sample-row.ts";

const NEXT_DAY = "2025-03-02";

function forkOf(store: TraceFiles): TraceFiles {
  return openTraceStore(store.fork(join(temporaryFolder(), "fork")));
}

/** A store of what an archive would say of another one. */
async function carried(place: TraceLocation): Promise<TraceFiles> {
  const folder = temporaryFolder();
  for (const { name, size, content } of traceEntries("traces/", place)) {
    const pieces: Uint8Array[] = [];
    for await (const piece of content()) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    expect(bytes).toHaveLength(size);
    const path = traceEntryPath(folder, name.slice("traces/".length));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
  noteMark(folder, markOf(place));
  return openTraceStore({ folder });
}

test("rows in the files of several worlds become whole files, without what came after the snapshot", async () => {
  const first = openTraceStore({ folder: temporaryFolder() });
  first.write(SCOPE, [sampleRow(1), sampleRow(2), sampleRow(3, { start_time: instant(3, NEXT_DAY) })]);
  const second = forkOf(first);
  second.write(SCOPE, [sampleRow(1, { status: "second" }), sampleRow(4)]);
  const third = forkOf(second);
  third.write(SCOPE, [sampleRow(2, { status: "third", start_time: instant(9, NEXT_DAY) })]);
  const snapshot = third.fork(join(temporaryFolder(), "snapshot"));
  const mark = third.mark();
  for (const store of [first, second, third])
    store.write(SCOPE, [sampleRow(1, { status: "later" }), sampleRow(7)]);

  const copy = await carried(snapshot);
  expect(copy.mark()).toBe(mark);
  for (const day of [DAY, NEXT_DAY]) {
    const rows = readAll(copy.location, wholeDay(mark, day));
    expect(rows.length).toBe(2);
    expect(rows).toStrictEqual(readAll(snapshot, wholeDay(mark, day)));
  }
  expect(copy.read(SCOPE, idOf(1))?.status).toBe("second");
  expect(copy.readAsOf(SCOPE, idOf(2), 5)?.status).toBe("pending");
});
