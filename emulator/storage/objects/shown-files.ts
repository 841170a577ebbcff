import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { isHashed, keyFileOf } from "./body-name.ts";
import type { BodyPlace } from "./body-place.ts";

/** Has a body under a name in the folder, in the place of what was there. */
export function showFile(folder: string, name: string, key: string, body: BodyPlace): void {
  const target = join(folder, name);
  tolerating(() => {
    replace(body, target);
    if (isHashed(name)) fs.writeFileSync(keyFileOf(target), key, { mode: 0o600 });
  });
}

export function hideFile(folder: string, name: string): void {
  tolerating(() => {
    fs.rmSync(join(folder, name), { force: true });
    if (isHashed(name)) fs.rmSync(keyFileOf(join(folder, name)), { force: true });
    prune(folder, name);
  });
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

/** What fails in the folder fails no request. */
export function tolerating(act: () => void): void {
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
