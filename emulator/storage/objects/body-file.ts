import * as fs from "node:fs";
import { promisify } from "node:util";
import { MessageChannel } from "node:worker_threads";

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
