import { readdirSync, readlinkSync } from "node:fs";
import type { Worker } from "node:worker_threads";
import { describe, expect, onTestFinished, test } from "vitest";
import type { TraceRow } from "../../../../contracts/spec/bulk-exports/columns.ts";
import { encodeFile } from "../../../../emulator/storage/parquet/encode-file.ts";
import {
  encoderFor,
  type FileEncoderOptions,
  SharedEncoder,
} from "../../../../emulator/storage/parquet/encoder.ts";
import { createPartitionReader } from "../../../../emulator/storage/rows/partition-reader.ts";
import type {
  EncodedFile,
  EncodingFailure,
  FileRequest,
} from "../../../../emulator/subjects/bulk-exports/encoder.ts";
import { HARD_ROWS, manyRows, requestOf } from "../../../storage/parquet/sample-export.ts";
import {
  openTraceStore,
  SCOPE,
  sampleRow,
  type TestRows,
  temporaryFolder,
} from "../../../storage/rows/open-store.ts";

function encoderOf(options: FileEncoderOptions = {}): SharedEncoder {
  const encoder = new SharedEncoder({ smallBytes: 0, ...options });
  onTestFinished(() => encoder.close());
  return encoder;
}

function storeOf(rows: readonly TraceRow[]): TestRows {
  const store = openTraceStore({ folder: temporaryFolder() });
  store.write(SCOPE, rows);
  return store;
}

/** Whether this process, in any thread, has a file with rows of this place open. */
function isReading({ key }: TestRows): boolean {
  return readdirSync("/proc/self/fd").some((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(`${key}/`) && path.endsWith(".ndjson");
    } catch {
      return false;
    }
  });
}

function bytesOf(outcome: EncodedFile | EncodingFailure): Buffer {
  if ("failure" in outcome || outcome.bytes === null) throw new Error(JSON.stringify(outcome));
  return Buffer.from(outcome.bytes);
}

async function encodeHere(location: TestRows["location"], request: FileRequest): Promise<Buffer> {
  const reader = createPartitionReader(location);
  try {
    return bytesOf(await encodeFile(reader, request, () => {}));
  } finally {
    reader.close();
  }
}

/** The threads that are started during a test, in order. */
function startedThreads(): { readonly workers: Worker[]; ended(): boolean[] } {
  const workers: Worker[] = [];
  const endedWorkers = new Set<Worker>();
  const take = (worker: Worker): void => {
    workers.push(worker);
    worker.once("exit", () => endedWorkers.add(worker));
  };
  process.on("worker", take);
  onTestFinished(() => void process.off("worker", take));
  return { workers, ended: () => workers.map((worker) => endedWorkers.has(worker)) };
}

const DONE = manyRows(300).map((row) => ({ ...row, status: "done" }));

describe("files of a fork", () => {
  test("are those of a store with the same rows", async () => {
    const parent = storeOf([...HARD_ROWS, ...manyRows(300)]);
    const fork = parent.fork();
    const request = requestOf(fork);
    parent.write(SCOPE, [...DONE, sampleRow(5000)]);
    const encoder = encoderOf({ threads: 1 });
    const plain = storeOf([...HARD_ROWS, ...manyRows(300)]);
    const expected = await encodeHere(plain.location, requestOf(plain));
    expect(bytesOf(await encoder.encode(request, fork.location(request))).equals(expected)).toBe(true);
    expect((await encodeHere(fork.location, request)).equals(expected)).toBe(true);

    fork.write(SCOPE, DONE);
    plain.write(SCOPE, DONE);
    const later = await encodeHere(plain.location, requestOf(plain));
    expect(later.equals(expected)).toBe(false);
    expect(bytesOf(await encoder.encode(requestOf(fork), fork.location(requestOf(fork)))).equals(later)).toBe(
      true,
    );
    expect(bytesOf(await encoder.encode(request, fork.location(request))).equals(expected)).toBe(true);
  });

  test("continue from a cursor after the fork has written, with the files of both", async () => {
    const parent = storeOf(manyRows(100));
    const fork = parent.fork();
    const reader = createPartitionReader(fork.location);
    const request = requestOf(fork);
    const source = reader.open(request, null);
    const first = source.take(30, 1e9, true);
    parent.close();
    expect([isReading(parent), isReading(fork)]).toStrictEqual([true, false]);
    fork.write(SCOPE, [sampleRow(1)]);
    fork.close();
    const again = createPartitionReader(fork.location);
    const rest = again.open(request, source.cursor()).take(1000, 1e9, true);
    expect([isReading(parent), isReading(fork)]).toStrictEqual([true, true]);
    expect([...first, ...rest].map((row) => row.value("id"))).toStrictEqual(
      manyRows(100)
        .map(({ start_time, id }) => `${start_time} ${id}`)
        .sort()
        .map((text) => text.split(" ")[1]),
    );
    reader.close();
    again.close();
    expect([isReading(parent), isReading(fork)]).toStrictEqual([false, false]);
  });
});

describe("an encoder of several worlds", () => {
  test("reads for each from its own place, in the same threads", async () => {
    const threads = startedThreads();
    const stores = [1, 2, 3, 4].map((n) => storeOf(manyRows(40 + n)));
    const encoder = encoderOf({ threads: 2 });
    const worlds = stores.map((store) => encoderFor(encoder, store));
    for (let round = 0; round < 2; round += 1) {
      const outcomes = await Promise.all(
        worlds.map((world, at) => world.encode(requestOf(stores[at] as TestRows))),
      );
      expect(outcomes.map((outcome) => "rows" in outcome && outcome.rows)).toStrictEqual([41, 42, 43, 44]);
    }
    expect(threads.workers).toHaveLength(2);
  });

  test("is closed for one world while the others get all their rows", async () => {
    const [one, other] = [storeOf(manyRows(2000)), storeOf(manyRows(50))];
    const encoder = encoderOf({ threads: 1 });
    const [closing, going] = [encoderFor(encoder, one), encoderFor(encoder, other)];
    const waiting = [closing.encode(requestOf(one)), closing.encode(requestOf(one))];
    const expected = going.encode(requestOf(other));
    await closing.close();
    for (const outcome of [...(await Promise.all(waiting)), await closing.encode(requestOf(one))])
      expect(outcome).toStrictEqual({ failure: "worker_crash", message: "the encoder was closed" });
    expect(await expected).toMatchObject({ rows: 50 });
    expect(await going.encode(requestOf(other))).toMatchObject({ rows: 50 });
  });

  test("closes the files of a closed world", async () => {
    const [one, other] = [storeOf(manyRows(20)), storeOf(manyRows(20))];
    const encoder = encoderOf({ threads: 1 });
    await encoder.encode(requestOf(one), one.location(requestOf(one)));
    await encoder.encode(requestOf(other), other.location(requestOf(other)));
    one.close();
    other.close();
    expect([isReading(one), isReading(other)]).toStrictEqual([true, true]);
    encoder.forget(one.key);
    // The next order of the same thread comes behind it.
    await encoder.encode(requestOf(other), other.location(requestOf(other)));
    expect([isReading(one), isReading(other)]).toStrictEqual([false, true]);
  });

  test("gives no other job to a thread that failed, unless a file is damaged", async () => {
    const threads = startedThreads();
    const store = storeOf(manyRows(20));
    const encoder = encoderOf({ threads: 1 });
    const source = store.location(requestOf(store));
    const rowFiles = source.rowFiles.map((piece) => ({ ...piece, file: `${piece.file}-gone` }));
    expect(await encoder.encode(requestOf(store), { ...source, rowFiles })).toEqual({
      failure: "damaged_rows",
      message: expect.stringMatching(/-gone\.index is missing\.$/),
    });
    expect(threads.ended()).toStrictEqual([false]);
    const unknown = { ...requestOf(store), cursor: "unknown" };
    expect(await encoder.encode(unknown, source)).toEqual({
      failure: "worker_crash",
      message: expect.stringMatching(/^the encoding thread failed: unknown is not a cursor/),
    });
    expect(threads.ended()).toStrictEqual([true]);
    expect(await encoder.encode(requestOf(store), source)).toMatchObject({ rows: 20 });
    expect(threads.ended()).toStrictEqual([true, false]);
  });

  test("ends, for a world, the thread that works or has worked for it", async () => {
    const threads = startedThreads();
    const [one, other] = [storeOf(manyRows(1500)), storeOf(manyRows(1500))];
    const encoder = encoderOf({ threads: 2 });
    const encodeBoth = (): Promise<(EncodedFile | EncodingFailure)[]> =>
      Promise.all([
        encoder.encode(requestOf(one), one.location(requestOf(one))),
        encoder.encode(requestOf(other), other.location(requestOf(other))),
      ]);
    const first = await encodeBoth();
    await encoder.endThread(other.key);
    expect(threads.ended()).toStrictEqual([false, true]);
    const running = encodeBoth();
    await encoder.endThread(other.key);
    expect(threads.ended()).toStrictEqual([false, true, true, ...threads.ended().slice(3)]);
    for (const [at, outcome] of (await running).entries())
      expect(bytesOf(outcome).equals(bytesOf(first[at] as EncodedFile))).toBe(true);
    expect(threads.ended()).toStrictEqual([false, true, true, false]);
  });

  test("ends, of several that have worked for a world, the one that does", async () => {
    const threads = startedThreads();
    const store = storeOf(manyRows(1500));
    const encoder = encoderOf({ threads: 2 });
    const [idle, busy] = [{ ...requestOf(store), day: "2025-03-02" }, requestOf(store)];
    await Promise.all([
      encoder.encode(idle, store.location(idle)),
      encoder.encode(busy, store.location(busy)),
    ]);
    const running = encoder.encode(busy, store.location(busy));
    await encoder.endThread(store.key);
    expect(threads.ended()).toStrictEqual([false, true]);
    expect(await running).toMatchObject({ rows: 1500 });
  });
});
