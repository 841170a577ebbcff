import { createReadStream } from "node:fs";
import type { NamedRows, NamedSegment, Piece } from "../pool/names.ts";
import type { Pool } from "../pool/pool.ts";
import { isDay, isRegion, isUuid } from "../rows/paths.ts";
import { loadPiece } from "../rows/pieces.ts";
import { createSegment, DATA, extentsOf, INDEX, tailName } from "../rows/segment.ts";
import { RECORD_BYTES } from "../rows/sidecar.ts";
import { damagedRows } from "../rows/verify.ts";
import { damaged } from "./manifest.ts";
import type { PackedEntry } from "./pack.ts";

const PIECE_BYTES = 256 * 1024;

/** The rows of a world: for each segment its pieces as the two files that they would be if it had only one. */
export function traceEntries(prefix: string, pool: Pool, { next, segments }: NamedRows): PackedEntry[] {
  return segments.flatMap((named) => {
    const segment = createSegment(0, named);
    for (const piece of named.pieces) loadPiece(pool, segment, piece, next);
    if (segment.records === 0) return [];
    const { region, tenantId, sessionId, day } = named;
    const name = `${prefix}${region}/${tenantId}/${sessionId}/${day}`;
    const extents = extentsOf(segment).map((each) => ({ ...each, path: pool.path(each.file) }));
    const data = extents.map(({ path, bytes }) => ({ path: path + DATA, size: bytes }));
    const index = extents.map(({ path, records }) => ({ path: path + INDEX, size: records * RECORD_BYTES }));
    // In the order in which they are written: a sidecar never speaks of bytes that are not there.
    return [entryOf(name + DATA, data), entryOf(name + INDEX, index)];
  });
}

/** Rejects with a `StoreError` when a row is not as it was written. */
export async function checkRows(pool: Pool, rows: NamedRows): Promise<void> {
  for await (const damage of damagedRows(pool, rows)) throw damage;
}

/** The counted beginnings of files, concatenated: each file may still be appended to. */
function entryOf(
  name: string,
  parts: readonly { readonly path: string; readonly size: number }[],
): PackedEntry {
  async function* content(): AsyncGenerator<Buffer> {
    for (const { path, size } of parts)
      if (size > 0) yield* createReadStream(path, { start: 0, end: size - 1, highWaterMark: PIECE_BYTES });
  }
  return { name, size: parts.reduce((sum, { size }) => sum + size, 0), content };
}

/** A file of rows as it is found in an archive. */
interface TraceFile {
  /** In the pool, with its ending. */
  readonly file: string;
  readonly segment: NamedSegment;
}

/** Where an entry belongs in the folder of an owner, and its length; names that are none of ours are refused. */
export function traceFileOf(owner: number, mark: number, name: string, size: number): TraceFile {
  const [region = "", tenantId = "", sessionId = "", last = "", ...more] = name.split("/");
  const ending = [DATA, INDEX].find((each) => last.endsWith(each)) ?? "";
  const day = last.slice(0, last.length - ending.length);
  const isOurs = isRegion(region) && isUuid(tenantId) && isUuid(sessionId) && isDay(day);
  if (!isOurs || more.length > 0 || ending === "")
    throw damaged(`it has a file of rows that it cannot have (${JSON.stringify(name.slice(0, 100))})`);
  const where = { region, tenantId, sessionId, day };
  const file = tailName(owner, where);
  const length =
    ending === DATA ? { records: 0, bytes: size } : { records: Math.floor(size / RECORD_BYTES), bytes: 0 };
  return { file: file + ending, segment: { ...where, pieces: [{ file, below: mark, ...length }] } };
}

/** One segment for each name, its piece as long as its two files are. */
export function joinedSegments(segments: Iterable<NamedSegment>): NamedSegment[] {
  const joined = new Map<string, NamedSegment>();
  for (const segment of segments) {
    const [piece] = segment.pieces as [Piece];
    const [other = { records: 0, bytes: 0 }] = joined.get(piece.file)?.pieces ?? [];
    const both = { ...piece, records: piece.records + other.records, bytes: piece.bytes + other.bytes };
    joined.set(piece.file, { ...segment, pieces: [both] });
  }
  return [...joined.values()];
}
