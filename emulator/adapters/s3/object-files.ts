import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isTrouble, type S3Trouble, trouble } from "../../domain/object-storage/errors.ts";
import type { BodyFile } from "../../domain/object-storage/records.ts";
import type { Reader } from "../../domain/turn.ts";
import { openStage, STAGES, type Stage, UPLOADS } from "./stage.ts";
import { sweepFiles } from "./sweep.ts";

/** The bodies of a world's objects, as files under one folder. */
export interface ObjectFiles {
  /** Takes the next temporary name at once, so that names follow the order of calls. */
  stage(): Stage;
  /**
   * Runs the commit and, right behind it, gives the body its name. A process that ends in between leaves a
   * record that knows the temporary name, and `recover` does the rest.
   */
  publish<R>(stage: Stage, place: Place, commit: (body: BodyFile) => S3Trouble | R): S3Trouble | R;
  /** Opens a body now, so that what is written later cannot show through. */
  open(file: string): OpenedBody | undefined;
  close(body: OpenedBody): void;
  remove(file: string): void;
  removeUpload(uploadId: string): void;
  removeBucket(name: string): Promise<void>;
  /** Finishes what a crash interrupted and clears away what no record knows. */
  recover(reader: Reader): void;
  /** Forgets everything; bodies on their way in are refused when they arrive. */
  clear(): void;
}

/** What a body is of: an object, or a part of an upload. */
export type Place =
  | { readonly bucket: string; readonly key: string }
  | { readonly uploadId: string; readonly partNumber: number };

export interface OpenedBody {
  readonly fd: number;
  readonly size: number;
}

const HASHED = ".hashed";

const SAFE_FOLDER = /^[a-z0-9][a-z0-9=_-]{0,99}$/;
/** A last segment has a dot and a folder has none: no key can need a file where another needs a folder. */
const SAFE_FILE = /^(?=.{1,200}$)[a-z0-9][a-z0-9=_-]*(\.+[a-z0-9=_-]+)+$/;
/** Names that some systems keep for devices, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/;
const MAX_SAFE_KEY = 400;

/** Opens the folder; `recover` has to follow once the records are known. */
export function openObjectFiles(folder: string): ObjectFiles {
  const live = new Set<Stage>();
  let boot = 1;
  let lastStage = 0;
  fs.mkdirSync(join(folder, STAGES), { recursive: true });

  function pathOf(file: string): string {
    return join(folder, file);
  }

  function remove(file: string): void {
    fs.rmSync(pathOf(file), { force: true });
    if (isHashed(file)) fs.rmSync(keyFileOf(pathOf(file)), { force: true });
    prune(folder, file);
  }

  return {
    stage() {
      lastStage += 1;
      const name = `${boot}-${lastStage}`;
      const stage = openStage(pathOf(`${STAGES}/${name}`), name, () => live.delete(stage));
      live.add(stage);
      return stage;
    },
    publish(stage, place, commit) {
      if (!live.has(stage)) return trouble("OperationAborted", "The world was reset meanwhile.");
      const file = nameOf(place, stage);
      fs.mkdirSync(dirname(pathOf(file)), { recursive: true });
      if ("key" in place && isHashed(file)) fs.writeFileSync(keyFileOf(pathOf(file)), place.key);
      const value = commit({ file, stage: stage.name });
      if (isTrouble(value)) {
        stage.discard();
        if (!fs.existsSync(pathOf(file))) remove(file);
        return value;
      }
      stage.settle();
      fs.renameSync(stage.path, pathOf(file));
      return value;
    },
    open(file) {
      try {
        const fd = fs.openSync(pathOf(file), "r");
        return { fd, size: fs.fstatSync(fd).size };
      } catch {
        return undefined;
      }
    },
    close({ fd }) {
      fs.closeSync(fd);
    },
    remove,
    removeUpload(uploadId) {
      fs.rmSync(pathOf(`${UPLOADS}/${uploadId}`), { recursive: true, force: true });
    },
    async removeBucket(name) {
      // Moved aside at once, so that a bucket made anew under the name keeps its files.
      lastStage += 1;
      const aside = pathOf(`${STAGES}/${boot}-${lastStage}-removed`);
      try {
        fs.renameSync(pathOf(folderOf(name)), aside);
      } catch {
        return;
      }
      await rm(aside, { recursive: true, force: true });
    },
    recover(reader) {
      boot = sweepFiles(folder, reader, folderOf) + 1;
      lastStage = 0;
    },
    clear() {
      for (const stage of [...live]) stage.discard();
      for (const name of fs.readdirSync(folder)) fs.rmSync(pathOf(name), { recursive: true, force: true });
      fs.mkdirSync(join(folder, STAGES), { recursive: true });
      boot = 1;
      lastStage = 0;
    },
  };
}

/** A bucket's folder, under its own name unless some system keeps that for a device. */
function folderOf(bucket: string): string {
  return DEVICE.test(bucket) ? `.bucket-${bucket}` : bucket;
}

/** Relative to the folder, and inside it, whatever the key; no two uploads of a part share a name. */
function nameOf(place: Place, stage: Stage): string {
  if ("uploadId" in place) return `${UPLOADS}/${place.uploadId}/${place.partNumber}-${stage.name}`;
  const folder = folderOf(place.bucket);
  if (isSafeKey(place.key)) return `${folder}/${place.key}`;
  return `${folder}/${HASHED}/${createHash("sha256").update(place.key).digest("hex")}`;
}

function isHashed(file: string): boolean {
  return file.includes(`/${HASHED}/`);
}

/** A hashed name has its key beside it. */
function keyFileOf(path: string): string {
  return `${path}.key`;
}

/** Short plain keys keep their names, so that a person can find and open them on disk. */
function isSafeKey(key: string): boolean {
  if (key.length > MAX_SAFE_KEY) return false;
  const segments = key.split("/");
  const last = segments.pop() as string;
  if (!SAFE_FILE.test(last) || DEVICE.test(last)) return false;
  return segments.every((segment) => SAFE_FOLDER.test(segment) && !DEVICE.test(segment));
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
