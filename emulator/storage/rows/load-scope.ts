import type { TraceScope } from "../../subjects/traces/port.ts";
import { copySegment } from "./copy.ts";
import { createIdIndex, type IdIndex } from "./id-index.ts";
import type { InheritedRows, ScopeRows } from "./inherited-rows.ts";
import { layersOf, locateAll, type TraceLocation } from "./layers.ts";
import { scopesIn, segmentsIn } from "./marks.ts";
import type { OpenFiles } from "./open-files.ts";
import { scopeFolder, segmentPath } from "./paths.ts";
import { readRows, type UnfinishedMove } from "./read-rows.ts";
import { appendRecords, createSegment, loadPieces, readRecords, type Segment } from "./segment.ts";
import type { SidecarRecord } from "./sidecar.ts";

/** The rows of a tenant as a store has them that may write to them. */
export interface LoadedScope {
  /** The tenant's part of the own folder. */
  readonly path: string;
  readonly files: OpenFiles;
  readonly index: IdIndex;
  readonly segments: Segment[];
  readonly byName: Map<string, Segment>;
}

/** The record that says that a row's newest version is in another segment. */
export function tombstone(segment: Segment, id: string, previous: number, sequence: number): SidecarRecord {
  return { id, start: 0, offset: segment.dataBytes, length: 0, previous, sequence, trace: 0 };
}

/** What a segment is called among those of its tenant. */
export function nameOf(sessionId: string, day: string): string {
  return `${sessionId}/${day}`;
}

/** Begins a segment; it has no files before something is appended. */
export function addSegment(loaded: LoadedScope, sessionId: string, day: string): Segment {
  const segment = createSegment(loaded.segments.length, sessionId, day);
  loaded.segments.push(segment);
  loaded.byName.set(nameOf(sessionId, day), segment);
  return segment;
}

/** Gives the version that a row has left the tombstone that was not written any more. */
function finishMove(loaded: LoadedScope, { segment, id, position, sequence }: UnfinishedMove): void {
  const last = readRecords(loaded.files, segment, segment.records - 1, 1).sequence(0);
  const record = tombstone(segment, id, position, Math.max(last, sequence));
  appendRecords(loaded, segment, [record]);
  segment.live -= 1;
}

function loadedWith(files: OpenFiles, path: string, { index, segments }: ScopeRows): LoadedScope {
  const byName = new Map(segments.map((segment) => [nameOf(segment.sessionId, segment.day), segment]));
  return { path, files, index, segments: [...segments], byName };
}

/** What is inherited is taken as it is known, unless the own folder has made some of it whole. */
function inheritedBy(path: string, scope: TraceScope, inherited: InheritedRows): ScopeRows | undefined {
  const rows = inherited.take(scope);
  const known = new Set(rows?.segments.map(({ sessionId, day }) => nameOf(sessionId, day)));
  const isReplaced = segmentsIn(path).some(
    ({ isWhole, sessionId, day }) => isWhole && known.has(nameOf(sessionId, day)),
  );
  return isReplaced ? undefined : rows;
}

/** Opens the rows of a tenant: what others have read already is not read again. */
export function loadScope(
  files: OpenFiles,
  location: TraceLocation,
  scope: TraceScope,
  inherited: InheritedRows,
): LoadedScope {
  const path = scopeFolder(location.folder, scope);
  const known = inheritedBy(path, scope, inherited);
  const loaded = loadedWith(files, path, known ?? { index: createIdIndex(), segments: [] });
  const readUntil = new Map(loaded.segments.map((segment) => [segment, segment.records]));
  const layers = layersOf(location);
  for (const { sessionId, day, pieces } of locateAll(known ? layers.slice(0, 1) : layers, scope)) {
    const segment = loaded.byName.get(nameOf(sessionId, day)) ?? addSegment(loaded, sessionId, day);
    loadPieces(files, segment, pieces);
  }
  for (const move of readRows(files, loaded, readUntil)) finishMove(loaded, move);
  return loaded;
}

/** Makes all segments whole in the own folder, without reading what is in them. */
export function copyUpAll(files: OpenFiles, location: TraceLocation): void {
  const layers = layersOf(location);
  const scopes = layers.flatMap(({ folder }) => scopesIn(folder));
  for (const scope of new Map(scopes.map((each) => [scopeFolder("", each), each])).values()) {
    const path = scopeFolder(location.folder, scope);
    for (const { sessionId, day, pieces } of locateAll(layers, scope)) {
      const segment = createSegment(0, sessionId, day);
      loadPieces(files, segment, pieces);
      if (segment.pieces.some(({ isBorrowed }) => isBorrowed))
        copySegment(segment, segmentPath(path, sessionId, day));
    }
  }
}
