import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { objectId, objects } from "../../subjects/object-storage/records.ts";
import type { Reader } from "../../subjects/turn.ts";
import { ownerOf } from "../pool/names.ts";
import type { Pool } from "../pool/pool.ts";
import { locateBody } from "./body-location.ts";
import { exportFile, folderOf, nameOf, type ObjectPlace, removeFile, tolerating } from "./exported-files.ts";

/**
 * An exported copy of the objects that a world has written, under their keys, for users and for tools such as DuckDB. The emulator
 * never reads it, so a failure here fails no request. A file and its folders take longer to create than the object itself takes to
 * store: only a few changes are exported at once, the others when the world has been quiet for a moment.
 */
export interface ObjectMirror {
  /** Updates the exported copy of an object that was written or removed; `undefined` is ignored. */
  update(place: ObjectPlace | undefined): void;
  removeBucket(bucket: string): void;
  /** Exports all objects again after a process was killed. The records may be read later only. */
  rebuild(): void;
  /** Exports everything that is pending; returns the folder. */
  catchUp(): string;
  /** Exports what is pending until an instant of `performance.now()`. The next start exports the rest. */
  finish(stopBy: number): void;
  /** Leaves the folder unchanged from here on. */
  stop(): void;
}

/** The world whose objects are exported. */
export interface MirrorOptions {
  readonly pool: Pick<Pool, "path" | "discard" | "objectsFolder">;
  readonly world: string;
  /** Bodies of other owners are not exported. */
  readonly owner: number;
  /** Returns the current records. */
  readonly reader: () => Reader;
}

const QUIET_MS = 100;
/** Changes that are exported at once, until the world is quiet again. */
const MAX_IMMEDIATE = 64;
const BATCH_FILES = 8;
const BATCH_PAUSE_MS = 5;

export function createObjectMirror(options: MirrorOptions): ObjectMirror {
  const { pool, world } = options;
  const folder = pool.objectsFolder(world);
  const incomplete = markOf(folder);
  const copies = createCopies(options, folder);
  const { pending } = copies;
  let immediate = MAX_IMMEDIATE;
  let isStopped = false;
  const timer = createQuietTimer(exportBatch);
  if (existsSync(incomplete)) rebuild();

  function exportBatch(): boolean {
    copies.exportPending(BATCH_FILES);
    if (pending.isEmpty()) immediate = MAX_IMMEDIATE;
    return pending.isEmpty();
  }

  function rebuild(): void {
    copies.requireAll();
    timer.restart();
  }

  return {
    update(place) {
      if (!place || isStopped) return;
      if (immediate === 0 && copies.ownBodyOf(place) !== undefined) pending.add(place);
      else {
        immediate = Math.max(0, immediate - 1);
        pending.delete(place);
        copies.exportNow(place);
      }
      timer.restart();
    },
    removeBucket(bucket) {
      if (isStopped) return;
      pending.deleteBucket(bucket);
      tolerating(() => pool.discard(join(folder, folderOf(bucket))));
    },
    rebuild() {
      // After a crash any file may be outdated, and a new link costs less than a comparison.
      tolerating(() => pool.discard(folder));
      rebuild();
    },
    catchUp() {
      if (!isStopped) copies.exportPending(Number.POSITIVE_INFINITY);
      return folder;
    },
    finish(stopBy) {
      do copies.exportPending(BATCH_FILES);
      while (!pending.isEmpty() && performance.now() < stopBy);
      tolerating(() =>
        pending.isEmpty() ? rmSync(incomplete, { force: true }) : writeFileSync(incomplete, ""),
      );
    },
    stop() {
      isStopped = true;
      timer.stop();
    },
  };
}

/** A file that exists from a stop that left objects pending until one that did not. */
const markOf = (folder: string) => `${folder}.incomplete`;

/** Exports objects of the world's own bodies. */
function createCopies({ pool, owner, reader }: MirrorOptions, folder: string) {
  const pending = createPendingObjects();
  /** Set until all objects of the world have been added to `pending`. */
  let mustAddAll = false;

  const ownFile = (file: string | undefined) =>
    file !== undefined && ownerOf(file) === owner ? file : undefined;
  const ownBodyOf = ({ bucket, key }: ObjectPlace) =>
    ownFile(reader().get(objects, objectId(bucket, key))?.file);
  const exportNow = (place: ObjectPlace) => exportBody(pool, folder, place, ownBodyOf(place));

  return {
    pending,
    ownBodyOf,
    exportNow,
    requireAll(): void {
      mustAddAll = true;
    },
    exportPending(count: number): void {
      if (mustAddAll)
        for (const object of reader().all(objects)) if (ownFile(object.file)) pending.add(object);
      mustAddAll = false;
      for (const place of pending.take(count)) exportNow(place);
    },
  };
}

/** Exports the body of an object; without one, its copy is removed. */
function exportBody(
  pool: MirrorOptions["pool"],
  folder: string,
  place: ObjectPlace,
  file: string | undefined,
): void {
  if (file === undefined) removeFile(folder, nameOf(place));
  else exportFile(folder, nameOf(place), place.key, locateBody(pool, file));
}

/** Runs batches with pauses once the world has been quiet for a moment, until one returns true. */
function createQuietTimer(runBatch: () => boolean) {
  let isQuiet = false;
  let timer: NodeJS.Timeout | undefined;

  function tick(): void {
    const isDone = isQuiet && runBatch();
    timer = isDone ? undefined : setTimeout(tick, isQuiet ? BATCH_PAUSE_MS : QUIET_MS).unref();
    isQuiet = true;
  }

  return {
    restart(): void {
      isQuiet = false;
      timer ??= setTimeout(tick, QUIET_MS).unref();
    },
    stop: () => clearTimeout(timer),
  };
}

/** The objects to export, by bucket. Removed objects leave it at once, so it never outgrows the records. */
function createPendingObjects() {
  const buckets = new Map<string, Set<string>>();
  return {
    isEmpty: () => buckets.size === 0,
    add({ bucket, key }: ObjectPlace): void {
      const keys = buckets.get(bucket);
      if (keys) keys.add(key);
      else buckets.set(bucket, new Set([key]));
    },
    delete: ({ bucket, key }: ObjectPlace) => buckets.get(bucket)?.delete(key),
    deleteBucket: (bucket: string) => buckets.delete(bucket),
    /** Takes up to `count` objects out. */
    *take(count: number): Generator<ObjectPlace> {
      let remaining = count;
      for (const [bucket, keys] of buckets) {
        for (const key of keys) {
          if (remaining-- === 0) return;
          keys.delete(key);
          yield { bucket, key };
        }
        buckets.delete(bucket);
      }
    },
  };
}
