import * as fs from "node:fs";
import { join } from "node:path";
import { Refusal } from "../../kernel/refusal.ts";
import { isS3Failure, type S3Failure, s3Failure } from "../../subjects/object-storage/errors.ts";
import type { BodyFile, StoredBody } from "../../subjects/object-storage/records.ts";
import type { BodyKeeper } from "../../subjects/object-storage/staged.ts";
import { ownerOf } from "../pool/names.ts";
import type { Pool } from "../pool/pool.ts";
import {
  type BodyLocation,
  bodyName,
  createSharedFiles,
  isShared,
  locateBody,
  numberOfBody,
} from "./body-location.ts";
import type { ObjectPlace } from "./exported-files.ts";
import { type MirrorOptions, ObjectMirror } from "./object-mirror.ts";
import { createBodyOpener, type OpenedBody } from "./opened-body.ts";
import { type BodyStage, openStage, type StageOptions } from "./stage.ts";

/** The bodies of a world's objects: files of the pool that are written once, under numbers. Records name them. */
export interface Bodies {
  /** Opens a stage for a new body. With `ownsChunks`, nobody else uses the chunks that are written to it. */
  stage(ownsChunks?: boolean): BodyStage;
  /** Runs the commit that names a written body; with `place`, exports the object. */
  publish<R>(
    stage: BodyStage,
    place: ObjectPlace | undefined,
    commit: (body: BodyFile) => S3Failure | R,
  ): S3Failure | R;
  /** Opens a body, which stays readable after it is removed. Rejects with a `StoreError` when it is missing or damaged. */
  open(body: StoredBody): Promise<OpenedBody>;
  close(body: OpenedBody): void;
  /**
   * Hands bodies that no record names any longer to `retain`, which removes them now or later; `place` is that of the object if
   * it was removed.
   */
  drop(files: Iterable<string>, place?: ObjectPlace): void;
  /** Removes the exported copy of a bucket. */
  removeBucketCopy(bucket: string): void;
  /** For turns: their changes are pending until `carryOut`. */
  readonly keeper: BodyKeeper;
  /** Carries out pending changes, once the records of their turns are on disk. */
  carryOut(): void;
  /** Removes bodies that neither records nor history name any longer, unless other worlds may name them. */
  remove(files: readonly string[]): void;
  /** Marks all current bodies as possibly named by other worlds. */
  seal(): void;
  /** Rebuilds the exported copy, after a process that was killed. */
  rebuildCopy(): void;
  /** Brings the exported copy of the objects up to date; returns its folder. */
  exportCopy(): string;
  /** The same until an instant of `performance.now()`; the next start exports the rest. */
  finishCopy(stopBy: number): void;
  /** Ends the world: refuses the bodies that are being received. */
  end(): void;
}

/** Whose bodies they are. */
export interface BodiesOptions extends MirrorOptions {
  readonly pool: Pool;
  /** Smaller bodies share files; the default is 64 KiB. */
  readonly sharedBytes?: number;
  /** Called when something is pending for `carryOut`. */
  readonly onPending: () => void;
  /** Takes dropped bodies with their size in bytes; it calls `remove`, now or later. */
  readonly retain?: ((files: readonly string[], bytes: number) => void) | undefined;
}

const SHARED_BYTES = 64 * 1024;

/** Opens the bodies of an owner; new ones get the numbers after its last body. */
export function openBodies(options: BodiesOptions): Bodies {
  const { pool, owner, onPending, retain = remove, sharedBytes = SHARED_BYTES } = options;
  const mirror = new ObjectMirror(options);
  const ownFiles = createOwnFiles(pool, owner);
  const stages = createStages({ pool, ...ownFiles, sharedBytes });
  const opener = createBodyOpener(pool);
  const pending = createPendingChanges(onPending);
  let isOver = false;

  function drop(files: Iterable<string>, place?: ObjectPlace): void {
    if (isOver) return;
    const dropped = [...files];
    for (const file of dropped) stages.release(file);
    retain(dropped, sizeOf(pool, dropped));
    mirror.update(place);
  }

  function remove(files: readonly string[]): void {
    if (ownFiles.release(files) && !isOver) onPending();
  }

  return {
    stage: stages.open,
    publish(stage, place, commit) {
      const value = stages.publish(stage, commit);
      if (!isS3Failure(value)) mirror.update(place);
      return value;
    },
    open: (body) => (isOver ? Promise.reject(worldIsOver()) : opener.open(body)),
    close: ({ fd }) => fs.closeSync(fd),
    drop,
    removeBucketCopy: (bucket) => mirror.removeBucket(bucket),
    keeper: {
      keep(file, place) {
        stages.find(file)?.settle();
        pending.add(() => mirror.update(place));
      },
      drop: (files, place) => pending.add(() => drop(files, place)),
    },
    remove,
    carryOut() {
      pending.carryOut();
      ownFiles.removeReleased();
    },
    seal: ownFiles.seal,
    rebuildCopy() {
      pool.suspects.add(owner);
      mirror.rebuild();
    },
    exportCopy: () => mirror.catchUp(),
    finishCopy: (stopBy) => mirror.finish(stopBy),
    end() {
      mirror.stop();
      stages.end();
      isOver = true;
    },
  };
}

const WORLD_IS_OVER = "The world was reset or removed while the request was running.";

function worldIsOver(): Refusal {
  return new Refusal(409, "reset", WORLD_IS_OVER);
}

/** Changes that turns request: a turn that is not committed changes nothing on disk. */
function createPendingChanges(onPending: () => void) {
  const changes: (() => void)[] = [];
  return {
    add(change: () => void): void {
      changes.push(change);
      onPending();
    },
    carryOut(): void {
      for (const change of changes.splice(0)) change();
    },
  };
}

/** The bodies that are being received. */
function createStages(options: Omit<StageOptions, "ownsChunks" | "onEnd">) {
  const open = new Set<BodyStage>();
  let isOver = false;
  const find = (file: string) => [...open].find((stage) => stage.file === file);
  return {
    open(ownsChunks = false): BodyStage {
      const stage: BodyStage = openStage({ ...options, ownsChunks, onEnd: () => open.delete(stage) });
      if (isOver) stage.discard();
      else open.add(stage);
      return stage;
    },
    publish<R>(stage: BodyStage, commit: (body: BodyFile) => S3Failure | R): S3Failure | R {
      if (!open.has(stage)) return s3Failure("OperationAborted", WORLD_IS_OVER);
      const value = commit({ file: stage.file, sum: stage.sum });
      if (isS3Failure(value)) stage.discard();
      else stage.settle();
      return value;
    },
    find,
    /** Ends a stage whose body is dropped; the caller removes a shared body. */
    release(file: string): void {
      if (isShared(file)) find(file)?.settle();
      else find(file)?.discard();
    },
    /** Discards them, and those that are opened from here on. */
    end(): void {
      isOver = true;
      for (const stage of [...open]) stage.discard();
    },
  };
}

/** The files of an owner's bodies, under numbers. */
function createOwnFiles(pool: Pool, owner: number) {
  let last = lastBody(pool, owner);
  let sealed = last;
  const released: string[] = [];
  const nextName = () => {
    last += 1;
    return bodyName(owner, last);
  };
  const shared = createSharedFiles(pool, nextName);
  return {
    nextName,
    shared,
    /**
     * Marks bodies for `removeReleased`; returns whether any are marked. Other worlds may name older bodies; those are
     * removed when no world reads this owner's files.
     */
    release(names: readonly string[]): boolean {
      for (const name of names)
        if (ownerOf(name) === owner && numberOfBody(name) > sealed) released.push(name);
        else pool.suspects.add(ownerOf(name));
      return released.length > 0;
    },
    removeReleased(): void {
      for (const name of released.splice(0))
        if (isShared(name)) shared.release(name);
        else fs.rmSync(pool.path(name), { force: true });
    },
    seal(): void {
      sealed = last;
      shared.seal();
    },
  };
}

function sizeOf(pool: Pool, names: readonly string[]): number {
  const bytesOf = ({ path, length }: BodyLocation): number =>
    length ?? fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return names.reduce((sum, name) => sum + bytesOf(locateBody(pool, name)), 0);
}

/** A killed process may have left bodies that no record names: their numbers are not used again. */
function lastBody(pool: Pool, owner: number): number {
  const folder = join(pool.folder(owner), "bodies");
  const shard = highestIn(folder);
  return shard < 0 ? 0 : Math.max(0, highestIn(join(folder, String(shard))));
}

/** -1 for a folder that is empty or missing. */
function highestIn(folder: string): number {
  let names: string[];
  try {
    names = fs.readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return -1;
  }
  return names.reduce((highest, name) => Math.max(highest, Number(name)), -1);
}
