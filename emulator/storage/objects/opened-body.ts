import * as fs from "node:fs";
import { promisify } from "node:util";
import type { BodyStage } from "./stage.ts";

/** A file descriptor, which its holder has to close, and the length in bytes. */
export interface OpenedBody {
  readonly fd: number;
  readonly size: number;
}

const PIECE_BYTES = 1024 * 1024;
const read = promisify(fs.read);

/** Undefined for a body that is not there or cannot be read. */
export function openBody(path: string): OpenedBody | undefined {
  try {
    const fd = fs.openSync(path, "r");
    return { fd, size: fs.fstatSync(fd).size };
  } catch {
    return undefined;
  }
}

/** Copies a stretch of an opened body, piece by piece; closes it in the end. */
export async function copyBody(
  stage: BodyStage,
  { fd }: OpenedBody,
  { start, length }: { readonly start: number; readonly length: number },
  onPiece: (piece: Buffer) => void,
): Promise<void> {
  try {
    for (let offset = 0; offset < length; ) {
      const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, length - offset));
      const { bytesRead } = await read(fd, buffer, 0, buffer.length, start + offset);
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
export async function* piecesOf(open: () => OpenedBody | undefined): AsyncGenerator<Uint8Array> {
  const body = open();
  if (!body) throw new Error("The body is gone from the data folder.");
  // A reader that leaves early closes it, too.
  if (body.size > 0) yield* fs.createReadStream("", { fd: body.fd, end: body.size - 1 });
  else fs.closeSync(body.fd);
}

/** Reads an opened body into memory; closes it. */
export async function readBody({ fd, size }: OpenedBody): Promise<Buffer> {
  try {
    const buffer = Buffer.allocUnsafe(size);
    for (let offset = 0; offset < size; ) {
      const { bytesRead } = await read(fd, buffer, offset, size - offset, offset);
      if (bytesRead === 0) return buffer.subarray(0, offset);
      offset += bytesRead;
    }
    return buffer;
  } finally {
    fs.closeSync(fd);
  }
}
