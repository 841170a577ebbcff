import * as fs from "node:fs";
import { promisify } from "node:util";
import type { StoredBody } from "../../subjects/object-storage/records.ts";
import { sumOn } from "../checksum.ts";
import type { Pool } from "../pool/pool.ts";
import { damaged, tooShort } from "../store-error.ts";
import { placeOfBody } from "./body-place.ts";
import type { BodyStage } from "./stage.ts";

/** A file descriptor, which its holder has to close, where in the file the body begins, and its length in bytes. */
export interface OpenedBody {
  readonly fd: number;
  readonly at: number;
  readonly size: number;
}

const PIECE_BYTES = 1024 * 1024;
/** Up to here a body is there sooner than a thread would begin to read it. */
const SYNCHRONOUS_BYTES = 1024 * 1024;
/** What fits the caches of a processor is summed and sent faster. */
const READ_BYTES = 256 * 1024;
const WHOLE_MAX = 10_000;
const read = promisify(fs.read);

/** Opens bodies that are as their records say. */
export interface BodyOpener {
  /** Opens a file now; it is read through once, and again when it was changed since. Rejects with a `StoreError`. */
  open(body: Pick<StoredBody, "file" | "size" | "sum">): Promise<OpenedBody>;
}

export function createBodyOpener(pool: Pick<Pool, "path" | "files">): BodyOpener {
  /** When files were changed last that are known to be whole. */
  const whole = new Map<string, number>();
  return {
    async open({ file, size, sum }) {
      const { path, start: at, length } = placeOfBody(pool, file);
      const fd = pool.files.open(() => openOrRefuse(path, size));
      try {
        const { size: found, mtimeMs } = fs.fstatSync(fd);
        const end = at + size;
        const isThere = length === undefined ? found === end : found >= end && length === size;
        if (!isThere) throw damaged(path, `byte ${Math.min(found, end)}`);
        if (whole.get(file) !== mtimeMs && (await sumOf({ fd, at, size })) !== sum)
          throw damaged(path, length === undefined ? undefined : `byte ${at}`);
        if (whole.size >= WHOLE_MAX) whole.clear();
        whole.set(file, mtimeMs);
        return { fd, at, size };
      } catch (error) {
        fs.closeSync(fd);
        throw error;
      }
    },
  };
}

function openOrRefuse(path: string, size: number): number {
  try {
    return fs.openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw tooShort(path, Math.max(size, 1));
  }
}

async function sumOf({ fd, at, size }: OpenedBody): Promise<number> {
  const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, size));
  let sum = 0;
  for (let offset = 0; offset < size; ) {
    const length = Math.min(buffer.length, size - offset);
    const bytesRead =
      size <= SYNCHRONOUS_BYTES
        ? fs.readSync(fd, buffer, 0, length, at + offset)
        : (await read(fd, buffer, 0, length, at + offset)).bytesRead;
    if (bytesRead === 0) break;
    sum = sumOn(buffer.subarray(0, bytesRead), sum);
    offset += bytesRead;
  }
  return sum;
}

/** Copies a stretch of an opened body, piece by piece; closes it in the end. */
export async function copyBody(
  stage: BodyStage,
  { fd, at }: OpenedBody,
  { start, length }: { readonly start: number; readonly length: number },
  onPiece: (piece: Buffer) => void,
): Promise<void> {
  try {
    for (let offset = 0; offset < length; ) {
      const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, length - offset));
      const { bytesRead } = await read(fd, buffer, 0, buffer.length, at + start + offset);
      if (bytesRead === 0) throw new Error("A body on disk is shorter than it was.");
      const piece = buffer.subarray(0, bytesRead);
      onPiece(piece);
      await stage.write(piece);
      offset += bytesRead;
    }
  } finally {
    fs.closeSync(fd);
  }
}

/** A body piece by piece; it is opened when the first one is asked for. */
export async function* piecesOf(open: () => Promise<OpenedBody>): AsyncGenerator<Uint8Array> {
  const body = await open();
  // A reader that leaves early closes it, too.
  if (body.size > 0)
    yield* fs.createReadStream("", { fd: body.fd, start: body.at, end: body.at + body.size - 1 });
  else fs.closeSync(body.fd);
}

/** Reads an opened body into memory; closes it. */
export async function readBody({ fd, at, size }: OpenedBody): Promise<Buffer> {
  try {
    const buffer = Buffer.allocUnsafe(size);
    for (let offset = 0; offset < size; ) {
      const { bytesRead } = await read(fd, buffer, offset, size - offset, at + offset);
      if (bytesRead === 0) return buffer.subarray(0, offset);
      offset += bytesRead;
    }
    return buffer;
  } finally {
    fs.closeSync(fd);
  }
}
