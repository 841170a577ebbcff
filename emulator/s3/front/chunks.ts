import { createHash } from "node:crypto";
import { refuse, refuseArgument } from "./refused.ts";
import { equalHex, HEX_64, hmac, type Signature, sha256, UNSIGNED } from "./signature.ts";

/** The framing of an aws-chunked body. */
export interface Framing {
  /** Each chunk has a signature that includes that of the chunk before it. */
  readonly signed: boolean;
  readonly trailer: boolean;
}

/** What may stand in place of the digest of a body. */
const FRAMINGS: Readonly<Record<string, Framing | "unsupported" | undefined>> = {
  [UNSIGNED]: undefined,
  "STREAMING-UNSIGNED-PAYLOAD-TRAILER": { signed: false, trailer: true },
  "STREAMING-AWS4-HMAC-SHA256-PAYLOAD": { signed: true, trailer: false },
  "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER": { signed: true, trailer: true },
  "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD": "unsupported",
  "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER": "unsupported",
};

/** The framing that `x-amz-content-sha256` announces, if any. Refuses what is neither a digest nor a known word. */
export function framingOf(payload: string): Framing | undefined {
  if (HEX_64.test(payload)) return undefined;
  if (!Object.hasOwn(FRAMINGS, payload)) {
    const message = `x-amz-content-sha256 must be ${Object.keys(FRAMINGS).join(", ")} or a valid sha256 value.`;
    throw refuseArgument("x-amz-content-sha256", payload, message);
  }
  const framing = FRAMINGS[payload];
  if (framing === "unsupported") throw refuse("NotImplemented", `The payload ${payload} is not implemented.`);
  return framing;
}

const MAX_LINE_BYTES = 4096;
const MAX_TRAILERS = 20;
const EMPTY_SHA256 = sha256("");

/** Removes the framing and verifies the signatures; `onTrailers` receives verified trailers. */
export async function* unframe(
  source: AsyncIterable<Buffer>,
  framing: Framing,
  signature: Signature,
  onTrailers: (trailers: ReadonlyMap<string, string>) => void,
): AsyncGenerator<Buffer> {
  const bytes = createReader(source);
  let previous = signature.signature;
  for (;;) {
    const line = await bytes.line();
    if (line === undefined) throw refuse("IncompleteBody");
    const { size, claimed } = parseChunkHeader(line, framing);
    const hash = createHash("sha256");
    for await (const chunk of bytes.read(size)) {
      if (framing.signed) hash.update(chunk);
      yield chunk;
    }
    if (framing.signed) {
      const text = chunkText("AWS4-HMAC-SHA256-PAYLOAD", signature, previous, [
        EMPTY_SHA256,
        hash.digest("hex"),
      ]);
      previous = verifySignature(signature, text, claimed);
    }
    if (size === 0) break;
    if ((await bytes.line()) !== "") throw badChunk();
  }
  onTrailers(await readEnd(bytes, framing, signature, previous));
}

function parseChunkHeader(line: string, framing: Framing) {
  const match = /^([0-9a-fA-F]{1,10})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(line);
  if (!match || framing.signed !== (match[2] !== undefined)) throw badChunk();
  const [, size = "", claimedHex = ""] = match;
  return { size: Number.parseInt(size, 16), claimed: claimedHex };
}

function badChunk(): Error {
  return refuse("InvalidRequest", "The body is not well-formed aws-chunked data.");
}

function chunkText(
  kind: string,
  { amzDate, scope }: Signature,
  previous: string,
  hashes: readonly string[],
): string {
  return [kind, amzDate, scope, previous, ...hashes].join("\n");
}

function verifySignature(signature: Signature, text: string, claimedHex: string): string {
  if (!equalHex(hmac(signature.chunkKey(), text), claimedHex)) throw refuse("SignatureDoesNotMatch");
  return claimedHex;
}

/** The trailers, after which the body ends. */
async function readEnd(
  bytes: ByteReader,
  framing: Framing,
  signature: Signature,
  previous: string,
): Promise<ReadonlyMap<string, string>> {
  const trailers = new Map<string, string>();
  let claimedHex: string | undefined;
  for (let line = await bytes.line(); line; line = await bytes.line()) {
    if (!framing.trailer) throw badChunk();
    const colon = line.indexOf(":");
    if (colon < 1 || trailers.size >= MAX_TRAILERS) throw refuse("MalformedTrailerError");
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === "x-amz-trailer-signature") claimedHex = value;
    else trailers.set(name, value);
  }
  if ((await bytes.line()) !== undefined) throw badChunk();
  if (!framing.signed || !framing.trailer) return trailers;
  const text = [...trailers].map(([name, value]) => `${name}:${value}\n`).join("");
  const signedText = chunkText("AWS4-HMAC-SHA256-TRAILER", signature, previous, [sha256(text)]);
  verifySignature(signature, signedText, claimedHex ?? "");
  return trailers;
}

type ByteReader = ReturnType<typeof createReader>;

function createReader(source: AsyncIterable<Buffer>) {
  const iterator = source[Symbol.asyncIterator]();
  let pending: Buffer = Buffer.alloc(0);

  async function fill(): Promise<boolean> {
    const { value, done } = await iterator.next();
    if (done) return false;
    pending = pending.length === 0 ? value : Buffer.concat([pending, value]);
    return true;
  }

  return {
    /** The next line; undefined at the end of the body. */
    async line(): Promise<string | undefined> {
      for (;;) {
        const end = pending.indexOf("\r\n");
        if (end !== -1) {
          const line = pending.subarray(0, end).toString("latin1");
          pending = pending.subarray(end + 2);
          return line;
        }
        if (pending.length > MAX_LINE_BYTES) throw badChunk();
        if (await fill()) continue;
        if (pending.length === 0) return undefined;
        throw refuse("IncompleteBody");
      }
    },
    async *read(size: number): AsyncGenerator<Buffer> {
      for (let remaining = size; remaining > 0; ) {
        if (pending.length === 0 && !(await fill())) throw refuse("IncompleteBody");
        const chunk = pending.subarray(0, remaining);
        pending = pending.subarray(chunk.length);
        remaining -= chunk.length;
        if (chunk.length > 0) yield chunk;
      }
    },
  };
}
