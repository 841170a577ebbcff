import * as fs from "node:fs";
import { dirname } from "node:path";
import { sumOn } from "../checksum.ts";
import type { Pool } from "../pool/pool.ts";
import { createBodyFile } from "./body-file.ts";
import { isShared } from "./body-location.ts";
import type { SharedFiles } from "./shared-files.ts";

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
    // Synchronous: a file created in the background could appear in the folder after the end of the world.
    return pool.files.open(() => createFile(pool.path(file)));
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

function createFile(path: string): number {
  try {
    return fs.openSync(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return fs.openSync(path, "wx", 0o600);
  }
}
