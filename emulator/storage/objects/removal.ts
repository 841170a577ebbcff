import * as fs from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate as nextRound } from "node:timers/promises";
import { folderOf, isHashed, keyFileOf } from "./body-name.ts";
import { bodiesAmong, type CopyOnWrite } from "./copy-on-write.ts";
import { STAGES, UPLOADS } from "./stage.ts";

/** How bodies leave a folder, once its heirs have what they need of them. */
export interface Removal {
  remove(file: string): void;
  removeUpload(uploadId: string): void;
  removeBucket(name: string): Promise<void>;
  /** A body has got this name: a bucket that is being removed no longer has it. */
  cancelRemoval(file: string): void;
}

/** What the removal of bodies has to know of their folder. */
export interface RemovalParts {
  readonly folder: string;
  readonly copyOnWrite: CopyOnWrite;
  /** Hands out names under which nothing lies yet. */
  readonly nextName: () => string;
  /** True when the folder is somebody else's by now. */
  readonly isOver: () => boolean;
}

/** So many bodies are removed in one go; other requests are answered in between. */
const AT_ONCE = 16;
/** Ends the name of a note that says, among the stages, which bucket's bodies are being removed one by one. */
const REMOVING = "-removing";

/** Heirs are given a body before it goes; buckets go in the background, a few bodies at a time. */
export function createRemoval({ folder, copyOnWrite, nextName, isOver }: RemovalParts): Removal {
  /** For each bucket that is being removed, the names that bodies have got since. */
  const spared = new Set<Set<string>>();

  function remove(file: string): void {
    copyOnWrite.beforeRemoval(file);
    dropBody(folder, file);
  }

  /** Several heirs cannot be given one folder: each is given each body, a few at a time. */
  async function removeEach(under: string, younger: ReadonlySet<string>): Promise<void> {
    const options = { recursive: true, withFileTypes: true } as const;
    const entries = await readdir(join(folder, under), options).catch(() => []);
    let count = 0;
    for (const file of bodiesAmong(folder, entries)) {
      if (isOver()) return;
      if (!younger.has(file)) remove(file);
      count += 1;
      if (count % AT_ONCE === 0) await nextRound();
    }
  }

  /** Moved aside at once, so that a bucket made anew under the name keeps its files. */
  async function drop(under: string): Promise<void> {
    const aside = join(folder, STAGES, `${nextName()}-removed`);
    try {
      fs.renameSync(join(folder, under), aside);
    } catch {
      return;
    }
    await rm(aside, { recursive: true, force: true });
  }

  return {
    remove,
    removeUpload(uploadId) {
      const under = `${UPLOADS}/${uploadId}`;
      copyOnWrite.beforeRemovalBelow(under);
      fs.rmSync(join(folder, under), { recursive: true, force: true });
    },
    async removeBucket(name) {
      const under = folderOf(name);
      if (copyOnWrite.moveToOnlyFork(under)) return drop(under);
      const note = join(folder, STAGES, nextName() + REMOVING);
      // The bucket may be there anew when this process ends on the way: nothing else would tell what is to go.
      fs.writeFileSync(note, under);
      const younger = new Set<string>();
      spared.add(younger);
      try {
        await removeEach(under, younger);
        if (isOver()) return;
        fs.rmSync(note, { force: true });
        if (younger.size === 0) await drop(under);
      } finally {
        spared.delete(younger);
      }
    },
    cancelRemoval(file) {
      for (const younger of spared) younger.add(file);
    },
  };
}

/** Ends the removals that a process has begun, but for the bodies that are known: those came afterwards. */
export function endRemovals(folder: string, known: ReadonlySet<string>, copyOnWrite: CopyOnWrite): void {
  for (const name of fs.readdirSync(join(folder, STAGES)).filter((each) => each.endsWith(REMOVING))) {
    const note = join(folder, STAGES, name);
    const under = join(folder, fs.readFileSync(note, "utf8"));
    const options = { recursive: true, withFileTypes: true } as const;
    for (const file of bodiesAmong(folder, fs.existsSync(under) ? fs.readdirSync(under, options) : [])) {
      if (known.has(file)) continue;
      copyOnWrite.beforeRemoval(file);
      dropBody(folder, file);
    }
    fs.rmSync(note);
  }
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
