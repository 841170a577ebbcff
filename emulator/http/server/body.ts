import type { IncomingMessage } from "node:http";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { decompressZstd, ZstdTooLarge } from "./zstd.ts";

/** The decompressed body is larger than allowed. */
export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
}

/** The body is not in its declared encoding, or the encoding is not supported. */
export class UnreadableBody extends Error {
  override readonly name = "UnreadableBody";
}

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Reads and decompresses the whole body; holds at most `maxBytes`. */
export function receiveBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const { "content-length": length, "content-encoding": encoding } = request.headers;
  if (Number(length ?? 0) > maxBytes) return Promise.reject(new BodyTooLarge());
  return encoding === undefined ? collect(request, maxBytes) : decoded(request, encoding, maxBytes);
}

async function decoded(request: IncomingMessage, named: string, maxBytes: number): Promise<Uint8Array> {
  const encoding = named.trim().toLowerCase();
  if (encoding === "identity") return collect(request, maxBytes);
  if (encoding === "zstd") return receiveZstd(request, maxBytes);
  const decoder = DECODERS[encoding];
  if (!decoder)
    throw new UnreadableBody(
      `Content-Encoding ${encoding} is not supported; send gzip, deflate, br or zstd.`,
    );
  const plain = decoder();
  request.on("error", (error) => plain.emit("error", error));
  try {
    return await collect(request.pipe(plain), maxBytes);
  } catch (error) {
    request.unpipe();
    if (error instanceof BodyTooLarge) throw error;
    throw new UnreadableBody(`The body is not ${encoding}: ${(error as Error).message}.`);
  }
}

async function receiveZstd(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const compressed = await collect(request, maxBytes);
  try {
    return await decompressZstd(compressed, maxBytes);
  } catch (error) {
    if (error instanceof ZstdTooLarge) throw new BodyTooLarge();
    throw new UnreadableBody(`The body is not zstd: ${(error as Error).message}.`);
  }
}

/** Reads by events: iteration would destroy the connection, which still has to carry the refusal. */
function collect(stream: NodeJS.ReadableStream, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;

    function fail(error: Error): void {
      stream.off("data", take);
      reject(error);
    }

    function brokeOff(): void {
      fail(new Error("the connection was interrupted"));
    }

    function take(chunk: Buffer): void {
      bytes += chunk.length;
      if (bytes > maxBytes) return fail(new BodyTooLarge());
      chunks.push(chunk);
    }

    // `on` instead of `once`, which is expensive for short bodies; each event occurs once.
    stream.on("data", take);
    stream.on("error", fail);
    stream.on("close", brokeOff);
    stream.on("end", () => {
      // `close` follows `end` on every stream; creating an error then would be expensive.
      stream.off("close", brokeOff);
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes));
    });
  });
}
