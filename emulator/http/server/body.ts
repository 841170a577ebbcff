import type { IncomingMessage } from "node:http";
import { Refusal } from "../../kernel/refusal.ts";
import { decompressZstd, ZstdTooLarge } from "./zstd.ts";

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
  if (Number(length) > maxBytes) throw tooLarge(maxBytes);
  if (Number(length) === 0 && request.headers["transfer-encoding"] === undefined) return NO_BODY;
  return encoding === undefined ? collect(request, maxBytes) : decoded(request, encoding, maxBytes);
}

function tooLarge(maxBytes: number): BodyProblem {
  return new BodyProblem(413, "body_too_large", `The body is larger than ${maxBytes} bytes.`);
}

function unreadable(message: string): BodyProblem {
  return new BodyProblem(415, "unreadable_body", message);
}

async function decoded(request: IncomingMessage, named: string, maxBytes: number): Promise<Uint8Array> {
  const encoding = named.trim().toLowerCase();
  if (encoding === "identity") return collect(request, maxBytes);
  if (encoding === "zstd") return receiveZstd(request, maxBytes);
  const decoder = DECODERS[encoding];
  if (!decoder)
    throw new BodyProblem(
      415,
      "unsupported_encoding",
      `Content-Encoding ${encoding} is not supported; send gzip, deflate, br or zstd.`,
    );
  const plain = process.getBuiltinModule("node:zlib")[decoder]();
  request.on("error", (error) => plain.emit("error", error));
  try {
    return await collect(request.pipe(plain), maxBytes);
  } catch (error) {
    request.unpipe();
    if (error instanceof BodyProblem) throw error;
    throw unreadable(`The body is not ${encoding}: ${(error as Error).message}.`);
  }
}

async function receiveZstd(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const compressed = await collect(request, maxBytes);
  try {
    return await decompressZstd(compressed, maxBytes);
  } catch (error) {
    if (error instanceof ZstdTooLarge) throw tooLarge(maxBytes);
    throw unreadable(`The body is not zstd: ${(error as Error).message}.`);
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
      if (bytes > maxBytes) return fail(tooLarge(maxBytes));
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
