import { expect, test } from "vitest";
import { readBody } from "../../../emulator/storage/objects/opened-body.ts";
import { openTestStore, writeBody } from "../../s3/harness.ts";

const PIECE_BYTES = 100_000;

/** More than is written as it comes. */
function newPieces(): Buffer[] {
  return Array.from({ length: 30 }, (_, n) => Buffer.alloc(PIECE_BYTES, n));
}

test("a body in chunks, transferred or copied, has their bytes", async () => {
  const { files } = openTestStore({ sharedBytes: 64 * 1024 });
  for (const count of [0, 1, 2, 10, 11, 12, 30])
    for (const ownsPieces of [true, false]) {
      const pieces = newPieces().slice(0, count);
      const whole = Buffer.concat(pieces);
      const stage = files.stage(ownsPieces);
      await writeBody(stage, ...pieces);
      const { file, sum } = stage;
      expect(
        await readBody(await files.open({ file, sum, size: whole.length, etag: "", checksums: {} })),
      ).toEqual(whole);
    }
});

test("frees the memory of chunks that have no other owner when they are written", async () => {
  const { files } = openTestStore();
  const [input, copy] = [newPieces(), newPieces()];
  await writeBody(files.stage(true), ...input);
  await writeBody(files.stage(), ...copy);
  expect(input.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)).toBe(0);
  expect(Buffer.concat(copy)).toEqual(Buffer.concat(newPieces()));
  const more = Buffer.alloc(2 * PIECE_BYTES, "x");
  await writeBody(files.stage(true), more.subarray(PIECE_BYTES));
  expect(String(more)).toBe("x".repeat(2 * PIECE_BYTES));
});
