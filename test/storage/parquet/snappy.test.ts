import { createCipheriv } from "node:crypto";
import fc from "fast-check";
import { snappyUncompress } from "hyparquet";
import { expect, test } from "vitest";
import { snappy } from "../../../emulator/storage/parquet/codecs.ts";

function expectBack(input: Uint8Array): number {
  const compressed = snappy(input);
  const output = new Uint8Array(input.length);
  if (input.length > 0) snappyUncompress(compressed, output);
  expect(Buffer.from(output).equals(input)).toBe(true);
  return compressed.length;
}

/** Bytes that do not repeat. */
function noise(length: number, seed = 1): Uint8Array {
  const cipher = createCipheriv("aes-128-ctr", Buffer.alloc(16, seed), Buffer.alloc(16));
  return cipher.update(Buffer.alloc(length));
}

test("decompresses to the same bytes", () => {
  const pieces = fc.array(fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.integer({ min: 1, max: 60 })));
  fc.assert(
    fc.property(pieces, (parts) => {
      expectBack(Buffer.concat(parts.flatMap(([bytes, times]) => Array<Uint8Array>(times).fill(bytes))));
    }),
    { numRuns: 75 },
  );
});

test.each([0, 1, 4, 14, 15, 16, 17, 59, 60, 61, 62, 256, 257, 65_536, 65_537, 17_000_000])(
  "%d bytes that do not repeat come back, with little more than themselves",
  (length) => {
    expect(expectBack(noise(length))).toBeLessThanOrEqual(32 + length + Math.ceil(length / 6));
  },
);

test.each([5, 64, 65, 66, 67, 68, 69, 127, 128, 1_000_000])("%d equal bytes become few", (length) => {
  expect(expectBack(new Uint8Array(length).fill(7))).toBeLessThanOrEqual(10 + Math.ceil(length / 20));
});

test.each([2047, 2048, 65_534, 65_535, 65_536, 70_000])(
  "a repetition %d bytes later comes back",
  (distance) => {
    const once = noise(100);
    const compressed = expectBack(Buffer.concat([once, noise(distance - 100, 2), once]));
    if (distance <= 65_535) expect(compressed).toBeLessThan(distance + 60);
  },
);

test("reads only its part of a larger buffer", () => {
  expectBack(Buffer.from("0123456789".repeat(50)).subarray(7, 407));
});
