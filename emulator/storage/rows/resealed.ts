import { areSealed, type Seal, sealBlocks, sealLines } from "../checksum.ts";
import { readExactly } from "../pool/open-files.ts";
import { damaged } from "../store-error.ts";
import { DATA } from "./segment.ts";
import { RECORD_BYTES } from "./sidecar.ts";

const CHUNK_BYTES = 256 * 1024;
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;
const NOTHING = Buffer.alloc(0);

/** The content of a data or index file that is copied to an offset of another one. */
interface Copy {
  readonly path: string;
  readonly from: Seal;
  readonly to: Seal;
  readonly offset: number;
}

/** Seals content for another file. */
interface Resealer {
  /** Adds a chunk. Returns the whole lines or records so far. Throws a `StoreError` when they are damaged. */
  add(chunk: Uint8Array): Buffer;
  /** Throws a `StoreError` when the last line or record is incomplete. */
  end(): void;
}

export function createResealer({ path, from, to, offset }: Copy): Resealer {
  const isData = path.endsWith(DATA);
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let at = 0;

  /** The bytes after the last whole line or record. */
  function restAfter(chunk: Uint8Array): number {
    if (!isData) return waitingBytes % RECORD_BYTES;
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    return end === 0 ? waitingBytes : chunk.length - end;
  }

  return {
    add(chunk) {
      waiting.push(chunk);
      waitingBytes += chunk.length;
      const rest = restAfter(chunk);
      if (rest > MAX_LINE_BYTES) throw damaged(path, `byte ${at}`);
      if (rest === waitingBytes) return NOTHING;
      const all = Buffer.concat(waiting);
      const whole = all.subarray(0, waitingBytes - rest);
      if (!areSealed(whole, from, at)) throw damaged(path, `byte ${at}`);
      if (isData) sealLines(whole, to, offset + at);
      else sealBlocks(whole, RECORD_BYTES, to, offset + at);
      at += whole.length;
      waiting = [all.subarray(whole.length)];
      waitingBytes = rest;
      return whole;
    },
    end() {
      if (waitingBytes > 0) throw damaged(path, `byte ${at}`);
    },
  };
}

/** The first bytes of a data or index file. */
export interface RowFilePart {
  /** Opens the file, for one read. */
  readonly open: () => number;
  readonly path: string;
  readonly seal: Seal;
  readonly bytes: number;
}

/** Reads a part in chunks, sealed for an offset of another file. Throws a `StoreError` for damage. */
export function* resealed(part: RowFilePart, to: Seal, offset: number): Generator<Buffer> {
  const { open, path, seal: from, bytes } = part;
  const resealer = createResealer({ path, from, to, offset });
  for (let at = 0; at < bytes; at += CHUNK_BYTES) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytes - at));
    yield resealer.add(readExactly(open(), chunk, at, path));
  }
  resealer.end();
}
