import { appendAll, readExactly, truncateTo } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import { DATA, extentsOf, INDEX, type Segment, tailName } from "./segment.ts";
import { RECORD_BYTES } from "./sidecar.ts";

const COPIED_AT_ONCE = 1024 * 1024;

/**
 * Writes the sealed pieces of a segment into one file of the owner: positions and offsets go on from piece to piece, so
 * that no record changes. The files that were named before stay as they are.
 */
export function mergePieces(pool: Pool, segment: Segment, owner: number): void {
  const { pieces } = segment;
  const sealed = pieces.filter(({ below }) => below !== null);
  const extents = extentsOf(segment).slice(0, sealed.length);
  const file = `${tailName(owner, segment)}~${segment.filedRecords}`;
  for (const ending of [DATA, INDEX]) {
    const target = pool.path(file + ending);
    truncateTo(pool.files.append(target), 0);
    for (const { file: from, bytes, records } of extents)
      appendPart(pool, pool.path(from + ending), target, ending === DATA ? bytes : records * RECORD_BYTES);
  }
  const below = Math.max(...sealed.map((piece) => piece.below ?? 0));
  pieces.splice(0, sealed.length, { file, below, firstRecord: 0, firstByte: 0 });
}

function appendPart({ files }: Pool, from: string, to: string, size: number): void {
  for (let done = 0; done < size; done += COPIED_AT_ONCE) {
    const part = Buffer.allocUnsafe(Math.min(COPIED_AT_ONCE, size - done));
    appendAll(files.append(to), readExactly(files.read(from), part, done));
  }
}
