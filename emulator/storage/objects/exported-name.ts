import { createHash } from "node:crypto";
import { isDeviceName } from "../device-names.ts";

/** The bucket and key of an object. */
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
