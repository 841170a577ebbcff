import { ownerOf } from "../pool/names.ts";
import { readExactly, truncateTo, writeAll } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import { DATA, extentsOf, INDEX, type Segment, tailName } from "./segment.ts";
import { RECORD_BYTES } from "./sidecar.ts";

const COPIED_AT_ONCE = 1024 * 1024;
/** To copy so many bytes costs no more than to open their files. */
const SMALL_BYTES = 8 * 1024;
/** A larger piece is left alone while it is more than so many times as large as all behind it: rows are copied a few times at most. */
const TIMES_AS_LARGE = 4;

/**
 * Writes the last sealed pieces of a segment into one file of the owner, unless the first of them is too large for that:
 * each fork of a fork adds a piece, of which there are never many. Positions and offsets go on from piece to piece, so that no
 * record changes. The files that were named before stay as they are.
 */
export function mergePieces(pool: Pool, segment: Segment, owner: number): void {
  const { pieces } = segment;
  const all = extentsOf(segment).filter((_, at) => pieces[at]?.below !== null);
  const first = firstToMerge(all);
  const extents = all.slice(first);
  if (extents.length < 2) return;
  const file = `${tailName(owner, segment)}~${segment.filedRecords}`;
  for (const ending of [DATA, INDEX]) {
    const target = pool.path(file + ending);
    truncateTo(pool.files.append(target), 0);
    for (const { file: from, bytes, records } of extents)
      appendPart(pool, pool.path(from + ending), target, ending === DATA ? bytes : records * RECORD_BYTES);
  }
  const merged = pieces.slice(first, all.length);
  for (const piece of merged) pool.suspects.add(ownerOf(piece.file));
  const below = Math.max(...merged.map((piece) => piece.below ?? 0));
  pieces.splice(first, merged.length, { ...(pieces[first] as (typeof pieces)[number]), file, below });
}

function firstToMerge(extents: readonly { readonly bytes: number; readonly records: number }[]): number {
  const sizeAt = (at: number): number => {
    const { bytes, records } = extents[at] ?? { bytes: 0, records: 0 };
    return bytes + records * RECORD_BYTES;
  };
  let first = extents.length - 1;
  for (let size = sizeAt(first); first > 0; size += sizeAt(first)) {
    if (sizeAt(first - 1) > Math.max(SMALL_BYTES, TIMES_AS_LARGE * size)) break;
    first -= 1;
  }
  return Math.max(0, first);
}

function appendPart({ files }: Pool, from: string, to: string, size: number): void {
  for (let done = 0; done < size; done += COPIED_AT_ONCE) {
    const part = Buffer.allocUnsafe(Math.min(COPIED_AT_ONCE, size - done));
    writeAll(files.append(to), readExactly(files.read(from), part, done));
  }
}
