import { createHash } from "node:crypto";
import { isDeviceName } from "../device-names.ts";

/** An object, by what it is asked for. */
export interface ObjectPlace {
  readonly bucket: string;
  readonly key: string;
}

const HASHED = ".hashed";
const KEY_FILE = ".key";

const SAFE_FOLDER = /^[a-z0-9][a-z0-9=_-]{0,99}$/;
const SAFE_FILE = /^(?=.{1,200}$)[a-z0-9][a-z0-9=_-]*(\.+[a-z0-9=_-]+)*$/;
/** A file has a dot and a folder has none: no key can need a file where another needs a folder. No key has this ending. */
const NO_DOT = ".~";
const MAX_SAFE_KEY = 400;

/** A bucket's folder, under its own name unless some system keeps that for a device. */
export function folderOf(bucket: string): string {
  return isDeviceName(bucket) ? `.bucket-${bucket}` : bucket;
}

/** Where people find an object: relative to the folder, and inside it, whatever the key. */
export function nameOf({ bucket, key }: ObjectPlace): string {
  const folder = folderOf(bucket);
  if (isSafeKey(key)) return `${folder}/${key}${/\.[^/]*$/.test(key) ? "" : NO_DOT}`;
  return `${folder}/${HASHED}/${createHash("sha256").update(key).digest("hex")}`;
}

/** True for a name that does not say the key. */
export function isHashed(name: string): boolean {
  return name.includes(`/${HASHED}/`);
}

/** A hashed name has its key beside it. */
export function keyFileOf(path: string): string {
  return `${path}${KEY_FILE}`;
}

/** Short plain keys keep their names, so that a person can find and open them on disk. */
function isSafeKey(key: string): boolean {
  if (key.length > MAX_SAFE_KEY) return false;
  const segments = key.split("/");
  const last = segments.pop() as string;
  if (!SAFE_FILE.test(last) || isDeviceName(last)) return false;
  return segments.every((segment) => SAFE_FOLDER.test(segment) && !isDeviceName(segment));
}
