import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openDeletionQueue } from "./deletion-queue.ts";
import { createOpenFiles, type OpenFiles } from "./open-files.ts";

/** The files of all worlds and snapshots of a data folder, each in the folder of the world that wrote it. */
export interface Pool {
  readonly root: string;
  /** False for a folder that goes with the process: nothing is written down to be found again. */
  readonly isPersistent: boolean;
  readonly files: OpenFiles;
  /** Where a file lies that a manifest, a record or a journal names. */
  path(file: string): string;
  /** The folder of an owner. */
  folder(owner: number): string;
  /** Owners that have a folder. */
  owners(): readonly number[];
  /** The folder in which people find the objects of a world under their keys. */
  objectsFolder(world: string): string;
  /** Owners whose folders may hold unused files. */
  readonly suspects: Set<number>;
  /** Removes a file or folder: renamed away at once, deleted in the background. */
  discard(path: string): void;
  /** Resolves when discarded files are deleted. */
  settle(): Promise<void>;
}

/** The path of a file in a pool, for readers that do not open the pool. */
export function poolPath(root: string, file: string): string {
  return join(root, "pool", file);
}

/** Opens the pool in a data folder, with so many open files at most; what an earlier process discarded goes now. */
export function openPool(root: string, isPersistent: boolean, filesMax?: number): Pool {
  const base = poolPath(root, "");
  const deletions = openDeletionQueue(join(root, ".trash"));
  const files = createOpenFiles(filesMax);
  return {
    root,
    isPersistent,
    files,
    path: (file) => poolPath(root, file),
    folder: (owner) => join(base, String(owner)),
    owners: () => (existsSync(base) ? readdirSync(base).map(Number).filter(Number.isSafeInteger) : []),
    objectsFolder: (world) => join(root, "worlds", world, "objects"),
    suspects: new Set(),
    discard(path) {
      files.release(path);
      deletions.add(path);
    },
    settle: deletions.whenEmpty,
  };
}
