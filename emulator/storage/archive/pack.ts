import { pipeline } from "node:stream";
import { createGzip } from "node:zlib";
import type { Pack } from "tar-stream";
import { createDigest, type Digest } from "./digest.ts";
import { drained } from "./drained.ts";
import { ENTRY } from "./manifest.ts";

/** One file of an archive. */
export interface PackedEntry {
  readonly name: string;
  readonly size: number;
  /** Opened when its turn has come. */
  content(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Bodies are compressed already, and rows gain little from more effort. */
const LEVEL = 1;

/**
 * The entries as one gzipped tar, piece by piece as they are asked for; the last entry proves the others. `modified` is
 * virtual time, so that the same snapshot gives the same bytes.
 */
export async function* packEntries(
  entries: AsyncIterable<PackedEntry> | Iterable<PackedEntry>,
  modified: Date,
): AsyncGenerator<Uint8Array> {
  const { pack } = await import("tar-stream");
  const tar = pack();
  const zipped = createGzip({ level: LEVEL });
  pipeline(tar, zipped, () => undefined);
  const fed = feed(tar, entries, modified).catch((error: Error) => void tar.destroy(error));
  try {
    yield* zipped;
  } finally {
    zipped.destroy();
    await fed;
  }
}

/** A text as an entry, in UTF-8. */
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
  const ending = textEntry(ENTRY.end, JSON.stringify(digest.end()));
  await add(tar, ending, modified, createDigest());
  tar.finalize();
}

async function add(
  tar: Pack,
  { name, size, content }: PackedEntry,
  mtime: Date,
  digest: Digest,
): Promise<void> {
  digest.begin(name, size);
  let settle: (error?: Error | null) => void = () => undefined;
  const done = new Promise<void>((resolve, reject) => {
    settle = (error) => (error ? reject(error) : resolve());
  });
  // The reader of the archive may stop at any time; then nothing awaits this.
  done.catch(() => undefined);
  const sink = tar.entry({ name, size, mtime, mode: 0o600, type: "file" }, (error) => settle(error));
  sink.on("error", () => undefined);
  for await (const chunk of content()) {
    // A sink that has closed never drains.
    if (sink.destroyed || tar.destroyed) throw new Error("nobody reads the archive any more");
    digest.add(chunk);
    if (!sink.write(chunk)) await drained(sink);
  }
  sink.end();
  await done;
}
