import { existsSync, mkdirSync, readdirSync, renameSync, rm, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Seal, sealOf } from "../checksum.ts";
import { readFolderId } from "./manifest-log.ts";
import { createOpenFiles } from "./open-files.ts";

const remove = promisify(rm);

/** The path of a file in a pool, for readers that do not open the pool. */
export function poolPath(root: string, file: string): string {
  return join(root, "pool", file);
}

/** The names of the files of a pool. */
export type PoolNames = Readonly<ReturnType<typeof poolNames>>;

/** The names of a pool, for readers that do not open it. `root` is the data folder. */
export function poolNames(root: string, id: string = readFolderId(root)) {
  return {
    root,
    /** The random id of the data folder, which the checksums of its files include. */
    id,
    /** The path of a file that a manifest, a record or a journal names. */
    path: (file: string): string => poolPath(root, file),
    /** The seal of such a file, for its checksums. */
    sealOf: (file: string): Seal => sealOf(id, file),
  };
}

/** The files of all worlds and snapshots of a data folder, each in the folder of the world that wrote it. */
export type Pool = Readonly<ReturnType<typeof openPool>>;

/** Opens the pool in a data folder, and deletes the files that an earlier process discarded. */
export function openPool(root: string, isPersistent: boolean, maxFiles?: number) {
  const base = poolPath(root, "");
  const deletions = openDeletionQueue(join(root, ".trash"));
  const files = createOpenFiles(maxFiles);
  return {
    ...poolNames(root),
    /** False for an ephemeral folder, which is removed with the process. */
    isPersistent,
    files,
    /** The folder of an owner. */
    folder: (owner: number): string => join(base, String(owner)),
    /** Owners that have a folder. */
    owners: (): readonly number[] =>
      existsSync(base) ? readdirSync(base).map(Number).filter(Number.isSafeInteger) : [],
    /** The folder with the exported copies of a world's objects. */
    objectsFolder: (world: string): string => join(root, "worlds", world, "objects"),
    /** Owners whose folders may hold unused files. */
    suspects: new Set<number>(),
    /** Removes a file or folder: renamed away at once, deleted in the background. */
    discard(path: string): void {
      files.release(path);
      deletions.add(path);
    },
    /** Resolves when discarded files are deleted. */
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
