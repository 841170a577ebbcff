import { existsSync } from "node:fs";
import type { TraceScope } from "../../subjects/traces/port.ts";
import { segmentsIn } from "./marks.ts";
import { addedPath, scopeFolder, segmentPath } from "./paths.ts";

/** The rows below a sequence mark in a folder that another store may go on appending to. */
export interface TraceLayer {
  readonly folder: string;
  readonly mark: number;
}

/**
 * Where the rows of a store are: in its own folder, and in layers that it only reads, the nearest first. What a
 * nearer one has of a segment goes on from what the farther ones have of it below their marks, unless it is whole.
 */
export interface TraceLocation {
  readonly folder: string;
  readonly layers?: readonly TraceLayer[];
}

/** What one layer has of a segment: two files without their endings, and the mark below which they count. */
export interface LocatedPiece {
  readonly path: string;
  /** Infinity for files in the own folder. */
  readonly mark: number;
}

/** One project's rows of one UTC day, wherever they lie. */
export interface LocatedSegment {
  readonly sessionId: string;
  readonly day: string;
  /** In the order of the rows: the farthest first. */
  readonly pieces: readonly LocatedPiece[];
}

/** All layers of a store, of which its own folder is the nearest and has no mark. */
export function layersOf({ folder, layers = [] }: TraceLocation): readonly TraceLayer[] {
  return [{ folder, mark: Number.POSITIVE_INFINITY }, ...layers];
}

/** The first sequence number that none of the layers can have. */
export function topOf(layers: readonly TraceLayer[]): number {
  return layers.reduce((top, { mark }) => Math.max(top, mark), 0);
}

/** Finds the pieces of a segment. Files without a sidecar do not count: they may be a copy that was never ended. */
export function locate(
  location: TraceLocation,
  scope: TraceScope,
  sessionId: string,
  day: string,
): readonly LocatedPiece[] {
  const pieces: LocatedPiece[] = [];
  for (const { folder, mark } of layersOf(location)) {
    const whole = segmentPath(scopeFolder(folder, scope), sessionId, day);
    const path = [whole, addedPath(whole)].find((each) => existsSync(`${each}.index`));
    if (path !== undefined) pieces.unshift({ path, mark });
    if (path === whole) break;
  }
  return pieces;
}

/** All segments of a tenant. */
export function locateAll(layers: readonly TraceLayer[], scope: TraceScope): readonly LocatedSegment[] {
  const found = new Map<string, { sessionId: string; day: string; pieces: LocatedPiece[] }>();
  const whole = new Set<string>();
  for (const { folder, mark } of layers) {
    for (const { sessionId, day, path, isWhole } of segmentsIn(scopeFolder(folder, scope))) {
      const name = `${sessionId}/${day}`;
      if (whole.has(name)) continue;
      const segment = found.get(name) ?? { sessionId, day, pieces: [] };
      segment.pieces.unshift({ path, mark });
      found.set(name, segment);
      if (isWhole) whole.add(name);
    }
  }
  return [...found.values()];
}
