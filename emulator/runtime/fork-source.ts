import type { WorldImage } from "../kernel/image.ts";
import type { Home, SnapshotEntry } from "../storage/folders/registry.ts";
import { shareFiles } from "../storage/journal/sharing.ts";
import type { Store } from "../storage/journal/store.ts";
import { BASES_MAX, gatherBodies, hasNoBodies } from "../storage/objects/gathering.ts";
import type { ObjectFiles } from "../storage/objects/object-files.ts";
import type { InheritedRows } from "../storage/rows/inherited-rows.ts";
import type { TraceFiles } from "../storage/rows/store.ts";
import type { RateLimiter } from "../subjects/rate-limits/limiter.ts";
import type { World } from "../subjects/turn.ts";

/** What a world begins with that goes on from another one; its home has been filled accordingly. */
export interface Origin {
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
export interface Source {
  readonly image: WorldImage;
  readonly limiter: RateLimiter;
  readonly boot: number;
  /** Makes a prepared home one that goes on from here. */
  fill(home: Home): Filled;
}

/** A home that has been filled, and what its world begins with. */
export interface Filled {
  readonly home: Home;
  readonly origin: Origin;
}

interface Living {
  readonly world: World;
  readonly traces: TraceFiles;
  readonly files: ObjectFiles;
  readonly store: Store | undefined;
  readonly home: Home;
}

/** Has to be used in the same go: what the world does later belongs to it alone. */
export function sourceOfWorld({ world, traces, files, store, home }: Living): Source {
  const still = { image: world.image(), limiter: world.ports.limiter.copy(), boot: files.fork() };
  return {
    ...still,
    fill(target) {
      const { layers, inherited } = traces.fork(target.traces);
      const last = store?.lendTo(target.records) ?? 0;
      // A folder that holds no bodies would only make the chain longer that a fork reads through.
      const bases = files.isEmpty() ? home.bases : [home.objects, ...home.bases];
      return filled({ ...still, rows: inherited, last }, { ...target, layers, bases });
    },
  };
}

/** What a snapshot has beside its files. */
export interface Still {
  readonly image: WorldImage;
  readonly limiter: RateLimiter;
  readonly traces: TraceFiles;
}

/** A snapshot as worlds go on from it. */
export function sourceOfSnapshot(
  { home, last, boot }: SnapshotEntry,
  { image, limiter, traces }: Still,
  isKept: boolean,
): Source {
  const still = { image, limiter, boot };
  return {
    ...still,
    fill(target) {
      const { layers, inherited } = traces.fork(target.traces);
      if (isKept) shareFiles(home.records, target.records, last);
      const bases = hasNoBodies(home.objects) ? home.bases : [home.objects, ...home.bases];
      return filled({ ...still, rows: inherited, last }, { ...target, layers, bases });
    },
  };
}

function filled(origin: Origin, home: Home): Filled {
  if (home.bases.length <= BASES_MAX) return { home, origin };
  gatherBodies(origin.image.records.reader, home.bases, home.objects);
  return { home: { ...home, bases: [] }, origin: { ...origin, boot: undefined } };
}
