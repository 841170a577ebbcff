import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Entry, Extract } from "tar-stream";
import { Refusal } from "../../kernel/refusal.ts";
import { jsonOf } from "../../subjects/json-of.ts";
import { damaged, ENTRY } from "./manifest.ts";
import { createDigest, type Digest, drained } from "./pack.ts";

/** One file of an archive. Its content has to be read before the next entry. */
export interface UnpackedEntry {
  readonly name: string;
  readonly size: number;
  content(): AsyncIterable<Uint8Array>;
}

const BLOCK_BYTES = 512;
/** A longer header between two entries would be held in memory. */
const MAX_HEADER_BYTES = 1024 * 1024;
const MAX_TRAILER_BYTES = 4096;

/**
 * Reads a gzipped tar as it arrives, up to `maxBytes` bytes before compression. Throws a `Refusal` for a damaged file, after the last
 * entry at the latest.
 */
export async function* unpackEntries(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<UnpackedEntry> {
  const { extract } = await import("tar-stream");
  const tar = extract();
  const digest = createDigest();
  const progress = { headerAndContentBytes: 0 };
  let trailer: string | undefined;
  void feed(chunks, tar, progress, maxBytes).catch((error: Error) => void tar.destroy(error));
  try {
    for await (const entry of tar as AsyncIterable<Entry>) {
      const { name, size = 0, type } = entry.header;
      progress.headerAndContentBytes += 2 * BLOCK_BYTES + size;
      if (trailer !== undefined) throw damaged("there is data after its end");
      if (type !== "file") throw damaged("it contains an entry that is not a file");
      if (name === ENTRY.end) trailer = await readText(entry, size, MAX_TRAILER_BYTES);
      else yield* hashedEntry(entry, name, size, digest);
    }
  } catch (error) {
    throw explained(error);
  }
  if (trailer === undefined) throw damaged("its end is missing");
  const actual = digest.end();
  const trailerSums = jsonOf(trailer) as Partial<typeof actual> | null | undefined;
  if (trailerSums === undefined) throw damaged("its last entry is not JSON");
  if (actual.entries !== trailerSums?.entries || actual.sha256 !== trailerSums.sha256)
    throw damaged("its checksum does not match");
}

/** The whole content of a short entry. */
export async function readText(
  content: AsyncIterable<Uint8Array>,
  size: number,
  maxBytes: number,
): Promise<string> {
  if (size > maxBytes) throw damaged("one of its entries is too long");
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

async function* hashedEntry(
  entry: Entry,
  name: string,
  size: number,
  digest: Digest,
): AsyncGenerator<UnpackedEntry> {
  digest.begin(name, size);
  let isRead = false;
  async function* content(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of entry) {
        digest.add(chunk);
        yield chunk;
      }
    } catch (error) {
      throw explained(error);
    }
    isRead = true;
  }
  yield { name, size, content };
  if (!isRead) for await (const chunk of entry) digest.add(chunk);
}

/** Feeds the tar with the uncompressed bytes; `progress` has those of the entries that were read. */
async function feed(
  chunks: AsyncIterable<Uint8Array>,
  tar: Extract,
  progress: { readonly headerAndContentBytes: number },
  maxBytes: number,
): Promise<void> {
  const input = { bytes: 0 };
  const plain = createGunzip();
  pipeline(Readable.from(countBytes(chunks, input)), plain, () => undefined);
  let bytes = 0;
  for await (const chunk of plain) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    if (bytes - chunk.length > progress.headerAndContentBytes + MAX_HEADER_BYTES)
      throw damaged("one of its headers is too long");
    if (tar.destroyed) return;
    if (!tar.write(chunk)) await drained(tar);
  }
  if (plain.bytesWritten < input.bytes) throw damaged("there is data after its end");
  tar.end();
}

async function* countBytes(
  chunks: AsyncIterable<Uint8Array>,
  input: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    input.bytes += chunk.length;
    yield chunk;
  }
}

/** Keeps our refusals and errors of the disk; errors of libraries mean that the file is damaged. */
function explained(error: unknown): unknown {
  const { name, code, message } = error as NodeJS.ErrnoException;
  const isKnown = name === "Refusal" || (code !== undefined && /^E[A-Z]+$/.test(code));
  return isKnown ? error : damaged(message === "incorrect header check" ? "it is not gzip data" : message);
}

/** The `Refusal` (413) for a file that contains more than it may. */
export function tooLarge(maxBytes: number): Refusal {
  return new Refusal(
    413,
    "snapshot_too_large",
    `The snapshot is larger than ${maxBytes} bytes, the limit limits.snapshot_bytes.`,
    "Raise limits.snapshot_bytes, or delete data from the world.",
  );
}
