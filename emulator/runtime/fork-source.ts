import type { WorldImage } from "../kernel/image.ts";
import type { SnapshotEntry, WorldFolder } from "../storage/folders/registry.ts";
import { shareFiles } from "../storage/journal/sharing.ts";
import type { Store } from "../storage/journal/store.ts";
import { BASES_MAX, gatherBodies, hasNoBodies } from "../storage/objects/gathering.ts";
import type { ObjectFiles } from "../storage/objects/object-files.ts";
import type { InheritedRows } from "../storage/rows/inherited-rows.ts";
import type { TraceFiles } from "../storage/rows/store.ts";
import type { RateLimiter } from "../subjects/rate-limits/limiter.ts";
import type { World } from "../subjects/turn.ts";

/** What a world begins with that goes on from another one; its home has been filled accordingly. */
export interface ForkedState {
  readonly image: WorldImage;
  readonly limiter: RateLimiter;
  /** The trace rows that it goes on from. */
  readonly rows: InheritedRows;
  /** With what its folder of objects is opened; undefined when that is not empty. */
  readonly boot: number | undefined;
  /** The number of the last journal file in its home. */
  readonly last: number;
}

/** A world at rest, or a snapshot: what others go on from. Nothing that it holds is copied. */
export interface ForkSource {
  readonly image: WorldImage;
  readonly limiter: RateLimiter;
  readonly boot: number;
  /** Makes a prepared home one that goes on from here. */
  forkInto(worldFolder: WorldFolder): ForkedFolder;
}

/** A home that has been filled, and what its world begins with. */
export interface ForkedFolder {
  readonly worldFolder: WorldFolder;
  readonly forkedState: ForkedState;
}

interface LiveForkSource {
  readonly world: World;
  readonly traces: TraceFiles;
  readonly files: ObjectFiles;
  readonly store: Store | undefined;
  readonly worldFolder: WorldFolder;
}

/** Has to be used in the same go: what the world does later belongs to it alone. */
export function liveForkSource({ world, traces, files, store, worldFolder }: LiveForkSource): ForkSource {
  const shared = { image: world.image(), limiter: world.ports.limiter.copy(), boot: files.fork() };
  return {
    ...shared,
    forkInto(target) {
      const { layers, inherited } = traces.fork(target.traces);
      const last = store?.shareTo(target.records) ?? 0;
      // A folder that holds no bodies would only make the chain longer that a fork reads through.
      const bases = files.isEmpty() ? worldFolder.bases : [worldFolder.objects, ...worldFolder.bases];
      return flattenBases({ ...shared, rows: inherited, last }, { ...target, layers, bases });
    },
  };
}

/** What a snapshot has beside its files. */
export interface Snapshot {
  readonly image: WorldImage;
  readonly limiter: RateLimiter;
  readonly traces: TraceFiles;
}

/** A snapshot as worlds go on from it. */
export function snapshotForkSource(
  { home: worldFolder, last, boot }: SnapshotEntry,
  { image, limiter, traces }: Snapshot,
  isKept: boolean,
): ForkSource {
  const shared = { image, limiter, boot };
  return {
    ...shared,
    forkInto(target) {
      const { layers, inherited } = traces.fork(target.traces);
      if (isKept) shareFiles(worldFolder.records, target.records, last);
      const bases = hasNoBodies(worldFolder.objects)
        ? worldFolder.bases
        : [worldFolder.objects, ...worldFolder.bases];
      return flattenBases({ ...shared, rows: inherited, last }, { ...target, layers, bases });
    },
  };
}

function flattenBases(forkedState: ForkedState, worldFolder: WorldFolder): ForkedFolder {
  if (worldFolder.bases.length <= BASES_MAX) return { worldFolder, forkedState };
  gatherBodies(forkedState.image.records.reader, worldFolder.bases, worldFolder.objects);
  return { worldFolder: { ...worldFolder, bases: [] }, forkedState: { ...forkedState, boot: undefined } };
}
