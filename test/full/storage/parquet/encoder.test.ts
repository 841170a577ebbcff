import { describe, expect, onTestFinished, test } from "vitest";
import {
  encoderFor,
  type FileEncoderOptions,
  SharedEncoder,
} from "../../../../emulator/storage/parquet/encoder.ts";
import type {
  EncodedFile,
  EncodingFailure,
  FileEncoder,
} from "../../../../emulator/subjects/bulk-exports/encoder.ts";
import { encodeHere, HARD_ROWS, manyRows, storeRows } from "../../../storage/parquet/sample-export.ts";
import { idOf, openTraceStore, sampleRow } from "../../../storage/rows/open-store.ts";

/** Encodes in threads, whatever the size. */
function encoderOf({ folder, ...options }: FileEncoderOptions & { readonly folder: string }): FileEncoder {
  const encoder = new SharedEncoder({ smallBytes: 0, ...options });
  onTestFinished(() => encoder.close());
  return encoderFor(encoder, openTraceStore({ folder }));
}

function bytesOf(outcome: EncodedFile | EncodingFailure): Buffer {
  if ("failure" in outcome || outcome.bytes === null) throw new Error(JSON.stringify(outcome));
  return Buffer.from(outcome.bytes);
}

describe("the encoder", () => {
  test("gives the same bytes on every thread", async () => {
    const { folder, order: request } = storeRows([...HARD_ROWS, ...manyRows(300)]);
    const encoder = encoderOf({ folder });
    const requests = (["none", "snappy", "gzip", "zstandard"] as const).flatMap((compression) =>
      (["v1", "v2_beta"] as const).map((formatVersion) => ({ ...request, compression, formatVersion })),
    );
    const outcomes = await Promise.all(requests.map((one) => encoder.encode(one)));
    for (const [at, one] of requests.entries()) {
      const here = await encodeHere(folder, one);
      expect(bytesOf(outcomes[at] as EncodedFile).equals(bytesOf(here))).toBe(true);
      expect(outcomes[at]).toMatchObject({ rows: here.rows, cursor: here.cursor, done: here.done });
    }
  });

  test("encodes few rows, and simulates their crashes, without a thread", async () => {
    const { folder, order: request } = storeRows(manyRows(30));
    const small = encoderOf({ folder, threads: 0, smallBytes: 1024 * 1024 });
    const inThread = await encoderOf({ folder }).encode(request);
    expect(bytesOf(await small.encode(request)).equals(bytesOf(inThread))).toBe(true);
    expect(await small.encode({ ...request, crash: true })).toStrictEqual({
      failure: "worker_crash",
      message: "the encoding thread ended with code 70",
    });
    const { folder: wrong, order } = storeRows([sampleRow(1, { total_tokens: 0.5 })]);
    expect(
      await encoderOf({ folder: wrong, threads: 0, smallBytes: 1024 * 1024 }).encode(order),
    ).toMatchObject({
      failure: "serialization_error",
    });
  });

  test("continues from a cursor, also in another encoder, with the same rows", async () => {
    const { folder, order: request } = storeRows(manyRows(100));
    const first = encoderOf({ folder, threads: 1 });
    const small = { ...request, rowsPerFile: 30 };
    const cursors: (string | null)[] = [null];
    const files: Buffer[] = [];
    for (let done = false; !done; ) {
      const file = (await first.encode({ ...small, cursor: cursors.at(-1) ?? null })) as EncodedFile;
      files.push(bytesOf(file));
      cursors.push(file.cursor);
      done = file.done;
    }
    expect(files).toHaveLength(4);
    for (const [at, bytes] of files.entries()) {
      const again = encoderOf({ folder });
      expect(bytesOf(await again.encode({ ...small, cursor: cursors[at] ?? null })).equals(bytes)).toBe(true);
    }
  });

  test("loses to a crash the job that was to crash and no other", async () => {
    const { folder, order: request } = storeRows(manyRows(50));
    const encoder = encoderOf({ folder, threads: 1 });
    const outcomes = await Promise.all([
      encoder.encode(request),
      encoder.encode({ ...request, crash: true }),
      encoder.encode(request),
      encoder.encode({ ...request, crash: true }),
      encoder.encode(request),
    ]);
    const crashed = { failure: "worker_crash", message: "the encoding thread ended with code 70" };
    expect(outcomes[1]).toStrictEqual(crashed);
    expect(outcomes[3]).toStrictEqual(crashed);
    expect(outcomes.filter((outcome) => !("failure" in outcome)).map((outcome) => outcome)).toStrictEqual([
      outcomes[0],
      outcomes[0],
      outcomes[0],
    ]);
  });

  test("repeats other jobs of an ended thread", async () => {
    const { folder, order: request } = storeRows(manyRows(800));
    const encoder = encoderOf({ folder, threads: 1 });
    await encoder.endThread();
    const first = bytesOf(await encoder.encode(request));
    const again = [encoder.encode(request), encoder.encode(request)];
    await encoder.endThread();
    for (const outcome of await Promise.all(again)) expect(bytesOf(outcome).equals(first)).toBe(true);
    await encoder.endThread();
    expect(bytesOf(await encoder.encode(request)).equals(first)).toBe(true);
  });

  test("reports a thread without memory, and continues", async () => {
    const tags = Array.from({ length: 400_000 }, (_, n) => `tag ${n}`);
    const { folder, order: request } = storeRows(Array.from({ length: 2 }, (_, n) => sampleRow(n, { tags })));
    const encoder = encoderOf({ folder, threads: 1, heapMegabytes: 24 });
    const [outcome, after] = await Promise.all([
      encoder.encode(request),
      encoder.encode({ ...request, day: "2025-03-02" }),
    ]);
    expect(outcome).toMatchObject({ failure: "resource_exhausted" });
    expect(after).toMatchObject({ bytes: null, done: true });
  });

  test("names a value that cannot be encoded", async () => {
    const { folder, order: request } = storeRows([sampleRow(1, { total_tokens: 0.5 })]);
    expect(await encoderOf({ folder }).encode(request)).toStrictEqual({
      failure: "serialization_error",
      message: `row ${idOf(1)}: total_tokens is not an integer: 0.5`,
    });
  });

  test("ends its threads when it is closed, and answers what waits", async () => {
    const { folder, order: request } = storeRows(manyRows(2000));
    const shared = new SharedEncoder({ smallBytes: 0, threads: 1 });
    const encoder = encoderFor(shared, openTraceStore({ folder }));
    const waiting = [encoder.encode(request), encoder.encode(request)];
    await shared.close();
    for (const outcome of [...(await Promise.all(waiting)), await encoder.encode(request)]) {
      expect(outcome).toMatchObject({ failure: "worker_crash" });
    }
  });
});
