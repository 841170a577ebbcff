import * as fs from "node:fs";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { freeMemory } from "../free-memory.ts";
import { withFolder } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import { isShared, type SharedFiles } from "./body-location.ts";

/** A body up to this size is written synchronously: a thread would take longer. */
const MAX_SYNCHRONOUS_BYTES = 1024 * 1024;
/** Of a larger body, a thread writes this much at a time while more is received. */
const BATCH_BYTES = 256 * 1024;

export interface StageOptions {
  readonly pool: Pick<Pool, "path" | "files">;
  readonly nextName: () => string;
  readonly shared: Pick<SharedFiles, "append" | "release">;
  readonly sharedBytes: number;
  /** Nobody else uses the chunks: their memory is freed as soon as they are written. */
  readonly ownsChunks: boolean;
  /** Called when the stage is settled or discarded. */
  readonly onEnd: () => void;
}

/** What receives the bytes of a body. */
export type BodySink = Pick<BodyStage, "write">;

/** A body that is being received. It writes nothing until the body is too large for a shared file, or the stage is closed. */
export class BodyStage {
  /** The name of the body, once all of it is written. */
  file = "";
  /** The CRC-32 of the bytes written. */
  sum = 0;
  readonly #options: StageOptions;
  readonly #body: BodyFileWriter;
  /** Chunks that will be written together. */
  #chunks: Uint8Array[] = [];
  #pendingBytes = 0;
  #size = 0;
  /** True when the body was refused, or its world has ended. */
  isDiscarded = false;
  #isSettled = false;

  constructor(options: StageOptions) {
    const { pool, nextName, ownsChunks } = options;
    this.#options = options;
    this.#body = createBodyFile(() => {
      this.file = nextName();
      const path = pool.path(this.file);
      // Synchronous: a file created in the background could appear in the folder after the end of the world.
      return pool.files.open(() => withFolder(path, () => fs.openSync(path, "wx", 0o600)));
    }, ownsChunks);
  }

  /** Writes a chunk, perhaps later and together with others: it must not change. Call it again only after it resolves. */
  async write(chunk: Uint8Array): Promise<void> {
    if (this.isDiscarded) return;
    this.sum = crc32(chunk, this.sum);
    this.#size += chunk.length;
    this.#chunks.push(chunk);
    this.#pendingBytes += chunk.length;
    const isLarge = this.#size > MAX_SYNCHRONOUS_BYTES;
    if (this.#pendingBytes < (isLarge ? BATCH_BYTES : this.#options.sharedBytes)) return;
    if (isLarge) await this.#body.writeInThread(this.#takeChunks());
    else this.#body.writeNow(this.#takeChunks());
  }

  /** Ends the writing: from here on the body can be published. */
  async close(): Promise<void> {
    await this.#body.settled();
    if (this.isDiscarded) return;
    const { shared, sharedBytes } = this.#options;
    if (!this.#body.isOpen && this.#pendingBytes < sharedBytes)
      this.file = shared.append(Buffer.concat(this.#takeChunks()));
    else {
      this.#body.writeNow(this.#takeChunks());
      this.#body.close();
    }
  }

  /** Removes what was written, unless the body is settled. */
  discard(): void {
    const { pool, shared, onEnd } = this.#options;
    onEnd();
    if (this.isDiscarded || this.#isSettled) return;
    this.isDiscarded = true;
    if (isShared(this.file)) shared.release(this.file);
    else if (this.file !== "") fs.rmSync(pool.path(this.file), { force: true });
    this.#body.abort();
  }

  /** Marks the body as named by a record: from here on it stays. */
  settle(): void {
    this.#options.onEnd();
    this.#isSettled = true;
  }

  #takeChunks(): readonly Uint8Array[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#pendingBytes = 0;
    return chunks;
  }
}

const writev = promisify(fs.writev);

type Chunks = readonly Uint8Array[];

type BodyFileWriter = ReturnType<typeof createBodyFile>;

/** The file of a body, created for the first chunks. With `ownsChunks`, the memory of the chunks is freed when they are written. */
function createBodyFile(create: () => number, ownsChunks: boolean) {
  let descriptor: number | undefined;
  let writing: Promise<void> = Promise.resolve();
  let isAborted = false;

  function free(chunks: Chunks): void {
    if (ownsChunks) for (const chunk of chunks) freeMemory(chunk);
  }

  async function writeAll(fd: number, chunks: Chunks): Promise<void> {
    for (let rest = chunks; rest.length > 0 && !isAborted; )
      rest = skipBytes(rest, (await writev(fd, rest)).bytesWritten);
    free(chunks);
  }

  function close(): void {
    const fd = descriptor;
    descriptor = undefined;
    if (fd !== undefined) fs.closeSync(fd);
  }

  return {
    get isOpen(): boolean {
      return descriptor !== undefined;
    },
    writeNow(chunks: Chunks): void {
      descriptor ??= create();
      for (let rest = chunks; rest.length > 0; ) rest = skipBytes(rest, fs.writevSync(descriptor, rest));
      free(chunks);
    },
    /** Starts to write in a thread; resolves when the thread has written the chunks before these. */
    async writeInThread(chunks: Chunks): Promise<void> {
      descriptor ??= create();
      const [before, fd] = [writing, descriptor];
      writing = before.then(() => writeAll(fd, chunks));
      // The next write, or the close, reports a failure; the next chunks are received while these are written.
      writing.catch(() => undefined);
      await before;
    },
    /** Rejects when a thread could not write. */
    settled: () => writing,
    close,
    /** Stops writing, and closes the file when no thread uses it. */
    abort(): void {
      isAborted = true;
      // Not before the last write has ended: the descriptor could belong to another file by then.
      writing.catch(() => undefined).then(close);
    },
  };
}

function skipBytes(chunks: Chunks, bytes: number): Chunks {
  let remaining = bytes;
  const at = chunks.findIndex(({ length }) => {
    if (remaining < length) return true;
    remaining -= length;
    return false;
  });
  const [first, ...rest] = at < 0 ? [] : chunks.slice(at);
  return first ? [first.subarray(remaining), ...rest] : [];
}
