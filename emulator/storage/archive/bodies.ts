import * as fs from "node:fs";
import { dirname, join } from "node:path";
import type { WorldState } from "../../kernel/commit.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { isBucketName, keyError } from "../../subjects/object-storage/names.ts";
import {
  objects,
  type StoredObject,
  s3Parts,
  type UploadedPart,
} from "../../subjects/object-storage/records.ts";
import { type BodyOwner, isHashed, keyFileOf, nameOf } from "../objects/body-name.ts";
import { damaged } from "./manifest.ts";
import type { PackedEntry } from "./pack.ts";

const PIECE_BYTES = 256 * 1024;
const STAGE_NAME = /^\d{1,9}-\d{1,15}$/;
const UPLOAD_ID = /^[\w-]{1,200}$/;

/** A body that a record knows; which one it is follows from the order of the records. */
export interface Body {
  /** Below the folder of objects. */
  readonly file: string;
  readonly size: number;
  readonly stage: string;
  /** What is written beside a body whose name does not say its key. */
  readonly key: string | undefined;
}

/** All bodies, objects first. */
export function bodiesOf(records: WorldState["records"]): Body[] {
  const those = <T>(name: string) => (records[name] ?? []).map(({ record }) => record as T);
  const ofObjects = those<StoredObject>(objects.name).map(({ file, size, stage, key }) => ({
    file,
    size,
    stage,
    key,
  }));
  const ofParts = those<UploadedPart>(s3Parts.name).map(({ file, size, stage }) => ({
    file,
    size,
    stage,
    key: undefined,
  }));
  return [...ofObjects, ...ofParts];
}

/** Refuses records that came from elsewhere and name a file that no body of theirs can have. */
export function checkBodies(records: WorldState["records"]): void {
  const check = (place: BodyOwner, { file, size, stage }: Pick<StoredObject, "file" | "size" | "stage">) => {
    const isName = STAGE_NAME.test(stage) && file === nameOf(place, { name: stage });
    if (!isName || !Number.isSafeInteger(size) || size < 0) throw damaged("an object of it has an odd file");
  };
  for (const { record } of records[objects.name] ?? []) {
    const object = record as StoredObject;
    if (!isBucketName(object.bucket) || keyError(object.key))
      throw damaged("an object of it has an odd name");
    check(object, object);
  }
  for (const { record } of records[s3Parts.name] ?? []) {
    const part = record as UploadedPart;
    const isPart = UPLOAD_ID.test(part.upload_id) && Number.isSafeInteger(part.part_number);
    if (!isPart) throw damaged("an upload of it has an odd part");
    check({ uploadId: part.upload_id, partNumber: part.part_number }, part);
  }
}

/** Refuses before anything is sent when a body is not there that a record knows. */
export function checkPresence(folders: readonly string[], bodies: readonly Body[]): void {
  for (const { file, size } of bodies) {
    const found = folders.map((folder) => fs.statSync(join(folder, file), { throwIfNoEntry: false }));
    const body = found.find((each) => each !== undefined);
    if (body?.size !== size)
      throw new Refusal(
        409,
        "body_lost",
        `The body of the object ${file} is not in the data folder as its record says.`,
        "Delete the object or put it again, save the snapshot anew, then export that.",
      );
  }
}

/** Bodies as entries, numbered in the order of their records; each is read when its turn has come. */
export function* bodyEntries(
  prefix: string,
  folders: readonly string[],
  bodies: readonly Body[],
): Generator<PackedEntry> {
  for (const [number, { file, size }] of bodies.entries())
    yield { name: `${prefix}${number}`, size, content: () => readBody(folders, file, size) };
}

/** Opened in the same go in which it is found: what a world writes later must not show through. */
function readBody(
  folders: readonly string[],
  file: string,
  size: number,
): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  if (size === 0) return [];
  for (const folder of folders) {
    const path = join(folder, file);
    if (!fs.existsSync(path)) continue;
    const fd = fs.openSync(path, "r");
    return fs.createReadStream("", { fd, start: 0, end: size - 1, highWaterMark: PIECE_BYTES });
  }
  throw new Error(`${file} has gone while it was exported`);
}

/** Makes the folders that a body needs, and says where it belongs. */
export function bodyPath(folder: string, { file, key }: Body): string {
  const path = join(folder, file);
  fs.mkdirSync(dirname(path), { recursive: true });
  if (key !== undefined && isHashed(file)) fs.writeFileSync(keyFileOf(path), key);
  return path;
}

/** The highest process number in the names of bodies: a later one makes no name twice. */
export function lastBoot(bodies: readonly Body[]): number {
  return bodies.reduce((boot, { stage }) => Math.max(boot, Number.parseInt(stage, 10) || 0), 0);
}
