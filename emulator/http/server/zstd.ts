/** Zstandard, which Node 20 lacks; decompresses complete, size-limited bodies. */
export class ZstdTooLarge extends Error {
  override readonly name = "ZstdTooLarge";
}

const MAGIC = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
const MAX_WINDOW_BYTES = 8 * 1024 * 1024;
const RLE_BLOCK = 1;

interface Frame {
  readonly bytes: Uint8Array;
  readonly windowBytes: number;
}

/** Decompresses; throws as soon as the output or a window exceeds `maxBytes`. */
export async function decompressZstd(body: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  const { Decompress } = await import("fzstd");
  const blocks: Uint8Array[] = [];
  let size = 0;
  for (const { bytes, windowBytes } of framesOf(body)) {
    // A few bytes can request a window of gigabytes, which the decoder would allocate.
    if (windowBytes > Math.max(MAX_WINDOW_BYTES, maxBytes)) throw new ZstdTooLarge();
    const decoder = new Decompress((block) => {
      size += block.length;
      if (size > maxBytes) throw new ZstdTooLarge();
      blocks.push(block);
    });
    decoder.push(bytes, true);
  }
  return Buffer.concat(blocks, size);
}

/** The frames that hold data, found by their headers and those of their blocks. */
function* framesOf(body: Uint8Array): Generator<Frame> {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  for (let at = 0; at < body.length; ) {
    const magic = view.getUint32(at, true);
    if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE) {
      at += 8 + view.getUint32(at + 4, true);
      continue;
    }
    if (magic !== MAGIC) throw new Error("unknown frame header");
    const { headerBytes, windowBytes, hasChecksum } = readHeader(view, at + 4);
    let end = at + 4 + headerBytes;
    for (let isLast = false; !isLast; ) {
      const header = view.getUint16(end, true) + (view.getUint8(end + 2) << 16);
      isLast = (header & 1) === 1;
      end += 3 + (((header >> 1) & 3) === RLE_BLOCK ? 1 : header >> 3);
    }
    end += hasChecksum ? 4 : 0;
    if (end > body.length) throw new Error("it is cut off");
    yield { bytes: body.subarray(at, end), windowBytes };
    at = end;
  }
}

function readHeader(view: DataView, at: number) {
  const descriptor = view.getUint8(at);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  const sizeBytes = sizeFlag === 0 ? Number(isSingleSegment) : 1 << sizeFlag;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const beforeSize = 1 + Number(!isSingleSegment) + dictionaryBytes;
  const window = view.getUint8(at + 1);
  const base = 2 ** (10 + (window >> 3));
  return {
    headerBytes: beforeSize + sizeBytes,
    windowBytes: isSingleSegment
      ? contentSize(view, at + beforeSize, sizeBytes)
      : base + (base / 8) * (window & 7),
    hasChecksum: (descriptor & 4) !== 0,
  };
}

function contentSize(view: DataView, at: number, bytes: number): number {
  if (bytes === 1) return view.getUint8(at);
  if (bytes === 2) return view.getUint16(at, true) + 256;
  if (bytes === 4) return view.getUint32(at, true);
  return Number(view.getBigUint64(at, true));
}
