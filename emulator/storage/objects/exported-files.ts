import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { isDeviceName } from "../device-names.ts";
import { withFolder } from "../pool/open-files.ts";
import type { BodyLocation } from "./body-location.ts";

export interface ObjectPlace {
  readonly bucket: string;
  readonly key: string;
}

const HASHED = ".hashed";
const KEY_FILE = ".key";

const SAFE_FOLDER = /^[a-z0-9][a-z0-9=_-]{0,99}$/;
const SAFE_FILE = /^(?=.{1,200}$)[a-z0-9][a-z0-9=_-]*(\.+[a-z0-9=_-]+)*$/;
/** Files have a dot and folders have none, so no key needs a file where another key needs a folder. No key ends like this. */
const NO_DOT = ".~";
const MAX_SAFE_KEY_LENGTH = 400;

/** The folder of a bucket: its name, unless a system reserves that for a device. */
export function folderOf(bucket: string): string {
  return isDeviceName(bucket) ? `.bucket-${bucket}` : bucket;
}

/** The path of an exported object, relative to the folder and always inside it. */
export function nameOf({ bucket, key }: ObjectPlace): string {
  const folder = folderOf(bucket);
  if (isSafeKey(key)) return `${folder}/${key}${/\.[^/]*$/.test(key) ? "" : NO_DOT}`;
  return `${folder}/${HASHED}/${createHash("sha256").update(key).digest("hex")}`;
}

/** True for a name from which the key cannot be read. */
export function isHashed(name: string): boolean {
  return name.includes(`/${HASHED}/`);
}

/** The file next to a hashed name that contains the key. */
export function keyFileOf(path: string): string {
  return `${path}${KEY_FILE}`;
}

/** Short plain keys keep their names, so that people can find and open them on disk. */
function isSafeKey(key: string): boolean {
  if (key.length > MAX_SAFE_KEY_LENGTH) return false;
  const segments = key.split("/");
  const last = segments.pop() as string;
  if (!SAFE_FILE.test(last) || isDeviceName(last)) return false;
  return segments.every((segment) => SAFE_FOLDER.test(segment) && !isDeviceName(segment));
}

/** An object key never contains `~`, so this name cannot belong to another object. */
const TEMPORARY_SUFFIX = ".~new";

/** Exports a body under a name in the folder; replaces the file that was there. */
export function exportFile(folder: string, name: string, key: string, body: BodyLocation): void {
  const target = join(folder, name);
  tolerating(() => {
    withFolder(target, () => linkOrCopy(body, target));
    if (isHashed(name)) fs.writeFileSync(keyFileOf(target), key, { mode: 0o600 });
  });
}

/** Removes an exported file, and the folders that it leaves empty up to that of the bucket. */
export function removeFile(folder: string, name: string): void {
  tolerating(() => {
    fs.unlinkSync(join(folder, name));
    if (isHashed(name)) fs.rmSync(keyFileOf(join(folder, name)), { force: true });
    for (let parent = dirname(name); parent.includes("/"); parent = dirname(parent))
      fs.rmdirSync(join(folder, parent));
  });
}

/** Errors of file systems that allow only one name, or few, for a file. */
const LINK_ERRORS = new Set(["EPERM", "EXDEV", "ENOTSUP", "EMLINK", "ENOSYS"]);

function linkOrCopy(body: BodyLocation, target: string): void {
  if (body.length === undefined && tryToLink(body.path, target)) return;
  // A copy gets its name when it is complete: a killed process leaves no partial file under the name of an object.
  const temporary = target + TEMPORARY_SUFFIX;
  if (body.length === undefined) fs.copyFileSync(body.path, temporary, fs.constants.COPYFILE_FICLONE);
  else if (!copyChunk(body.path, body.start, body.length, temporary)) return;
  fs.renameSync(temporary, target);
}

/** False where the file system cannot link. */
function tryToLink(path: string, target: string): boolean {
  try {
    fs.linkSync(path, target);
    return true;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (LINK_ERRORS.has(code)) return false;
    if (code !== "EEXIST") throw error;
    fs.unlinkSync(target);
    return tryToLink(path, target);
  }
}

/** False for a damaged file; the damage is reported to the client that reads the object. */
function copyChunk(path: string, start: number, length: number, target: string): boolean {
  const bytes = Buffer.allocUnsafe(length);
  const file = fs.openSync(path, "r");
  try {
    if (fs.readSync(file, bytes, 0, length, start) < length) return false;
  } finally {
    fs.closeSync(file);
  }
  fs.writeFileSync(target, bytes, { mode: 0o600 });
  return true;
}

/** Ignores errors of the file system: the exported copy fails no request. */
export function tolerating(act: () => void): void {
  try {
    act();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  }
}
