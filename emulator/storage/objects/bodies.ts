import * as fs from "node:fs";
import { join } from "node:path";
import { Refusal } from "../../kernel/refusal.ts";
import type { StoredBody } from "../../subjects/object-storage/records.ts";
import type { BodyKeeper } from "../../subjects/object-storage/staged.ts";
import { ownerOf } from "../pool/names.ts";
import { sizeAt } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import {
  type BodyLocation,
  bodyName,
  createSharedFiles,
  isShared,
  locateBody,
  numberOfBody,
  type SharedFiles,
} from "./body-location.ts";
import { type MirrorOptions, ObjectMirror } from "./object-mirror.ts";
import { type BodyOpener, createBodyOpener, type OpenedBody } from "./opened-body.ts";
import { BodyStage } from "./stage.ts";

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

export const WORLD_IS_OVER = "The world was reset or removed while the request was running.";

/** The bodies of a world's objects: files of the pool that are written once, under numbers. Records name them. */
export class Bodies {
  readonly #options: BodiesOptions;
  /** The exported copy of the objects. */
  readonly mirror: ObjectMirror;
  readonly #open: BodyOpener;
  readonly #shared: SharedFiles;
  /** The bodies that are being received. */
  readonly #stages = new Set<BodyStage>();
  /** Changes of turns: a turn that is not committed changes nothing on disk. */
  readonly #changes: (() => void)[] = [];
  /** Own bodies to remove once the records of their turns are on disk. */
  readonly #released: string[] = [];
  /** The number of the last body. New ones get the numbers after it. */
  #last: number;
  /** The last body that other worlds may name. */
  #sealed: number;
  #isOver = false;

  constructor(options: BodiesOptions) {
    const { pool, owner } = options;
    this.#options = options;
    this.mirror = new ObjectMirror(options);
    this.#open = createBodyOpener(pool);
    this.#shared = createSharedFiles(pool, () => this.#nextName());
    this.#last = lastBody(pool, owner);
    this.#sealed = this.#last;
  }

  /** For turns: their changes are pending until `carryOut`. */
  readonly keeper: BodyKeeper = {
    keep: (file, place) => {
      this.#stageOf(file)?.settle();
      this.#defer(() => this.mirror.update(place));
    },
    drop: (files, place) =>
      this.#defer(() => {
        this.#drop(files);
        this.mirror.update(place);
      }),
    dropBucket: (bucket, files) =>
      this.#defer(() => {
        this.#drop(files);
        this.mirror.removeBucket(bucket);
      }),
  };

  /** Opens a stage for a new body. With `ownsChunks`, nobody else uses the chunks that are written to it. */
  stage(ownsChunks = false): BodyStage {
    const { pool, sharedBytes = SHARED_BYTES } = this.#options;
    const stage: BodyStage = new BodyStage({
      pool,
      sharedBytes,
      ownsChunks,
      shared: this.#shared,
      nextName: () => this.#nextName(),
      onEnd: () => this.#stages.delete(stage),
    });
    if (this.#isOver) stage.discard();
    else this.#stages.add(stage);
    return stage;
  }

  /** Opens a body, which stays readable after it is removed. Rejects with a `StoreError` when it is missing or damaged. */
  async open(body: StoredBody): Promise<OpenedBody> {
    if (this.#isOver) throw new Refusal(409, "reset", WORLD_IS_OVER);
    return this.#open(body);
  }

  /** Hands bodies that no record names any longer to `retain`, which removes them now or later. */
  #drop(files: readonly string[]): void {
    if (this.#isOver) return;
    const { pool, retain = this.remove } = this.#options;
    for (const file of files)
      if (isShared(file)) this.#stageOf(file)?.settle();
      else this.#stageOf(file)?.discard();
    retain(files, sizeOf(pool, files));
  }

  /**
   * Removes bodies that neither records nor history name any longer. Other worlds may name older bodies; those are removed when no
   * world reads this owner's files.
   */
  readonly remove = (files: readonly string[]): void => {
    const { pool, owner, onPending } = this.#options;
    for (const name of files)
      if (ownerOf(name) === owner && numberOfBody(name) > this.#sealed) this.#released.push(name);
      else pool.suspects.add(ownerOf(name));
    if (this.#released.length > 0 && !this.#isOver) onPending();
  };

  /** Carries out pending changes, once the records of their turns are on disk. */
  carryOut(): void {
    for (const change of this.#changes.splice(0)) change();
    for (const name of this.#released.splice(0))
      if (isShared(name)) this.#shared.release(name);
      else fs.rmSync(this.#options.pool.path(name), { force: true });
  }

  /** Marks all current bodies as possibly named by other worlds. */
  seal(): void {
    this.#sealed = this.#last;
    this.#shared.seal();
  }

  /** Ends the world: discards the bodies that are being received, and those of requests that come later. */
  end(): void {
    this.mirror.stop();
    for (const stage of [...this.#stages]) stage.discard();
    this.#isOver = true;
  }

  #nextName(): string {
    this.#last += 1;
    return bodyName(this.#options.owner, this.#last);
  }

  #stageOf(file: string): BodyStage | undefined {
    return [...this.#stages].find((stage) => stage.file === file);
  }

  #defer(change: () => void): void {
    this.#changes.push(change);
    this.#options.onPending();
  }
}

function sizeOf(pool: Pool, names: readonly string[]): number {
  const bytesOf = ({ path, length }: BodyLocation): number => length ?? sizeAt(path);
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
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  return names.reduce((highest, name) => Math.max(highest, Number(name)), -1);
}
