import { createHash } from "node:crypto";
import { isDeviceName } from "../device-names.ts";
import type { Stage } from "./stage.ts";
import { UPLOADS } from "./stage.ts";

/** What a body is of: an object, or a part of an upload. */
export type BodyOwner =
  | { readonly bucket: string; readonly key: string }
  | { readonly uploadId: string; readonly partNumber: number };

const HASHED = ".hashed";
const KEY_FILE = ".key";

const SAFE_FOLDER = /^[a-z0-9][a-z0-9=_-]{0,99}$/;
/** A last segment has a dot and a folder has none: no key can need a file where another needs a folder. */
const SAFE_FILE = /^(?=.{1,200}$)[a-z0-9][a-z0-9=_-]*(\.+[a-z0-9=_-]+)+$/;
const MAX_SAFE_KEY = 400;

/** A bucket's folder, under its own name unless some system keeps that for a device. */
export function folderOf(bucket: string): string {
  return isDeviceName(bucket) ? `.bucket-${bucket}` : bucket;
}

/** Relative to the folder, and inside it, whatever the key; no two uploads of a part share a name. */
export function nameOf(owner: BodyOwner, stage: Pick<Stage, "name">): string {
  if ("uploadId" in owner) return `${UPLOADS}/${owner.uploadId}/${owner.partNumber}-${stage.name}`;
  const folder = folderOf(owner.bucket);
  if (isSafeKey(owner.key)) return `${folder}/${owner.key}`;
  return `${folder}/${HASHED}/${createHash("sha256").update(owner.key).digest("hex")}`;
}

/** True for a name that does not say the key. */
export function isHashed(file: string): boolean {
  return file.includes(`/${HASHED}/`);
}

/** A hashed name has its key beside it. */
export function keyFileOf(path: string): string {
  return `${path}${KEY_FILE}`;
}

/** True for what lies beside a body, and is none. */
export function isKeyFile(file: string): boolean {
  return isHashed(file) && file.endsWith(KEY_FILE);
}

/** Short plain keys keep their names, so that a person can find and open them on disk. */
function isSafeKey(key: string): boolean {
  if (key.length > MAX_SAFE_KEY) return false;
  const segments = key.split("/");
  const last = segments.pop() as string;
  if (!SAFE_FILE.test(last) || isDeviceName(last)) return false;
  return segments.every((segment) => SAFE_FOLDER.test(segment) && !isDeviceName(segment));
}
