import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { folderOf, isHashed, keyFileOf, nameOf, type ObjectPlace } from "./body-name.ts";
import type { BodyPlace } from "./body-place.ts";

/**
 * The objects of a world under their keys, for people: links to bodies, or copies of small ones. The emulator never reads them, so that what
 * fails here fails no request. To make a file and its folders takes longer than all else that a small object takes: a few changes
 * are shown at once, and those of a busy world when nothing has changed for a moment.
 */
export interface ObjectsView {
  /** Shows a body in the place of the one that the object had. */
  show(place: ObjectPlace, body: BodyPlace): void;
  hide(place: ObjectPlace): void;
  hideBucket(bucket: string): void;
  /** Shows these objects and no others. */
  reconcile(shown: Iterable<ShownObject>): void;
  /** Does now what was to follow; answers the folder. */
  catchUp(): string;
  /** Leaves the folder as it is. */
  stop(): void;
}

/** An object, and where its body lies. */
export interface ShownObject {
  readonly place: ObjectPlace;
  readonly body: BodyPlace;
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
  /** By name; without a body nothing is to be there. */
  const waiting = new Map<string, ObjectPlace & { readonly body: BodyPlace | undefined }>();
  let soon = SOON_MAX;
  let isQuiet = false;
  let timer: NodeJS.Timeout | undefined;

  function carryOut(count: number): void {
    let left = count;
    for (const [name, { key, body }] of waiting) {
      if (left-- === 0) return;
      waiting.delete(name);
      if (body) showFile(name, key, body);
      else hideFile(name);
    }
  }

  function showFile(name: string, key: string, body: BodyPlace): void {
    const target = join(folder, name);
    tolerating(() => {
      replace(body, target);
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

  function add(place: ObjectPlace, body: BodyPlace | undefined): void {
    const name = nameOf(place);
    const { bucket, key } = place;
    // The last change comes last. The place as it came may be that of a request, all of which would wait with it.
    waiting.delete(name);
    waiting.set(name, { bucket, key, body });
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
      for (const [name, waits] of waiting) if (waits.bucket === bucket) waiting.delete(name);
      tolerating(() => discard(join(folder, folderOf(bucket))));
    },
    reconcile(shown) {
      forget();
      // Which of them are right is not known after a crash, and a link costs less than finding out.
      tolerating(() => discard(folder));
      for (const { place, body } of shown) add(place, body);
    },
    catchUp() {
      carryOut(waiting.size);
      return folder;
    },
    stop: forget,
  };
}

/** The first link of a folder makes it; the second one of an object takes the place of the first. */
function replace(body: BodyPlace, target: string): void {
  try {
    linkOrCopy(body, target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") fs.unlinkSync(target);
    else if (code === "ENOENT") fs.mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    else throw error;
    linkOrCopy(body, target);
  }
}

/** Some file systems give a file one name only, or few. */
const NO_LINKS = new Set(["EPERM", "EXDEV", "ENOTSUP", "EMLINK", "ENOSYS"]);

function linkOrCopy({ path, start, length }: BodyPlace, target: string): void {
  if (length !== undefined) return copyStretch(path, start, length, target);
  try {
    fs.linkSync(path, target);
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    fs.copyFileSync(path, target, fs.constants.COPYFILE_FICLONE);
  }
}

function copyStretch(path: string, start: number, length: number, target: string): void {
  const file = fs.openSync(path, "r");
  try {
    const bytes = Buffer.allocUnsafe(length);
    // What is damaged is named where it is asked for.
    if (fs.readSync(file, bytes, 0, length, start) < length) return;
    fs.writeFileSync(target, bytes, { mode: 0o600, flag: "wx" });
  } finally {
    fs.closeSync(file);
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
