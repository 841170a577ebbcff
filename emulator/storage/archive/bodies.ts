import * as fs from "node:fs";
import type { StoredRecord, WorldState } from "../../kernel/commit.ts";
import { isBucketName, keyError } from "../../subjects/object-storage/names.ts";
import {
  objects,
  type StoredBody,
  type StoredObject,
  s3Parts,
} from "../../subjects/object-storage/records.ts";
import { bodyName, locateBody } from "../objects/body-location.ts";
import type { BodyOnDisk } from "../objects/opened-body.ts";
import type { Pool } from "../pool/pool.ts";
import { damaged } from "./manifest.ts";
import type { PackedEntry } from "./pack.ts";

const CHUNK_BYTES = 256 * 1024;

type Records = Readonly<Record<string, readonly StoredRecord[]>>;

/** All bodies, objects first. The number of a body is its position. */
export function bodiesOf(records: Records): BodyOnDisk[] {
  const items = [...(records[objects.name] ?? []), ...(records[s3Parts.name] ?? [])];
  return items.map(({ record }) => record as StoredBody).map(({ file, size, sum }) => ({ file, size, sum }));
}

/** Renames the bodies of imported records to files in the folder of an owner. */
export function renameBodies(records: WorldState["records"], owner: number): WorldState["records"] {
  let number = 0;
  const renamed = ({ key, record }: StoredRecord): StoredRecord => {
    const { size } = record as StoredBody;
    if (!Number.isSafeInteger(size) || size < 0) throw damaged("an object has an invalid size");
    number += 1;
    return { key, record: { ...(record as StoredBody), file: bodyName(owner, number) } };
  };
  for (const { record } of records[objects.name] ?? []) {
    const { bucket, key } = record as StoredObject;
    if (!isBucketName(bucket) || keyError(key)) throw damaged("an object has an invalid name");
  }
  const objectRecords = (records[objects.name] ?? []).map(renamed);
  const parts = (records[s3Parts.name] ?? []).map(renamed);
  return { ...records, [objects.name]: objectRecords, [s3Parts.name]: parts };
}

/** Bodies as entries, numbered in the order of their records. Each is read when it is written to the archive. */
export function* bodyEntries(
  prefix: string,
  pool: Pick<Pool, "path">,
  bodies: readonly BodyOnDisk[],
): Generator<PackedEntry> {
  for (const [number, { file, size }] of bodies.entries()) {
    const { path, start } = locateBody(pool, file);
    const range = { start, end: start + size - 1, highWaterMark: CHUNK_BYTES };
    yield {
      name: `${prefix}${number}`,
      size,
      content: () => (size === 0 ? [] : fs.createReadStream(path, range)),
    };
  }
}
