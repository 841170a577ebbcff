import * as fs from "node:fs";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import type { StoredBody } from "../../subjects/object-storage/records.ts";
import { openStored } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import { damaged, StoreError } from "../store-error.ts";
import { locateBody } from "./body-location.ts";
import type { BodySink } from "./stage.ts";

/** A file descriptor, which its holder has to close, the position of the body in the file, and its length in bytes. */
export interface OpenedBody {
  readonly fd: number;
  readonly at: number;
  readonly size: number;
}

/** What a record says about a body. */
export type BodyOnDisk = Pick<StoredBody, "file" | "size" | "sum">;

const COPY_CHUNK_BYTES = 1024 * 1024;
/** A body up to this size is read synchronously: a thread would take longer. */
const MAX_SYNCHRONOUS_BYTES = 1024 * 1024;
/** Chunks that fit the caches of a processor are hashed and sent faster. */
const READ_CHUNK_BYTES = 256 * 1024;
const MAX_CHECKED_FILES = 10_000;
const read = promisify(fs.read);

export type BodyOpener = ReturnType<typeof createBodyOpener>;

/**
 * A function that opens bodies and checks them against their records: each is read through once, and again when its file has
 * changed. It rejects with a `StoreError`.
 */
export function createBodyOpener(pool: Pick<Pool, "path" | "files">) {
  /** The version of each file whose checksum matched. */
  const checked = new Map<string, string>();
  return async ({ file, size, sum }: BodyOnDisk): Promise<OpenedBody> => {
    const { path, start: at, length } = locateBody(pool, file);
    const fd = pool.files.open(() => openStored(path));
    try {
      const { size: fileSize, mtimeMs, ino } = fs.fstatSync(fd);
      const version = `${ino} ${mtimeMs}`;
      const end = at + size;
      const isComplete = length === undefined ? fileSize === end : fileSize >= end && length === size;
      if (!isComplete) throw damaged(path, `byte ${Math.min(fileSize, end)}`);
      if (checked.get(file) !== version && (await sumOf({ fd, at, size })) !== sum)
        throw damaged(path, length === undefined ? undefined : `byte ${at}`);
      if (checked.size >= MAX_CHECKED_FILES) checked.clear();
      checked.set(file, version);
      return { fd, at, size };
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
  };
}

/** Reads bodies and yields the damage of each. */
export async function* damagedBodies(
  pool: Pick<Pool, "path" | "files">,
  bodies: Iterable<BodyOnDisk>,
): AsyncGenerator<StoreError> {
  const open = createBodyOpener(pool);
  for (const body of bodies)
    try {
      fs.closeSync((await open(body)).fd);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      yield error;
    }
}

async function sumOf({ fd, at, size }: OpenedBody): Promise<number> {
  const buffer = Buffer.allocUnsafe(Math.min(READ_CHUNK_BYTES, size));
  let sum = 0;
  for (let offset = 0; offset < size; ) {
    const length = Math.min(buffer.length, size - offset);
    const bytesRead =
      size <= MAX_SYNCHRONOUS_BYTES
        ? fs.readSync(fd, buffer, 0, length, at + offset)
        : (await read(fd, buffer, 0, length, at + offset)).bytesRead;
    if (bytesRead === 0) break;
    sum = crc32(buffer.subarray(0, bytesRead), sum);
    offset += bytesRead;
  }
  return sum;
}

/** Copies a range of an opened body in chunks; closes it at the end. */
export async function copyBody(
  stage: BodySink,
  { fd, at }: OpenedBody,
  { start, length }: { readonly start: number; readonly length: number },
  onChunk: (chunk: Uint8Array) => void,
): Promise<void> {
  for await (const chunk of chunksOf({ fd, at: at + start, size: length }, COPY_CHUNK_BYTES)) {
    onChunk(chunk);
    await stage.write(chunk);
  }
}

/** Yields an opened body in chunks; closes it at the end, or when the reader stops early. */
export async function* chunksOf(
  { fd, at, size }: OpenedBody,
  chunkBytes = READ_CHUNK_BYTES,
): AsyncGenerator<Uint8Array> {
  try {
    for (let offset = 0; offset < size; ) {
      const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, size - offset));
      const { bytesRead } = await read(fd, buffer, 0, buffer.length, at + offset);
      if (bytesRead === 0) throw new StoreError("A body on disk was truncated while it was read.");
      yield buffer.subarray(0, bytesRead);
      offset += bytesRead;
    }
  } finally {
    fs.closeSync(fd);
  }
}

/** Reads an opened body into memory; closes it. */
export async function readBody(body: OpenedBody): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of chunksOf(body, body.size)) chunks.push(chunk);
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}
