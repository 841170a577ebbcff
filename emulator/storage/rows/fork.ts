import { mkdirSync } from "node:fs";
import { createInheritedRows, type InheritedRows, type ScopeRows } from "./inherited-rows.ts";
import { type TraceLayer, type TraceLocation, topOf } from "./layers.ts";
import { copyUpAll } from "./load-scope.ts";
import { isEmptyOrMissing, noteForked, readForked } from "./marks.ts";
import type { OpenFiles } from "./open-files.ts";

/** What a fork is opened with. */
export interface Fork extends Required<TraceLocation> {
  /** The rows that it goes on from; without them it reads the layers for itself. */
  readonly inherited: InheritedRows;
}

/** Makes the folders that the forks of a store begin with. */
export interface Forking {
  /** Prepares a folder for a fork that sees what the store has below the mark, which is all of it. */
  fork(target: string, mark: number): Fork;
  /** Has to be called before rows are written: later forks go on from others than the earlier ones. */
  writing(): void;
}

/** Each layer is looked into for every segment that is not found before. */
const LAYERS_MAX = 32;

/** What a store says of itself to be forked. */
interface ForkedStore {
  readonly files: OpenFiles;
  readonly location: TraceLocation;
  readonly inherited: InheritedRows;
  /** The rows of the tenants that were used so far. */
  rows(): ReadonlyMap<string, ScopeRows>;
  /** Segments have become the store's own: it has to load them anew. */
  copied(): void;
}

/** Forks of a store that has not been written to since share what they begin with. */
export function createForking({ files, location, copied, ...store }: ForkedStore): Forking {
  const { folder, layers = [] } = location;
  const inherited = topOf(layers);
  let needed = layers;
  let noted: number | undefined;
  let latest: InheritedRows | undefined;

  function layersBelow(mark: number): readonly TraceLayer[] {
    // What has written nothing adds nothing, so that forks of forks do not make chains.
    if (mark === inherited) return needed;
    if (needed.length >= LAYERS_MAX) {
      try {
        copyUpAll(files, location);
      } finally {
        // Even of a copying that fails on the way some segments are whole now, and those hide their pieces.
        copied();
      }
      needed = [];
    }
    noted ??= readForked(folder);
    if (mark > noted) noteForked(folder, mark);
    noted = mark;
    return [{ folder, mark }, ...needed];
  }

  /** Forks of one mark go on from the same rows, whether or not this store has read them already. */
  function rowsBelow(mark: number, layersOfFork: readonly TraceLayer[]): InheritedRows {
    if (mark === inherited) return store.inherited;
    latest ??= createInheritedRows(layersOfFork, store.rows);
    return latest;
  }

  return {
    fork(target, mark) {
      if (!isEmptyOrMissing(target))
        throw new Error(`a fork needs an empty folder, and ${target} holds something; name another`);
      const layersOfFork = layersBelow(mark);
      mkdirSync(target, { recursive: true, mode: 0o700 });
      return { folder: target, layers: layersOfFork, inherited: rowsBelow(mark, layersOfFork) };
    },
    writing() {
      latest?.settle();
      latest = undefined;
    },
  };
}
