import * as fs from "node:fs";
import { promisify } from "node:util";
import { MessageChannel } from "node:worker_threads";
import { sumOn } from "../checksum.ts";
import { withFolder } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import { isShared, type SharedFiles } from "./body-location.ts";

/** A body up to this size is written synchronously: a thread would take longer. */
const MAX_SYNCHRONOUS_BYTES = 1024 * 1024;
/** Of a larger body, a thread writes this much at a time while more is received. */
const BATCH_BYTES = 256 * 1024;

/** A body that is being received. */
export interface BodyStage {
  /** The name of the body, once all of it is written. */
  readonly file: string;
  /** The CRC-32 of the bytes written. */
  readonly sum: number;
  /** Writes a chunk, perhaps later and together with others: it must not change. Call it again only after it resolves. */
  write(chunk: Uint8Array): Promise<void>;
  /** Ends the writing: from here on the body can be published. */
  close(): Promise<void>;
  /** Writes the whole body synchronously. */
  writeWhole(bytes: Uint8Array): void;
  /** Removes what was written, unless the body is settled. */
  discard(): void;
  /** Marks the body as named by a record: from here on it stays. */
  settle(): void;
}

/** The files that a stage writes to. */
export interface StageOptions {
  readonly pool: Pick<Pool, "path" | "files">;
  /** Returns the name of the next file. */
  readonly nextName: () => string;
  readonly shared: Pick<SharedFiles, "append" | "release">;
  /** Bodies smaller than this share files. */
  readonly sharedBytes: number;
  /** Nobody else uses the chunks: their memory is freed as soon as they are written. */
  readonly ownsChunks: boolean;
  /** Called when the stage is settled or discarded. */
  readonly onEnd: () => void;
}

/** Opens a stage. It writes nothing until the body is too large for a shared file, or the stage is closed. */
export function openStage(options: StageOptions): BodyStage {
  const { sharedBytes, onEnd } = options;
  const target = createTarget(options);
  const { body } = target;
  const buffer = createBuffer();
  let isDiscarded = false;
  let isSettled = false;
  let size = 0;
  let sum = 0;

  return {
    get file() {
      return target.file;
    },
    get sum() {
      return sum;
    },
    async write(chunk) {
      if (isDiscarded) return;
      sum = sumOn(chunk, sum);
      size += chunk.length;
      buffer.add(chunk);
      const isLarge = size > MAX_SYNCHRONOUS_BYTES;
      if (buffer.bytes < (isLarge ? BATCH_BYTES : sharedBytes)) return;
      if (isLarge) await body.writeInThread(buffer.take());
      else body.writeNow(buffer.take());
    },
    async close() {
      await body.settled();
      if (isDiscarded) return;
      if (!body.isOpen && buffer.bytes < sharedBytes) target.writeShared(Buffer.concat(buffer.take()));
      else {
        body.writeNow(buffer.take());
        body.close();
      }
    },
    writeWhole(bytes) {
      if (isDiscarded) return;
      sum = sumOn(bytes);
      if (bytes.length < sharedBytes) target.writeShared(bytes);
      else target.writeOwn(bytes);
    },
    discard() {
      onEnd();
      if (isDiscarded || isSettled) return;
      isDiscarded = true;
      target.remove();
      body.abort();
    },
    settle() {
      onEnd();
      isSettled = true;
    },
  };
}

/** Where a body is written: into a shared file, or into one of its own. */
function createTarget({ pool, nextName, shared, ownsChunks }: StageOptions) {
  let file = "";
  const body = createBodyFile(() => {
    file = nextName();
    const path = pool.path(file);
    // Synchronous: a file created in the background could appear in the folder after the end of the world.
    return pool.files.open(() => withFolder(path, () => fs.openSync(path, "wx", 0o600)));
  }, ownsChunks);
  return {
    get file() {
      return file;
    },
    body,
    writeShared(bytes: Uint8Array): void {
      file = shared.append(bytes);
    },
    writeOwn(bytes: Uint8Array): void {
      try {
        body.writeNow([bytes]);
      } finally {
        body.close();
      }
    },
    remove(): void {
      if (isShared(file)) shared.release(file);
      else if (file !== "") fs.rmSync(pool.path(file), { force: true });
    },
  };
}

/** Chunks that are written together. */
function createBuffer() {
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    add(chunk: Uint8Array): void {
      chunks.push(chunk);
      bytes += chunk.length;
    },
    take(): readonly Uint8Array[] {
      const parts = chunks;
      chunks = [];
      bytes = 0;
      return parts;
    },
  };
}

const writev = promisify(fs.writev);

type Chunks = readonly Uint8Array[];

/** The file of a body that is being received. It is created for the first chunks. */
export interface BodyFileWriter {
  readonly isOpen: boolean;
  writeNow(chunks: Chunks): void;
  /** Starts to write in a thread; resolves when the thread has written the chunks before these. */
  writeInThread(chunks: Chunks): Promise<void>;
  /** Rejects when a thread could not write. */
  settled(): Promise<void>;
  close(): void;
  /** Stops writing, and closes the file when no thread uses it. */
  abort(): void;
}

/** With `ownsChunks`, the memory of the chunks is freed when they are written. */
export function createBodyFile(create: () => number, ownsChunks: boolean): BodyFileWriter {
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
    get isOpen() {
      return descriptor !== undefined;
    },
    writeNow(chunks) {
      descriptor ??= create();
      for (let rest = chunks; rest.length > 0; ) rest = skipBytes(rest, fs.writevSync(descriptor, rest));
      free(chunks);
    },
    async writeInThread(chunks) {
      descriptor ??= create();
      const [before, fd] = [writing, descriptor];
      writing = before.then(() => writeAll(fd, chunks));
      // The next write, or the close, reports a failure; the next chunks are received while these are written.
      writing.catch(() => undefined);
      await before;
    },
    settled: () => writing,
    close,
    abort() {
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

/** Drops the buffers that are transferred to it, since nobody receives them. */
const CLOSED_PORT = closedPort();

function closedPort() {
  const { port1 } = new MessageChannel();
  port1.close();
  return port1;
}

/**
 * Frees the memory of these bytes now, unless they are part of a larger buffer. Nobody may use them again. The garbage collector
 * would otherwise spend as much time on received bodies as all other work on them takes, hashing aside.
 */
function freeMemory({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength)
    CLOSED_PORT.postMessage(undefined, [buffer]);
}
