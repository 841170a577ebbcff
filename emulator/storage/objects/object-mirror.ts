import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { objectId, objects } from "../../subjects/object-storage/records.ts";
import type { Reader } from "../../subjects/turn.ts";
import { ownerOf } from "../pool/names.ts";
import type { Pool } from "../pool/pool.ts";
import { locateBody } from "./body-location.ts";
import { exportFile, folderOf, nameOf, type ObjectPlace, removeFile, tolerating } from "./exported-files.ts";

export interface MirrorOptions {
  readonly pool: Pick<Pool, "path" | "discard" | "objectsFolder">;
  readonly world: string;
  /** Bodies of other owners are not exported. */
  readonly owner: number;
  readonly reader: () => Reader;
}

const QUIET_MS = 100;
/** Changes that are exported at once, until the world is quiet again. */
const MAX_IMMEDIATE = 64;
const BATCH_FILES = 8;
const BATCH_PAUSE_MS = 5;

/**
 * An exported copy of the objects that a world has written, under their keys, for users and for tools such as DuckDB. The emulator
 * never reads it, so a failure here fails no request. A file and its folders take longer to create than the object itself takes to
 * store: only a few changes are exported at once, the others when the world has been quiet for a moment.
 */
export class ObjectMirror {
  readonly #options: MirrorOptions;
  readonly #folder: string;
  /** The ids of objects to export. Removed objects leave it at once, so it never outgrows the records. */
  readonly #pending = new Set<string>();
  /** Whether all objects of the world have to be added, once the records can be read. */
  #mustAddAll = false;
  #immediate = MAX_IMMEDIATE;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.#folder = options.pool.objectsFolder(options.world);
    if (existsSync(this.#incomplete)) this.#requireAll();
  }

  /** Updates the exported copy of an object that was written or removed; `undefined` is ignored. */
  update(place: ObjectPlace | undefined): void {
    if (!place || this.#isStopped) return;
    const id = objectId(place.bucket, place.key);
    if (this.#immediate === 0 && this.#fileOf(id) !== undefined) this.#pending.add(id);
    else {
      this.#immediate = Math.max(0, this.#immediate - 1);
      this.#pending.delete(id);
      this.#export(id);
    }
    this.#wait();
  }

  /** Removes the folder of an empty bucket. */
  removeBucket(bucket: string): void {
    if (!this.#isStopped) tolerating(() => this.#options.pool.discard(join(this.#folder, folderOf(bucket))));
  }

  /** Exports all objects again after a process was killed. */
  rebuild(): void {
    // After a crash any file may be outdated, and a new link costs less than a comparison.
    tolerating(() => this.#options.pool.discard(this.#folder));
    this.#requireAll();
  }

  /** Exports everything that is pending; returns the folder. */
  catchUp(): string {
    if (!this.#isStopped) this.#exportPending(Number.POSITIVE_INFINITY);
    return this.#folder;
  }

  /** Exports what is pending until an instant of `performance.now()`. The next start exports the rest. */
  finish(stopBy: number): void {
    do this.#exportPending(BATCH_FILES);
    while (this.#pending.size > 0 && performance.now() < stopBy);
    tolerating(() =>
      this.#pending.size === 0
        ? rmSync(this.#incomplete, { force: true })
        : writeFileSync(this.#incomplete, ""),
    );
  }

  /** Leaves the folder unchanged from here on. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** A file that exists from a stop that left objects pending until one that did not. */
  get #incomplete(): string {
    return `${this.#folder}.incomplete`;
  }

  #requireAll(): void {
    this.#mustAddAll = true;
    this.#wait();
  }

  /** Exports the pending objects in batches with pauses, once the world has been quiet for a moment. */
  #wait(ms = QUIET_MS): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#exportBatch(), ms).unref();
  }

  #exportBatch(): void {
    this.#exportPending(BATCH_FILES);
    if (this.#pending.size > 0) this.#wait(BATCH_PAUSE_MS);
    else this.#immediate = MAX_IMMEDIATE;
  }

  #exportPending(count: number): void {
    if (this.#mustAddAll)
      for (const { bucket, key, file } of this.#options.reader().list(objects))
        if (ownerOf(file) === this.#options.owner) this.#pending.add(objectId(bucket, key));
    this.#mustAddAll = false;
    let remaining = count;
    for (const id of this.#pending) {
      if (remaining-- === 0) return;
      this.#pending.delete(id);
      this.#export(id);
    }
  }

  /** The body of an object; undefined when it was removed or belongs to another owner. */
  #fileOf(id: string): string | undefined {
    const file = this.#options.reader().get(objects, id)?.file;
    return file !== undefined && ownerOf(file) === this.#options.owner ? file : undefined;
  }

  /** Exports the body of an object; without one, its copy is removed. */
  #export(id: string): void {
    const file = this.#fileOf(id);
    const at = id.indexOf("/");
    const place = { bucket: id.slice(0, at), key: id.slice(at + 1) };
    if (file === undefined) removeFile(this.#folder, nameOf(place));
    else exportFile(this.#folder, nameOf(place), place.key, locateBody(this.#options.pool, file));
  }
}
