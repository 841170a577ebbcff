import * as fs from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { isHashed, isKeyFile, keyFileOf } from "./body-name.ts";
import { STAGES } from "./stage.ts";

/** The folders around one: it reads through its bases, and its heirs read through it. */
export interface ForkedFolderOptions {
  readonly folder: string;
  /** Nearest first. Nothing in them is ever changed from here. */
  readonly bases: () => readonly string[];
  /** Only those straight below: what lies further down reads through these. */
  readonly forks: () => readonly string[];
}

/**
 * Sees to it that what a fork sees under a name stays as it was at the fork: before that changes in this
 * folder, each heir that has nothing under the name yet is given the old body. An heir that gets more than its
 * records know has no harm from it, and one that has removed the name neither.
 */
export interface CopyOnWrite {
  /** Before a body gets that name in the folder. */
  beforePut(file: string): void;
  /** Before the folder loses the body of that name. */
  beforeRemoval(file: string): void;
  /** The same for all that lies below; it may be gone from the folder afterwards. */
  beforeRemovalBelow(under: string): void;
  /** The same in one step, which may not be had: false says that each body has to be seen to. */
  moveToOnlyFork(under: string): boolean;
  /** A fork was made: it needs all that stands now. */
  renew(): void;
}

/** Works without a file touched for as long as there are no heirs. */
export function createCopyOnWrite({ folder, bases, forks }: ForkedFolderOptions): CopyOnWrite {
  // Names whose bodies no heir can want, because they are younger than the last fork. Without them every
  // passing object of a busy world would end up in its forks.
  const newSinceFork = new Set<string>();

  function find(file: string): string | undefined {
    return [folder, ...bases()].map((place) => join(place, file)).find((path) => fs.existsSync(path));
  }

  function copyToForks(file: string, from: string): void {
    for (const fork of forks()) shareBody(fork, file, from);
  }

  function beforeRemoval(file: string): void {
    const own = join(folder, file);
    // What shows from a base afterwards is what no record of this world or of a later fork speaks of.
    if (!newSinceFork.delete(file) && forks().length > 0 && fs.existsSync(own)) copyToForks(file, own);
  }

  function moveToOnlyFork(under: string): boolean {
    const [fork, another] = forks();
    if (fork === undefined) return true;
    const isOld = ![...newSinceFork].some((file) => file.startsWith(`${under}/`));
    return isOld && another === undefined && move(folder, fork, under);
  }

  return {
    beforePut(file) {
      if (forks().length === 0 || newSinceFork.has(file)) return;
      const seen = find(file);
      if (seen !== undefined) copyToForks(file, seen);
      newSinceFork.add(file);
    },
    beforeRemoval,
    beforeRemovalBelow(under) {
      if (moveToOnlyFork(under)) return;
      const path = join(folder, under);
      if (!fs.statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
      const entries = fs.readdirSync(path, { recursive: true, withFileTypes: true });
      for (const file of bodiesAmong(folder, entries)) beforeRemoval(file);
    },
    moveToOnlyFork,
    renew: () => newSinceFork.clear(),
  };
}

/** The names of bodies, as records know them, among what lies somewhere below the folder. */
export function* bodiesAmong(folder: string, entries: readonly fs.Dirent[]): Generator<string> {
  for (const entry of entries) {
    const file = relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/");
    if (entry.isFile() && !isKeyFile(file)) yield file;
  }
}

/** A whole folder in one step, where nothing is in its way: a large bucket would hold everybody up otherwise. */
function move(folder: string, fork: string, under: string): boolean {
  const to = join(fork, under);
  try {
    fs.mkdirSync(dirname(to), { recursive: true });
    fs.renameSync(join(folder, under), to);
    return true;
  } catch {
    return false;
  }
}

/** A body never changes once it has its name, so both folders can share it. */
export function shareBody(fork: string, file: string, from: string): void {
  const to = join(fork, file);
  try {
    link(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    copy(from, to, join(fork, STAGES));
  }
  // Its own copy, since a key's file is written anew with each body of the key.
  if (isHashed(file) && fs.existsSync(keyFileOf(from))) fs.copyFileSync(keyFileOf(from), keyFileOf(to));
}

function link(from: string, to: string): void {
  try {
    fs.linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    fs.mkdirSync(dirname(to), { recursive: true });
    fs.linkSync(from, to);
  }
}

/** Where links are not to be had; under a temporary name first, so that half a body is never taken for one. */
function copy(from: string, to: string, stages: string): void {
  if (fs.existsSync(to)) return;
  const half = join(stages, "inherited");
  fs.mkdirSync(stages, { recursive: true });
  fs.mkdirSync(dirname(to), { recursive: true });
  fs.copyFileSync(from, half, fs.constants.COPYFILE_FICLONE);
  fs.renameSync(half, to);
}
