import * as fs from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { folderOf, isHashed, keyFileOf } from "./body-name.ts";
import type { Inheritance } from "./inheritance.ts";
import { STAGES, UPLOADS } from "./stage.ts";

/** How bodies leave a folder, once its heirs have what they need of them. */
export interface Removal {
  remove(file: string): void;
  removeUpload(uploadId: string): void;
  removeBucket(name: string): Promise<void>;
}

/** `nextName` hands out names under which nothing lies yet. */
export function createRemoval(folder: string, inheritance: Inheritance, nextName: () => string): Removal {
  return {
    remove(file) {
      inheritance.beforeRemoval(file);
      dropBody(folder, file);
    },
    removeUpload(uploadId) {
      const under = `${UPLOADS}/${uploadId}`;
      inheritance.beforeRemovalBelow(under);
      fs.rmSync(join(folder, under), { recursive: true, force: true });
    },
    async removeBucket(name) {
      inheritance.beforeRemovalBelow(folderOf(name));
      // Moved aside at once, so that a bucket made anew under the name keeps its files.
      const aside = join(folder, STAGES, `${nextName()}-removed`);
      try {
        fs.renameSync(join(folder, folderOf(name)), aside);
      } catch {
        return;
      }
      await rm(aside, { recursive: true, force: true });
    },
  };
}

/** Removes a body with the file of its key, and the folders that are empty without it. */
export function dropBody(folder: string, file: string): void {
  fs.rmSync(join(folder, file), { force: true });
  if (isHashed(file)) fs.rmSync(keyFileOf(join(folder, file)), { force: true });
  prune(folder, file);
}

/** Empty folders go with the last file in them, up to the bucket's own. */
function prune(folder: string, file: string): void {
  for (let parent = dirname(file); parent.includes("/"); parent = dirname(parent)) {
    try {
      fs.rmdirSync(join(folder, parent));
    } catch {
      return;
    }
  }
}
