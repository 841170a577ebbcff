import { createReadStream } from "node:fs";
import { join } from "node:path";
import type { TraceScope } from "../../subjects/traces/port.ts";
import { layersOf, locateAll, type TraceLocation, topOf } from "../rows/layers.ts";
import { noteForked, noteNext, readNext, scopesIn } from "../rows/marks.ts";
import { createOpenFiles } from "../rows/open-files.ts";
import { isDay, isRegion, isUuid, scopeFolder, segmentPath } from "../rows/paths.ts";
import { createSegment, loadPieces, type Segment, sizesOf } from "../rows/segment.ts";
import { damaged } from "./manifest.ts";
import type { PackedEntry } from "./pack.ts";

const PIECE_BYTES = 256 * 1024;
const FILES_OPEN = 4;
const DATA = ".ndjson";
const INDEX = ".index";

/** The first sequence number that no row of a store has to which nobody writes. */
export function markOf({ folder, layers = [] }: TraceLocation): number {
  return Math.max(readNext(folder), topOf(layers));
}

/** The rows of a store to which nobody writes: the beginnings of its segments' files, wherever they lie. */
export function traceEntries(prefix: string, location: TraceLocation): PackedEntry[] {
  const files = createOpenFiles(FILES_OPEN);
  try {
    return scopesOf(location).flatMap((scope) => {
      const base = `${prefix}${scope.region}/${scope.tenantId}`;
      return locateAll(layersOf(location), scope).flatMap(({ pieces, sessionId, day }) => {
        const segment = createSegment(0, sessionId, day);
        loadPieces(files, segment, pieces, true);
        return segment.records === 0 ? [] : segmentEntries(`${base}/${sessionId}/${day}`, segment);
      });
    });
  } finally {
    files.closeAll();
  }
}

/** Where an entry belongs in a folder of traces; names that are none of ours are refused. */
export function traceEntryPath(folder: string, name: string): string {
  const [region = "", tenantId = "", ...rest] = name.split("/");
  if (!isRegion(region) || !isUuid(tenantId)) throw unknownName(name);
  const scopePath = scopeFolder(folder, { region, tenantId });
  const [first = "", file = "", ...more] = rest;
  const ending = [DATA, INDEX].find((each) => file.endsWith(each)) ?? "";
  const day = file.slice(0, file.length - ending.length);
  if (more.length > 0 || ending === "" || !isUuid(first) || !isDay(day)) throw unknownName(name);
  return segmentPath(scopePath, first, day) + ending;
}

/** Says in a folder of traces how far its numbers go, so that none is given twice. */
export function noteMark(folder: string, mark: number): void {
  noteForked(folder, mark);
  noteNext(folder, mark);
}

function scopesOf({ folder, layers = [] }: TraceLocation): TraceScope[] {
  const all = [folder, ...layers.map((layer) => layer.folder)].flatMap(scopesIn);
  return [...new Map(all.map((scope) => [join(scope.region, scope.tenantId), scope])).values()];
}

/** The pieces of a segment as the two files that they would be if it had only one. */
function segmentEntries(name: string, segment: Segment): PackedEntry[] {
  const sizes = sizesOf(segment);
  const data = sizes.map(({ path, dataBytes: size }) => ({ path: path + DATA, size }));
  const index = sizes.map(({ path, indexBytes: size }) => ({ path: path + INDEX, size }));
  // In the order in which they are written: a sidecar never speaks of bytes that are not there.
  return [entryOf(name + DATA, data), entryOf(name + INDEX, index)];
}

/** Beginnings of files, one behind the other: somebody may go on appending to each. */
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

function unknownName(name: string): Error {
  return damaged(`it has a file of rows that it cannot have (${JSON.stringify(name.slice(0, 100))})`);
}
