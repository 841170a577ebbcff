import { createReadStream, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { TraceScope } from "../../domain/traces/port.ts";
import { heldPatchesFile } from "../traces/held-patches.ts";
import { locateAll, type TracePlace, topOf } from "../traces/layers.ts";
import { noteForked, noteNext, readNext, scopesIn } from "../traces/marks.ts";
import { createOpenFiles } from "../traces/open-files.ts";
import { isDay, isRegion, isUuid, scopeFolder, segmentPath } from "../traces/places.ts";
import { createSegment, limitSegment } from "../traces/segment.ts";
import { RECORD_BYTES } from "../traces/sidecar.ts";
import { damaged } from "./manifest.ts";
import type { PackedEntry } from "./pack.ts";

const PIECE_BYTES = 256 * 1024;
const FILES_OPEN = 4;
const DATA = ".ndjson";
const INDEX = ".index";
const HELD = "held-patches.ndjson";

/** The first sequence number that no row of a store has to which nobody writes. */
export function markOf({ folder, layers = [] }: TracePlace): number {
  return Math.max(readNext(folder), topOf(layers));
}

/** The rows of a store to which nobody writes: the beginnings of its segments' files, wherever they lie. */
export function traceEntries(prefix: string, place: TracePlace): PackedEntry[] {
  const files = createOpenFiles(FILES_OPEN);
  try {
    return scopesOf(place).flatMap((scope) => {
      const base = `${prefix}${scope.region}/${scope.tenantId}`;
      const held = heldPatchesFile(scopeFolder(place.folder, scope));
      const segments = locateAll(place, scope).flatMap(({ path, mark, sessionId, day }) => {
        const segment = createSegment(0, { path, isBorrowed: true }, sessionId, day);
        limitSegment(files, segment, mark);
        if (segment.records === 0) return [];
        const name = `${base}/${sessionId}/${day}`;
        // In the order in which they are written: a sidecar never speaks of bytes that are not there.
        return [
          fileEntry(name + DATA, path + DATA, segment.dataBytes),
          fileEntry(name + INDEX, path + INDEX, segment.records * RECORD_BYTES),
        ];
      });
      return existsSync(held)
        ? [...segments, fileEntry(`${base}/${HELD}`, held, statSync(held).size)]
        : segments;
    });
  } finally {
    files.closeAll();
  }
}

/** Where an entry belongs in a folder of traces; names that are none of ours are refused. */
export function placeOfTraces(folder: string, name: string): string {
  const [region = "", tenantId = "", ...rest] = name.split("/");
  if (!isRegion(region) || !isUuid(tenantId)) throw unknownName(name);
  const scopePath = scopeFolder(folder, { region, tenantId });
  const [first = "", file = "", ...more] = rest;
  if (rest.length === 1 && first === HELD) return heldPatchesFile(scopePath);
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

function scopesOf({ folder, layers = [] }: TracePlace): TraceScope[] {
  const all = [folder, ...layers.map((layer) => layer.folder)].flatMap(scopesIn);
  return [...new Map(all.map((scope) => [join(scope.region, scope.tenantId), scope])).values()];
}

function fileEntry(name: string, path: string, size: number): PackedEntry {
  // Somebody may go on appending to it: what counts of it is at its beginning.
  const content = () => createReadStream(path, { start: 0, end: size - 1, highWaterMark: PIECE_BYTES });
  return { name, size, content: size === 0 ? () => [] : content };
}

function unknownName(name: string): Error {
  return damaged(`it has a file of rows that it cannot have (${JSON.stringify(name.slice(0, 100))})`);
}
