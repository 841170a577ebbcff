import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { folderOf, isHashed, keyFileOf, nameOf, type ObjectPlace } from "./body-name.ts";

/**
 * The objects of a world under their keys, for people: links to bodies. The emulator never reads them, so that what
 * fails here fails no request. To make a file and its folders takes longer than all else that a small object takes: a few changes
 * are shown at once, and those of a busy world when nothing has changed for a moment.
 */
export interface ObjectsView {
  /** Shows a body in the place of the one that the object had. */
  show(place: ObjectPlace, path: string): void;
  hide(place: ObjectPlace): void;
  hideBucket(bucket: string): void;
  /** Shows these objects and no others. */
  reconcile(shown: Iterable<ShownObject>): void;
  /** Does now what was to follow; answers the folder. */
  catchUp(): string;
  /** Leaves the folder as it is. */
  stop(): void;
}

/** An object, and the file that has its body. */
export interface ShownObject {
  readonly place: ObjectPlace;
  readonly path: string;
}

const QUIET_MS = 100;
/** So many changes since it was quiet do not wait. */
const SOON_MAX = 64;
/** So many that wait are made in one go, and then others have their turn. */
const AT_ONCE = 8;
const PAUSE_MS = 5;
/** Beyond so many that wait, each one that comes makes room. */
const WAITING_MAX = 100_000;

/** `discard` takes a folder away. */
export function createObjectsView(folder: string, discard: (path: string) => void): ObjectsView {
  /** By name; without a path nothing is to be there. */
  const waiting = new Map<string, { readonly place: ObjectPlace; readonly path: string | undefined }>();
  let soon = SOON_MAX;
  let isQuiet = false;
  let timer: NodeJS.Timeout | undefined;

  function carryOut(count: number): void {
    let left = count;
    for (const [name, { place, path }] of waiting) {
      if (left-- === 0) return;
      waiting.delete(name);
      if (path === undefined) hideFile(name);
      else showFile(name, place, path);
    }
  }

  function showFile(name: string, { key }: ObjectPlace, path: string): void {
    const target = join(folder, name);
    tolerating(() => {
      replace(path, target);
      if (isHashed(name)) fs.writeFileSync(keyFileOf(target), key, { mode: 0o600 });
    });
  }

  function hideFile(name: string): void {
    tolerating(() => {
      fs.rmSync(join(folder, name), { force: true });
      if (isHashed(name)) fs.rmSync(keyFileOf(join(folder, name)), { force: true });
      prune(folder, name);
    });
  }

  function goOn(): void {
    const isDone = isQuiet && waiting.size === 0;
    if (isQuiet) carryOut(AT_ONCE);
    timer = isDone ? undefined : setTimeout(goOn, isQuiet ? PAUSE_MS : QUIET_MS).unref();
    if (isDone) soon = SOON_MAX;
    isQuiet = true;
  }

  function add(place: ObjectPlace, path: string | undefined): void {
    const name = nameOf(place);
    // The last change comes last.
    waiting.delete(name);
    waiting.set(name, { place, path });
    if (soon > 0) {
      soon -= 1;
      carryOut(1);
    } else if (waiting.size > WAITING_MAX) carryOut(AT_ONCE);
    isQuiet = false;
    timer ??= setTimeout(goOn, QUIET_MS).unref();
  }

  function forget(): void {
    clearTimeout(timer);
    timer = undefined;
    soon = SOON_MAX;
    waiting.clear();
  }

  return {
    show: add,
    hide: (place) => add(place, undefined),
    hideBucket(bucket) {
      for (const [name, { place }] of waiting) if (place.bucket === bucket) waiting.delete(name);
      tolerating(() => discard(join(folder, folderOf(bucket))));
    },
    reconcile(shown) {
      forget();
      // Which of them are right is not known after a crash, and a link costs less than finding out.
      tolerating(() => discard(folder));
      for (const { place, path } of shown) add(place, path);
    },
    catchUp() {
      carryOut(waiting.size);
      return folder;
    },
    stop: forget,
  };
}

/** The first link of a folder makes it; the second one of an object takes the place of the first. */
function replace(path: string, target: string): void {
  try {
    linkOrCopy(path, target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") fs.unlinkSync(target);
    else if (code === "ENOENT") fs.mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    else throw error;
    linkOrCopy(path, target);
  }
}

/** Some file systems give a file one name only, or few. */
const NO_LINKS = new Set(["EPERM", "EXDEV", "ENOTSUP", "EMLINK", "ENOSYS"]);

function linkOrCopy(path: string, target: string): void {
  try {
    fs.linkSync(path, target);
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    fs.copyFileSync(path, target, fs.constants.COPYFILE_FICLONE);
  }
}

function tolerating(act: () => void): void {
  try {
    act();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  }
}

/** Empty folders go with the last file in them, up to the bucket's own. */
function prune(folder: string, name: string): void {
  for (let parent = dirname(name); parent.includes("/"); parent = dirname(parent)) {
    try {
      fs.rmdirSync(join(folder, parent));
    } catch {
      return;
    }
  }
}
