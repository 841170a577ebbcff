import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { Refusal } from "../../kernel/refusal.ts";

/** Why a body could not be received; the request is answered without it. */
export class BodyProblem extends Refusal {}

type Decoder = "createBrotliDecompress" | "createGunzip" | "createInflate";

/** Functions of node:zlib, which is loaded with the first body that needs it. */
const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: "createGunzip",
  "x-gzip": "createGunzip",
  deflate: "createInflate",
  br: "createBrotliDecompress",
};

const NO_BODY = new Uint8Array(0);

/** Reads and decompresses the whole body; holds at most `maxBytes`. Throws `BodyProblem` (413, 415). */
export function receiveBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> | Uint8Array {
  const { "content-length": length = "0", "content-encoding": encoding } = request.headers;
  if (Number(length) > maxBytes) throw bodyTooLarge(maxBytes);
  if (Number(length) === 0 && request.headers["transfer-encoding"] === undefined) return NO_BODY;
  return encoding === undefined ? collect(request, maxBytes) : decodeBody(request, encoding, maxBytes);
}

export function bodyTooLarge(maxBytes: number): BodyProblem {
  return new BodyProblem(413, "body_too_large", `The body is larger than ${maxBytes} bytes.`);
}

/** Decompresses a body with this Content-Encoding. Throws `BodyProblem` (413, 415). */
export async function decodeBody(
  body: Readable,
  contentEncoding: string,
  maxBytes: number,
): Promise<Uint8Array> {
  const encoding = contentEncoding.trim().toLowerCase();
  if (encoding === "identity") return collect(body, maxBytes);
  const decoder = DECODERS[encoding];
  if (!decoder && encoding !== "zstd")
    throw new BodyProblem(
      415,
      "unsupported_encoding",
      `Content-Encoding ${encoding} is not supported; send gzip, deflate, br or zstd.`,
    );
  try {
    if (!decoder) return await decompressZstd(await collect(body, maxBytes), maxBytes);
    const plain = process.getBuiltinModule("node:zlib")[decoder]();
    body.on("error", (error) => plain.emit("error", error));
    return await collect(body.pipe(plain), maxBytes);
  } catch (error) {
    body.unpipe();
    if (error instanceof BodyProblem) throw error;
    throw new BodyProblem(
      415,
      "unreadable_body",
      `The body is not ${encoding}: ${(error as Error).message}.`,
    );
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
      if (bytes > maxBytes) return fail(bodyTooLarge(maxBytes));
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

const MAGIC = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
const MAX_WINDOW_BYTES = 8 * 1024 * 1024;
const RLE_BLOCK = 1;

interface Frame {
  readonly bytes: Uint8Array;
  readonly windowBytes: number;
}

/** Decompresses Zstandard, which Node 20 lacks; throws as soon as the output or a window exceeds `maxBytes`. */
async function decompressZstd(body: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  const { Decompress } = await import("fzstd");
  const blocks: Uint8Array[] = [];
  let size = 0;
  for (const { bytes, windowBytes } of framesOf(body)) {
    // A few bytes can request a window of gigabytes, which the decoder would allocate.
    if (windowBytes > Math.max(MAX_WINDOW_BYTES, maxBytes)) throw bodyTooLarge(maxBytes);
    const decoder = new Decompress((block) => {
      size += block.length;
      if (size > maxBytes) throw bodyTooLarge(maxBytes);
      blocks.push(block);
    });
    decoder.push(bytes, true);
  }
  return Buffer.concat(blocks, size);
}

/** The frames that hold data, found by their headers and those of their blocks. */
function* framesOf(body: Uint8Array): Generator<Frame> {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  for (let at = 0; at < body.length; ) {
    const magic = view.getUint32(at, true);
    if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE) {
      at += 8 + view.getUint32(at + 4, true);
      continue;
    }
    if (magic !== MAGIC) throw new Error("unknown frame header");
    const { headerBytes, windowBytes, hasChecksum } = readHeader(view, at + 4);
    let end = at + 4 + headerBytes;
    for (let isLast = false; !isLast; ) {
      const header = view.getUint16(end, true) + (view.getUint8(end + 2) << 16);
      isLast = (header & 1) === 1;
      end += 3 + (((header >> 1) & 3) === RLE_BLOCK ? 1 : header >> 3);
    }
    end += hasChecksum ? 4 : 0;
    if (end > body.length) throw new Error("it is cut off");
    yield { bytes: body.subarray(at, end), windowBytes };
    at = end;
  }
}

function readHeader(view: DataView, at: number) {
  const descriptor = view.getUint8(at);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  const sizeBytes = sizeFlag === 0 ? Number(isSingleSegment) : 1 << sizeFlag;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const beforeSize = 1 + Number(!isSingleSegment) + dictionaryBytes;
  const window = view.getUint8(at + 1);
  const base = 2 ** (10 + (window >> 3));
  return {
    headerBytes: beforeSize + sizeBytes,
    windowBytes: isSingleSegment
      ? contentSize(view, at + beforeSize, sizeBytes)
      : base + (base / 8) * (window & 7),
    hasChecksum: (descriptor & 4) !== 0,
  };
}

function contentSize(view: DataView, at: number, bytes: number): number {
  if (bytes === 1) return view.getUint8(at);
  if (bytes === 2) return view.getUint16(at, true) + 256;
  if (bytes === 4) return view.getUint32(at, true);
  return Number(view.getBigUint64(at, true));
}

/** Bytes that are still read after a body was refused. */
const MAX_DRAIN_BYTES = 64 * 1024 * 1024;
const MAX_DRAIN_MS = 5_000;

/** Discards the rest of a body: closing the connection while the client sends would lose the reply, which some clients read only then. */
export function drainBody(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    if (incoming.readableEnded || incoming.destroyed) return resolve();
    const timer = setTimeout(stop, MAX_DRAIN_MS);
    let bytes = 0;

    function stop(): void {
      clearTimeout(timer);
      incoming.off("data", take).off("end", stop).off("close", stop);
      resolve();
    }

    function take(chunk: Buffer): void {
      bytes += chunk.length;
      if (bytes > MAX_DRAIN_BYTES) stop();
    }

    incoming.on("data", take).once("end", stop).once("close", stop);
    incoming.resume();
  });
}
