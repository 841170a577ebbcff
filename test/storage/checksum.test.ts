import { expect, test } from "vitest";
import { areSealed, parseSummed, sealBlock, sumOn, withSum } from "../../emulator/storage/checksum.ts";

/** Each copy of the bytes with one bit that is another. */
function* flipped(bytes: Buffer): Iterable<Buffer> {
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const copy = Buffer.from(bytes);
    copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    yield copy;
  }
}

test("reads a text with its checksum, and refuses it with one bit changed, cut or empty", () => {
  const bytes = Buffer.from(`${withSum(JSON.stringify({ n: 1, text: "ü" }))}\n`);
  expect(parseSummed(bytes, 0, bytes.length - 1)).toMatchObject({ n: 1, text: "ü" });
  expect(areSealed(bytes)).toBe(true);
  for (const other of flipped(bytes)) expect(areSealed(other)).toBe(false);
  for (let length = 0; length < bytes.length - 1; length += 1)
    expect(parseSummed(bytes, 0, length)).toBeUndefined();
});

test("lines are checked one by one or all at once", () => {
  const lines = Array.from({ length: 500 }, (_, n) => Buffer.from(`${withSum(JSON.stringify({ n }))}\n`));
  for (const [n, line] of lines.entries()) {
    expect(areSealed(line)).toBe(true);
    expect(parseSummed(line, 0, line.length - 1)).toMatchObject({ n });
  }
  const all = Buffer.concat(lines);
  expect(areSealed(all)).toBe(true);
  for (const at of [0, 1000, all.length - 1]) {
    const other = Buffer.from(all);
    other[at] = (other[at] ?? 0) ^ 1;
    expect(areSealed(other)).toBe(false);
  }
});

test("blocks are checked one by one or all at once, and no bit of any may be another", () => {
  const bytes = Buffer.from(Array.from({ length: 48 }, (_, n) => n * 5));
  for (const at of [0, 16, 32]) sealBlock(bytes, at, 16);
  expect(areSealed(bytes)).toBe(true);
  for (const at of [0, 16, 32]) expect(areSealed(bytes.subarray(at, at + 16))).toBe(true);
  for (const other of flipped(bytes)) expect(areSealed(other)).toBe(false);
  expect(areSealed(Buffer.alloc(16))).toBe(false);
});

test("a sum continues from chunk to chunk", () => {
  const bytes = Buffer.from("in chunks");
  expect(sumOn(bytes.subarray(3), sumOn(bytes.subarray(0, 3)))).toBe(sumOn(bytes));
});
