import { existsSync } from "node:fs";
import type { TraceScope } from "../../domain/traces/port.ts";
import { segmentsIn } from "./marks.ts";
import { scopeFolder, segmentPath } from "./places.ts";

/** The rows below a sequence mark in a folder that another store may go on appending to. */
export interface TraceLayer {
  readonly folder: string;
  readonly mark: number;
}

/**
 * Where the rows of a store are: in its own folder, and in layers that it only reads, the nearest first. Of a
 * segment that is in several of them the nearest counts: it has what the farther ones have below their marks.
 */
export interface TracePlace {
  readonly folder: string;
  readonly layers?: readonly TraceLayer[];
}

/** The files of a segment without their endings, and the mark below which they count. */
export interface LocatedSegment {
  readonly path: string;
  /** Infinity for a segment in the own folder. */
  readonly mark: number;
}

function allOf({ folder, layers = [] }: TracePlace): readonly TraceLayer[] {
  return [{ folder, mark: Number.POSITIVE_INFINITY }, ...layers];
}

/** The first sequence number that none of the layers can have. */
export function topOf(layers: readonly TraceLayer[]): number {
  return layers.reduce((top, { mark }) => Math.max(top, mark), 0);
}

/** Finds a segment. One without a sidecar does not count: it may be a copy that was never ended. */
export function locate(
  place: TracePlace,
  scope: TraceScope,
  sessionId: string,
  day: string,
): LocatedSegment | undefined {
  for (const { folder, mark } of allOf(place)) {
    const path = segmentPath(scopeFolder(folder, scope), sessionId, day);
    if (existsSync(`${path}.index`)) return { path, mark };
  }
  return undefined;
}

/** All segments of a tenant, each from where it counts. */
export function locateAll(
  place: TracePlace,
  scope: TraceScope,
): (LocatedSegment & { readonly sessionId: string; readonly day: string })[] {
  const found = new Map<string, LocatedSegment & { sessionId: string; day: string }>();
  for (const { folder, mark } of allOf(place)) {
    const scopePath = scopeFolder(folder, scope);
    for (const { sessionId, day } of segmentsIn(scopePath)) {
      const path = segmentPath(scopePath, sessionId, day);
      if (!found.has(`${sessionId}/${day}`)) found.set(`${sessionId}/${day}`, { path, mark, sessionId, day });
    }
  }
  return [...found.values()];
}
