import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Entry, Extract } from "tar-stream";
import { Refusal } from "../../kernel/refusal.ts";
import { type ArchiveTrailer, createDigest, type Digest } from "./digest.ts";
import { drained } from "./drained.ts";
import { damaged, ENTRY } from "./manifest.ts";

/** One file of an archive; its content has to be read before the next one comes. */
export interface UnpackedEntry {
  readonly name: string;
  readonly size: number;
  content(): AsyncIterable<Uint8Array>;
}

/** The entries of an archive, and at the end the proof that they were all there as they were written. */
export interface Unpacking {
  readonly entries: AsyncIterable<UnpackedEntry>;
  /** To be asked once the entries have come to their end; refuses what was torn or changed. */
  verify(): void;
}

const BLOCK_BYTES = 512;
/** What may come between two entries; a header that claims more would be held in memory. */
const BETWEEN_BYTES = 1024 * 1024;
const ENDING_BYTES = 4096;

/** Reads a gzipped tar as it comes, never more than `bytesMax` of what it holds. */
export async function unpackEntries(chunks: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Unpacking> {
  const { extract } = await import("tar-stream");
  const tar = extract();
  const digest = createDigest();
  const progress: UnpackProgress = { accounted: 0 };
  let trailer: string | undefined;
  void feed(chunks, tar, { passed: progress, bytesMax }).catch((error: Error) => void tar.destroy(error));

  async function* entries(): AsyncGenerator<UnpackedEntry> {
    try {
      for await (const entry of tar as AsyncIterable<Entry>) {
        const { name, size = 0, type } = entry.header;
        progress.accounted += 2 * BLOCK_BYTES + size;
        if (trailer !== undefined) throw damaged("something follows its end");
        if (type !== "file") throw damaged("it holds something that is no file");
        if (name === ENTRY.end) trailer = await readText(entry, size, ENDING_BYTES);
        else yield* hashedEntry(entry, name, size, digest);
      }
    } catch (error) {
      throw explained(error);
    }
  }

  return {
    entries: entries(),
    verify() {
      if (trailer === undefined) throw damaged("its end is missing");
      const found = digest.end();
      const wanted = trailerOf(trailer);
      if (found.entries !== wanted.entries || found.sha256 !== wanted.sha256)
        throw damaged("its checksum is another one");
    },
  };
}

/** The whole content of a short entry. */
export async function readText(
  content: AsyncIterable<Uint8Array>,
  size: number,
  bytesMax: number,
): Promise<string> {
  if (size > bytesMax) throw damaged("a part of it is too long");
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}

interface UnpackProgress {
  /** Bytes that the entries seen so far take. */
  accounted: number;
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

async function feed(
  chunks: AsyncIterable<Uint8Array>,
  tar: Extract,
  { passed: progress, bytesMax }: { readonly passed: UnpackProgress; readonly bytesMax: number },
): Promise<void> {
  const received = { bytes: 0 };
  const plain = createGunzip();
  pipeline(Readable.from(counted(chunks, received)), plain, () => undefined);
  let bytes = 0;
  for await (const chunk of plain) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw tooLarge(bytesMax);
    if (bytes - chunk.length > progress.accounted + BETWEEN_BYTES)
      throw damaged("a header of it is too long");
    if (tar.destroyed) return;
    if (!tar.write(chunk)) await drained(tar);
  }
  if (plain.bytesWritten < received.bytes) throw damaged("something follows its end");
  tar.end();
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  received: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    received.bytes += chunk.length;
    yield chunk;
  }
}

function trailerOf(text: string): Partial<ArchiveTrailer> {
  try {
    return (JSON.parse(text) ?? {}) as Partial<ArchiveTrailer>;
  } catch {
    throw damaged("its end is not JSON");
  }
}

/** Refusals of ours say what is wrong; libraries say it in words of theirs, and the disk has its own troubles. */
function explained(error: unknown): unknown {
  const { name, code, message } = error as NodeJS.ErrnoException;
  const isOurs = name === "Refusal" || (code !== undefined && /^E[A-Z]+$/.test(code));
  return isOurs ? error : damaged(message);
}

/** The `Refusal` (413) of a file that holds more than it may. */
export function tooLarge(bytesMax: number): Refusal {
  return new Refusal(
    413,
    "snapshot_too_large",
    `The snapshot holds more than ${bytesMax} bytes.`,
    "Raise limits.snapshot_bytes, or keep less in it.",
  );
}
