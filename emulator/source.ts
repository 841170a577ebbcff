import type { Beneath } from "./adapters/homes/homes.ts";
import type { Home, SnapshotEntry } from "./adapters/homes/registry.ts";
import type { ObjectFiles } from "./adapters/s3/object-files.ts";
import { shareFiles } from "./adapters/store/sharing.ts";
import type { Store } from "./adapters/store/store.ts";
import { openTraceStore, type TraceFiles } from "./adapters/traces/store.ts";
import type { RateLimiter } from "./domain/rate-limits/limiter.ts";
import type { World } from "./domain/turn.ts";
import type { WorldImage } from "./kernel/image.ts";

/** What a world begins with that goes on from another one; its home has been filled accordingly. */
export interface Origin {
  readonly image: WorldImage;
  readonly limiter: RateLimiter;
  /** With what its folder of objects is opened. */
  readonly boot: number;
  /** The number of the last journal file in its home. */
  readonly last: number;
}

/** A world at rest, or a snapshot: what others go on from. Nothing that it holds is copied. */
export interface Source {
  readonly image: WorldImage;
  readonly limiter: RateLimiter;
  readonly boot: number;
  /** Makes a prepared home one that goes on from here. */
  fill(home: Home): { readonly home: Home; readonly last: number };
}

interface Living {
  readonly world: World;
  readonly traces: TraceFiles;
  readonly files: ObjectFiles;
  readonly store: Store | undefined;
  readonly home: Home;
}

/** Has to be used in the same go: what the world does later belongs to it alone. */
export function originOf({ world, traces, files, store, home }: Living): Source {
  return {
    image: world.image(),
    limiter: world.ports.limiter.copy(),
    boot: files.fork(),
    fill(target) {
      const { layers = [] } = traces.fork(target.traces);
      const last = store?.lendTo(target.records) ?? 0;
      return { home: { ...target, layers, bases: basesOf(home, files) }, last };
    },
  };
}

/** A snapshot as worlds go on from it; its image may have been kept in memory, or is read from its home. */
export function sourceOf(
  { home, last, boot }: SnapshotEntry,
  { image, limiter }: Pick<Source, "image" | "limiter">,
  isKept: boolean,
): Source {
  return {
    image,
    limiter,
    boot,
    fill(target) {
      const traces = openTraceStore({ folder: home.traces, layers: home.layers });
      const { layers = [] } = traces.fork(target.traces);
      traces.close();
      if (isKept) shareFiles(home.records, target.records, last);
      return { home: { ...target, layers, bases: [home.objects, ...home.bases] }, last };
    },
  };
}

/** A folder that holds no bodies would only make the chain longer that a fork reads through. */
function basesOf(home: Home, files: ObjectFiles): Beneath["bases"] {
  return files.isEmpty() ? home.bases : [home.objects, ...home.bases];
}
