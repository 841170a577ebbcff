import { join } from "node:path";
import type { Pool } from "../pool/pool.ts";
import { folderOf, nameOf, type ObjectPlace } from "./body-name.ts";
import { placeOfBody } from "./body-place.ts";
import { hideFile, showFile, tolerating } from "./shown-files.ts";
import { createUnshown, type UnshownOptions } from "./unshown.ts";

/**
 * The objects that a world has written, under their keys, for people: links to bodies, or copies of small ones. The emulator never reads
 * them, so that what fails here fails no request. To make a file and its folders takes longer than all else that a small object takes:
 * a few changes are shown at once, and those of a busy world when nothing has changed for a moment, as the records are then.
 */
export interface ObjectsView {
  /** An object was put, replaced or removed. */
  changed(place: ObjectPlace): void;
  hideBucket(bucket: string): void;
  /** Shows all objects anew, after a process that may have ended in between. */
  reconcile(): void;
  /** Does now what was to follow; answers the folder. */
  catchUp(): string;
  /** Leaves the folder as it is. */
  stop(): void;
}

export interface ViewOptions extends UnshownOptions {
  readonly pool: Pick<Pool, "path" | "discard" | "objectsFolder">;
  readonly world: string;
}

const QUIET_MS = 100;
/** So many changes since it was quiet do not wait. */
const SOON_MAX = 64;
/** So many that wait are made in one go, and then others have their turn. */
const AT_ONCE = 8;
const PAUSE_MS = 5;

export function createObjectsView(options: ViewOptions): ObjectsView {
  const { pool, world } = options;
  const folder = pool.objectsFolder(world);
  const unshown = createUnshown(options);
  let soon = SOON_MAX;
  let isQuiet = false;
  let timer: NodeJS.Timeout | undefined;

  function show(place: ObjectPlace): void {
    const file = unshown.bodyOf(place);
    if (file === undefined) hideFile(folder, nameOf(place));
    else showFile(folder, nameOf(place), place.key, placeOfBody(pool, file));
  }

  function showNext(count: number): void {
    for (const place of unshown.take(count)) show(place);
  }

  function goOn(): void {
    const isDone = isQuiet && unshown.isEmpty();
    if (isQuiet) showNext(AT_ONCE);
    timer = isDone ? undefined : setTimeout(goOn, isQuiet ? PAUSE_MS : QUIET_MS).unref();
    if (isDone) soon = SOON_MAX;
    isQuiet = true;
  }

  function goOnWhenQuiet(): void {
    isQuiet = false;
    timer ??= setTimeout(goOn, QUIET_MS).unref();
  }

  return {
    changed(place) {
      // To take a file away takes less than to make one.
      const gone = unshown.add(place);
      if (gone) show(gone);
      if (soon > 0) {
        soon -= 1;
        showNext(1);
      }
      goOnWhenQuiet();
    },
    hideBucket: (bucket) => tolerating(() => pool.discard(join(folder, folderOf(bucket)))),
    reconcile() {
      // Which of them are right is not known after a crash, and a link costs less than finding out.
      tolerating(() => pool.discard(folder));
      unshown.addAll();
      goOnWhenQuiet();
    },
    catchUp() {
      unshown.searchAnew();
      while (!unshown.isEmpty()) showNext(Number.POSITIVE_INFINITY);
      return folder;
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
      unshown.clear();
    },
  };
}
