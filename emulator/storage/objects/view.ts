import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { folderOf, isHashed, keyFileOf, nameOf, type ObjectPlace } from "./body-name.ts";

/**
 * The objects of a world under their keys, for people: links to bodies. The emulator never reads them, so that what
 * fails here fails no request.
 */
export interface ObjectsView {
  /** Shows a body in the place of the one that the object had. */
  show(place: ObjectPlace, path: string): void;
  hide(place: ObjectPlace): void;
  hideBucket(bucket: string): void;
  /** Shows these objects and no others. */
  reconcile(shown: ReadonlyMap<string, { readonly place: ObjectPlace; readonly path: string }>): void;
}

/** `discard` takes a folder away. */
export function createObjectsView(folder: string, discard: (path: string) => void): ObjectsView {
  function show(place: ObjectPlace, path: string): void {
    const name = nameOf(place);
    const target = join(folder, name);
    tolerating(() => {
      replace(path, target);
      if (isHashed(name)) fs.writeFileSync(keyFileOf(target), place.key, { mode: 0o600 });
    });
  }

  function hideFile(name: string): void {
    tolerating(() => {
      fs.rmSync(join(folder, name), { force: true });
      if (isHashed(name)) fs.rmSync(keyFileOf(join(folder, name)), { force: true });
      prune(folder, name);
    });
  }

  return {
    show,
    hide: (place) => hideFile(nameOf(place)),
    hideBucket: (bucket) => tolerating(() => discard(join(folder, folderOf(bucket)))),
    reconcile(shown) {
      // Which of them are right is not known after a crash, and a link costs less than finding out.
      tolerating(() => discard(folder));
      for (const { place, path } of shown.values()) show(place, path);
    },
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
