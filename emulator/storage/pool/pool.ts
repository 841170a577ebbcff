import { existsSync, mkdirSync, readdirSync, renameSync, rm, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Seal, sealOf } from "../checksum.ts";
import { readFolderId } from "./manifest-log.ts";
import { createOpenFiles, type OpenFiles } from "./open-files.ts";

const remove = promisify(rm);

/** The names of the files of a pool. */
export interface PoolNames {
  /** The data folder. */
  readonly root: string;
  /** The random id of the data folder, which the checksums of its files include. */
  readonly id: string;
  /** The path of a file that a manifest, a record or a journal names. */
  path(file: string): string;
  /** The seal of such a file, for its checksums. */
  sealOf(file: string): Seal;
}

/** The files of all worlds and snapshots of a data folder, each in the folder of the world that wrote it. */
export interface Pool extends PoolNames {
  /** False for an ephemeral folder, which is removed with the process. */
  readonly isPersistent: boolean;
  readonly files: OpenFiles;
  /** The folder of an owner. */
  folder(owner: number): string;
  /** Owners that have a folder. */
  owners(): readonly number[];
  /** The folder with the exported copies of a world's objects. */
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

/** The names of a pool, for readers that do not open it. */
export function poolNames(root: string, id: string = readFolderId(root)): PoolNames {
  return { root, id, path: (file) => poolPath(root, file), sealOf: (file) => sealOf(id, file) };
}

/** Opens the pool in a data folder, and deletes the files that an earlier process discarded. */
export function openPool(root: string, isPersistent: boolean, maxFiles?: number): Pool {
  const base = poolPath(root, "");
  const deletions = openDeletionQueue(join(root, ".trash"));
  const files = createOpenFiles(maxFiles);
  return {
    ...poolNames(root),
    isPersistent,
    files,
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

/** Deletes files and folders in the background, after renaming them away. */
function openDeletionQueue(folder: string) {
  const deletions = new Set<Promise<void>>();
  let last = 0;
  let exists = false;
  if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });

  return {
    add(path: string): void {
      if (!statSync(path, { throwIfNoEntry: false })) return;
      if (!exists) mkdirSync(folder, { recursive: true });
      exists = true;
      last += 1;
      const aside = join(folder, String(last));
      renameSync(path, aside);
      // If the deletion fails, the next start repeats it.
      const deletion = remove(aside, { recursive: true, force: true, maxRetries: 3 })
        .catch(() => undefined)
        .finally(() => deletions.delete(deletion));
      deletions.add(deletion);
    },
    async whenEmpty(): Promise<void> {
      await Promise.all(deletions);
      if (exists) rmSync(folder, { recursive: true, force: true });
      exists = false;
    },
  };
}
