import { describe, expect, test } from "vitest";
import {
  areSealed,
  PORTABLE,
  parseSummed,
  sealBlocks,
  sealedLines,
  sealLines,
  sealOf,
  withSum,
} from "../../emulator/storage/checksum.ts";

const SEAL = sealOf("a folder", "1/file");
const OBJECTS = Array.from({ length: 100 }, (_, n) => ({ n, text: "ü".repeat(n) }));

/** Each copy of the bytes with one bit that is another. */
function* flipped(bytes: Buffer): Iterable<Buffer> {
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const copy = Buffer.from(bytes);
    copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    yield copy;
  }
}

describe.each([
  ["portable", PORTABLE],
  ["sealed for a file", SEAL],
])("content that is %s", (_, seal) => {
  test("is read with its checksum, and refused with one bit changed, cut or empty", () => {
    const text = withSum(JSON.stringify({ n: 1, text: "ü" }), seal);
    const bytes = Buffer.from(`${text}\n`);
    expect(parseSummed(Buffer.from(text), seal)).toMatchObject({ n: 1, text: "ü" });
    expect(parseSummed(bytes, seal, 0, bytes.length - 1)).toMatchObject({ n: 1, text: "ü" });
    expect(areSealed(bytes, seal, 0)).toBe(true);
    for (const other of flipped(bytes)) expect(areSealed(other, seal, 0)).toBe(false);
    for (let length = 0; length < bytes.length - 1; length += 1)
      expect(parseSummed(bytes, seal, 0, length)).toBeUndefined();
  });

  test("has lines that are checked one by one or all at once", () => {
    const all = sealedLines(OBJECTS, seal, 0);
    let start = 0;
    for (const object of OBJECTS) {
      const stop = all.indexOf("\n", start) + 1;
      expect(areSealed(all.subarray(start, stop), seal, start)).toBe(true);
      expect(parseSummed(all, seal, start, stop - 1)).toMatchObject(object);
      start = stop;
    }
    expect(areSealed(all, seal, 0)).toBe(true);
    for (const at of [0, 1000, all.length - 1]) {
      const other = Buffer.from(all);
      other[at] = (other[at] ?? 0) ^ 1;
      expect(areSealed(other, seal, 0)).toBe(false);
    }
    expect(sealedLines(OBJECTS.slice(0, 1), seal, 0)).toEqual(all.subarray(0, all.indexOf("\n") + 1));
  });

  test("has blocks that are checked one by one or all at once, and no bit of any may be another", () => {
    const bytes = Buffer.from(Array.from({ length: 48 }, (_, n) => n * 5));
    sealBlocks(bytes, 16, seal, 0);
    expect(areSealed(bytes, seal, 0)).toBe(true);
    for (const at of [0, 16, 32]) expect(areSealed(bytes.subarray(at, at + 16), seal, at)).toBe(true);
    for (const other of flipped(bytes)) expect(areSealed(other, seal, 0)).toBe(false);
    expect(areSealed(Buffer.alloc(16), seal, 0)).toBe(false);
  });
});

test("content of another file, data folder or offset is refused, until it is sealed again", () => {
  const line = sealedLines([{ n: 1 }], SEAL, 0);
  const block = Buffer.alloc(16, 7);
  sealBlocks(block, 16, SEAL, 0);
  for (const bytes of [line, block]) {
    for (const seal of [sealOf("a folder", "2/file"), sealOf("another folder", "1/file"), PORTABLE])
      expect(areSealed(bytes, seal, 0)).toBe(false);
    for (let offset = 1; offset < 1000; offset += 1) expect(areSealed(bytes, SEAL, offset)).toBe(false);
    expect(areSealed(bytes, SEAL, 5e9)).toBe(false);
  }
  sealLines(line, SEAL, 5e9);
  expect(areSealed(line, SEAL, 5e9)).toBe(true);
  sealBlocks(block, 16, SEAL, 5e9);
  expect(areSealed(block, SEAL, 5e9)).toBe(true);
});
