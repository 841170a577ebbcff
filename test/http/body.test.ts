import { Readable } from "node:stream";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { Zstd } from "@hpcc-js/wasm-zstd";
import { describe, expect, it } from "vitest";
import { decodeBody } from "../../emulator/http/server/body.ts";

const MAX_BYTES = 200_000;
const TEXT = Buffer.from("word ü ".repeat(10_000));

const zstd = await Zstd.load();
const packed = (bytes: Uint8Array) => Buffer.from(zstd.compress(bytes));

function decoded(encoding: string, bytes: Uint8Array): Promise<Uint8Array> {
  return decodeBody(Readable.from([bytes.subarray(0, 7), bytes.subarray(7)]), encoding, MAX_BYTES);
}

/** A frame that asks for a window of gigabytes in ten bytes. */
const GREEDY = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00]);
const SKIPPED = Buffer.from([0x52, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);

describe("a body", () => {
  it.each([
    ["identity", TEXT],
    ["gzip", gzipSync(TEXT)],
    [" X-GZIP", gzipSync(TEXT)],
    ["deflate", deflateSync(TEXT)],
    ["br", brotliCompressSync(TEXT)],
    ["zstd", packed(TEXT)],
    ["zstd", Buffer.concat([packed(TEXT.subarray(0, 100)), SKIPPED, packed(TEXT.subarray(100))])],
  ])("compressed with %s is decompressed", async (encoding, bytes) => {
    expect(TEXT.equals(await decoded(encoding, bytes))).toBe(true);
  });

  it.each([
    ["gzip", gzipSync(Buffer.alloc(50_000_000)), 413, "larger than 200000 bytes"],
    ["identity", Buffer.alloc(MAX_BYTES + 1), 413, "larger than 200000 bytes"],
    ["zstd", packed(Buffer.alloc(MAX_BYTES + 1)), 413, "larger than 200000 bytes"],
    ["zstd", GREEDY, 413, "larger than 200000 bytes"],
    ["gzip", TEXT, 415, "not gzip"],
    ["gzip", gzipSync(TEXT).subarray(0, -12), 415, "not gzip"],
    ["zstd", TEXT, 415, "not zstd"],
    ["lzma", TEXT, 415, "Content-Encoding lzma is not supported"],
  ])("is refused: %s of %o with %i", async (encoding, bytes, status, text) => {
    await expect(decoded(encoding, bytes)).rejects.toMatchObject({
      status,
      message: expect.stringContaining(text),
    });
  });

  it("in zstd is refused wherever it is cut", async () => {
    const whole = packed(Buffer.from('{"a":1,"b":"two","c":[3,3,3,3,3,3,3]}'));
    for (let length = 1; length < whole.length; length += 1)
      await expect(decoded("zstd", whole.subarray(0, length)), `${length}`).rejects.toMatchObject({
        status: 415,
      });
  });
});
