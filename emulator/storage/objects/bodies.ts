import * as fs from "node:fs";
import { join } from "node:path";
import { Refusal } from "../../kernel/refusal.ts";
import { isS3Failure, type S3Failure, s3Failure } from "../../subjects/object-storage/errors.ts";
import type { BodyFile, StoredBody } from "../../subjects/object-storage/records.ts";
import type { BodyKeeper } from "../../subjects/object-storage/staged.ts";
import type { Reader } from "../../subjects/turn.ts";
import { ownerOf } from "../pool/names.ts";
import type { Pool } from "../pool/pool.ts";
import { createPendingBodies } from "./body-keeper.ts";
import type { ObjectPlace } from "./body-name.ts";
import { type BodyPlace, bodyName, isShared, numberOfBody, placeOfBody } from "./body-place.ts";
import { createBodyOpener, type OpenedBody } from "./opened-body.ts";
import { createSharedFiles } from "./shared-files.ts";
import { type BodyStage, openStage, refusedStage, type StageOptions } from "./stage.ts";
import { createObjectsView } from "./view.ts";

/** The bodies of a world's objects: files of the pool that are written once, under numbers. Records name them. */
export interface Bodies {
  /** A body on its way in; `ownsPieces` when nobody else has the pieces of it. */
  stage(ownsPieces?: boolean): BodyStage;
  /** Runs the commit for a body that is written; `place` is where people find it, if it is that of an object. */
  publish<R>(
    stage: BodyStage,
    place: ObjectPlace | undefined,
    commit: (body: BodyFile) => S3Failure | R,
  ): S3Failure | R;
  /**
   * Opens a body now, so that what is removed later can still be read. Rejects with a `StoreError` when it is not there as it was
   * written.
   */
  open(body: StoredBody): Promise<OpenedBody>;
  close(body: OpenedBody): void;
  /**
   * No record names these bodies any more; `place` is that of the object, if it was removed. They are handed to
   * `retain`, which has them removed later.
   */
  drop(files: Iterable<string>, place?: ObjectPlace): void;
  /** People find the bucket no more. */
  hideBucket(name: string): void;
  /** For turns: what they say of bodies waits for `follow`. */
  readonly keeper: BodyKeeper;
  /**
   * The records of the turns so far are kept by now: shows what they have stored, and takes dropped bodies away that
   * nobody else can know.
   */
  follow(): void;
  /** Takes bodies away that no state of the past names any more either, unless others may know them. */
  remove(files: readonly string[]): void;
  /** Others go on from here: they may name all bodies that are there. */
  seal(): void;
  /** Shows people what the records name, after a process that may have ended in between. */
  reconcile(): void;
  /** Brings the folder in which people find objects up to date; answers its path. */
  show(): string;
  /** The end of the world: what is on its way in is refused when it arrives. */
  end(): void;
}

/** Whose bodies they are. */
export interface BodiesOptions {
  readonly pool: Pool;
  readonly owner: number;
  readonly world: string;
  /** The records of the world as they are now. */
  readonly reader: () => Reader;
  /** Smaller bodies share files; 64 KiB when left out. */
  readonly sharedBytes?: number;
  /** Called when something is pending for `follow`. */
  readonly changed: () => void;
  /** Takes bodies that were dropped, with their size in bytes; it calls `remove`, now or later. */
  readonly retain?: ((files: readonly string[], bytes: number) => void) | undefined;
}

const SHARED_BYTES = 64 * 1024;

/** Goes on behind the last body that the owner has written. */
export function openBodies(options: BodiesOptions): Bodies {
  const { pool, owner, changed, retain = remove, sharedBytes = SHARED_BYTES } = options;
  const view = createObjectsView(options);
  const pending = createPendingBodies({
    settle: (file) => stages.named(file)?.settle(),
    show: (place) => isOver || view.changed(place),
    drop: dropNow,
    changed,
  });
  let dropped: string[] = [];
  const numbers = createNumbers(pool, owner);
  const shared = createSharedFiles(pool, numbers.nextName);
  const stages = createStages({ pool, nextName: numbers.nextName, shared, sharedBytes });
  const opener = createBodyOpener(pool);
  let isOver = false;

  function dropNow(files: Iterable<string>, place?: ObjectPlace): void {
    if (isOver) return;
    const gone = [...files];
    for (const file of gone) stages.give(file);
    retain(gone, sizeOf(pool, gone));
    if (place) view.changed(place);
  }

  function remove(files: readonly string[]): void {
    for (const file of files)
      if (numbers.isOnlyOurs(file)) dropped.push(file);
      else pool.suspects.add(ownerOf(file));
    if (dropped.length > 0 && !isOver) changed();
  }

  return {
    stage: (ownsPieces = false) => (isOver ? refusedStage() : stages.open(ownsPieces)),
    publish(stage, place, commit) {
      if (!stages.has(stage))
        return s3Failure("OperationAborted", "The world was reset or removed meanwhile.");
      const { file } = stage;
      const value = commit({ file, sum: stage.sum });
      if (isS3Failure(value)) {
        stage.discard();
        return value;
      }
      stage.settle();
      if (place) view.changed(place);
      return value;
    },
    open: (body) => (isOver ? Promise.reject(worldIsOver()) : opener.open(body)),
    close: ({ fd }) => fs.closeSync(fd),
    drop: dropNow,
    hideBucket: (name) => isOver || view.hideBucket(name),
    keeper: pending,
    remove,
    follow() {
      pending.carryOut();
      for (const file of dropped)
        if (!isShared(file)) fs.rmSync(pool.path(file), { force: true });
        else shared.leave(file);
      dropped = [];
    },
    seal() {
      numbers.seal();
      shared.seal();
    },
    reconcile() {
      pool.suspects.add(owner);
      view.reconcile();
    },
    show: view.catchUp,
    end() {
      view.stop();
      stages.discardAll();
      isOver = true;
    },
  };
}

function worldIsOver(): Refusal {
  return new Refusal(409, "reset", "The world was reset or removed meanwhile.");
}

/** The bodies that are on their way in. */
function createStages(options: Omit<StageOptions, "ownsPieces" | "named" | "forget">) {
  const open = new Set<BodyStage>();
  const named = new Map<string, BodyStage>();
  return {
    open(ownsPieces: boolean): BodyStage {
      const stage = openStage({
        ...options,
        ownsPieces,
        named: (file) => named.set(file, stage),
        forget(file) {
          open.delete(stage);
          named.delete(file);
        },
      });
      open.add(stage);
      return stage;
    },
    has: (stage: BodyStage) => open.has(stage),
    named: (file: string) => named.get(file),
    /** Others see to it that the body goes. */
    give(file: string): void {
      const stage = named.get(file);
      if (isShared(file)) stage?.settle();
      else stage?.discard();
    },
    discardAll(): void {
      for (const stage of [...open]) stage.discard();
    },
  };
}

/** The numbers that an owner has given to its bodies. */
function createNumbers(pool: Pool, owner: number) {
  let last = lastBody(pool, owner);
  let sealed = last;
  return {
    nextName(): string {
      last += 1;
      return bodyName(owner, last);
    },
    /** Older ones may be named by other heads; they are removed when no head reads this owner's files. */
    isOnlyOurs: (file: string): boolean => ownerOf(file) === owner && numberOfBody(file) > sealed,
    seal(): void {
      sealed = last;
    },
  };
}

function sizeOf(pool: Pool, names: readonly string[]): number {
  const bytesOf = ({ path, length }: BodyPlace): number =>
    length ?? fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return names.reduce((sum, name) => sum + bytesOf(placeOfBody(pool, name)), 0);
}

/** A process that ended early may have left bodies that no record names: their numbers are not given again. */
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
