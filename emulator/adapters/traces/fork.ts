import { mkdirSync } from "node:fs";
import type { TraceScope } from "../../domain/traces/port.ts";
import { shareHeldPatches } from "./held-patches.ts";
import { type TraceLayer, type TracePlace, topOf } from "./layers.ts";
import { copyUpAll } from "./load-scope.ts";
import { isEmptyOrMissing, noteForked, readForked, scopesIn } from "./marks.ts";
import type { OpenFiles } from "./open-files.ts";
import { scopeFolder } from "./places.ts";

/** Makes the folders that the forks of a store begin with. */
export interface Forking {
  /** Prepares a folder for a fork that sees what the store has below the mark, which is all of it. */
  fork(target: string, mark: number): Required<TracePlace>;
  /** Says that a tenant may hold patches now. */
  hold(scope: TraceScope): void;
}

/** Each layer is looked into for every segment that is not found before. */
const LAYERS_MAX = 32;

/** `copied` is called when all segments have become the store's own: it has to load them anew. */
export function createForking(files: OpenFiles, place: TracePlace, copied: () => void): Forking {
  const { folder, layers = [] } = place;
  const inherited = topOf(layers);
  const handOnPatches = createPatchSharing(folder);
  let needed = layers;
  let noted: number | undefined;

  function layersBelow(mark: number): readonly TraceLayer[] {
    // What has written nothing adds nothing, so that forks of forks do not make chains.
    if (mark === inherited) return needed;
    if (needed.length >= LAYERS_MAX) {
      copyUpAll(files, place);
      needed = [];
      copied();
    }
    noted ??= readForked(folder);
    if (mark > noted) noteForked(folder, mark);
    noted = mark;
    return [{ folder, mark }, ...needed];
  }

  return {
    fork(target, mark) {
      if (!isEmptyOrMissing(target))
        throw new Error(`a fork needs an empty folder, and ${target} holds something; name another`);
      const layersOfFork = layersBelow(mark);
      mkdirSync(target, { recursive: true, mode: 0o700 });
      handOnPatches.to(target);
      return { folder: target, layers: layersOfFork };
    },
    hold: handOnPatches.hold,
  };
}

/** Patches are looked for once; from then on it is known who holds some, so that a fork costs the same. */
function createPatchSharing(folder: string) {
  let holding: Map<string, TraceScope> | undefined;
  return {
    hold(scope: TraceScope): void {
      holding?.set(scopeFolder(folder, scope), scope);
    },
    to(target: string): void {
      holding ??= new Map(scopesIn(folder).map((scope) => [scopeFolder(folder, scope), scope]));
      for (const [path, scope] of [...holding])
        if (!shareHeldPatches(path, scopeFolder(target, scope))) holding.delete(path);
    },
  };
}
