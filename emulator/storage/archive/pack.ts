import { createHash } from "node:crypto";
import { once } from "node:events";
import { pipeline } from "node:stream";
import { createGzip } from "node:zlib";
import type { Pack } from "tar-stream";
import { withResolvers } from "../../kernel/deferred.ts";
import { ENTRY } from "./manifest.ts";

export interface PackedEntry {
  readonly name: string;
  readonly size: number;
  /** Opened when the entry is written. */
  content(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Most bodies are compressed already, and a higher level makes rows only a little smaller. */
const COMPRESSION_LEVEL = 1;

/**
 * The entries as one gzipped tar, in chunks, with the checksum of all of them as the last entry. `modified` is virtual time: the
 * same snapshot gives the same bytes.
 */
export async function* packEntries(
  entries: AsyncIterable<PackedEntry> | Iterable<PackedEntry>,
  modified: Date,
): AsyncGenerator<Uint8Array> {
  const { pack } = await import("tar-stream");
  const tar = pack();
  const zipped = createGzip({ level: COMPRESSION_LEVEL });
  pipeline(tar, zipped, () => undefined);
  const fed = feed(tar, entries, modified).catch((error: Error) => void tar.destroy(error));
  try {
    yield* zipped;
  } finally {
    zipped.destroy();
    await fed;
  }
}

export function textEntry(name: string, text: string): PackedEntry {
  const bytes = Buffer.from(text, "utf8");
  return { name, size: bytes.length, content: () => [bytes] };
}

async function feed(
  tar: Pack,
  entries: AsyncIterable<PackedEntry> | Iterable<PackedEntry>,
  modified: Date,
): Promise<void> {
  const digest = createDigest();
  for await (const entry of entries) await add(tar, entry, modified, digest);
  const trailer = textEntry(ENTRY.end, JSON.stringify(digest.end()));
  await add(tar, trailer, modified, createDigest());
  tar.finalize();
}

async function add(
  tar: Pack,
  { name, size, content }: PackedEntry,
  mtime: Date,
  digest: Digest,
): Promise<void> {
  digest.begin(name, size);
  const { promise: completion, resolve, reject } = withResolvers<void>();
  // The reader of the archive may stop at any time. Then nothing awaits this.
  completion.catch(() => undefined);
  const header = { name, size, mtime, mode: 0o600, type: "file" } as const;
  const sink = tar.entry(header, (error) => (error ? reject(error) : resolve()));
  sink.on("error", () => undefined);
  for await (const chunk of content()) {
    // A closed sink never drains.
    if (sink.destroyed || tar.destroyed) throw new Error("the reader of the archive has stopped");
    digest.add(chunk);
    if (!sink.write(chunk)) await drained(sink);
  }
  sink.end();
  await completion;
}

export type Digest = ReturnType<typeof createDigest>;

/** Hashes (SHA-256) each entry after its name and size, so that no bytes can move from one entry to another. */
export function createDigest() {
  const hash = createHash("sha256");
  let entries = 0;
  return {
    begin(name: string, size: number): void {
      entries += 1;
      hash.update(`${name}\0${size}\0`);
    },
    add: (chunk: Uint8Array): void => void hash.update(chunk),
    /** The last entry of an archive, which shows that the file is complete and unchanged. */
    end: () => ({ entries, sha256: hash.digest("hex") }),
  };
}

/** Settles when a stream accepts more data, or was closed. */
export async function drained(stream: NodeJS.WritableStream): Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  await Promise.race([once(stream, "drain", { signal }), once(stream, "close", { signal })]).finally(() =>
    stop.abort(),
  );
}
