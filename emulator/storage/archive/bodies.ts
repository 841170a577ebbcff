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
import { createBodyOpener } from "../objects/opened-body.ts";
import type { Pool } from "../pool/pool.ts";
import { damaged } from "./manifest.ts";
import type { PackedEntry } from "./pack.ts";

const PIECE_BYTES = 256 * 1024;

/** A body that a record names; which one it is follows from the order of the records. */
export type Body = Pick<StoredBody, "file" | "size" | "sum">;

type Records = Readonly<Record<string, readonly StoredRecord[]>>;

/** All bodies, objects first. */
export function bodiesOf(records: Records): Body[] {
  const those = [...(records[objects.name] ?? []), ...(records[s3Parts.name] ?? [])];
  return those.map(({ record }) => record as StoredBody).map(({ file, size, sum }) => ({ file, size, sum }));
}

/** Renames the bodies of imported records to files in the folder of an owner. */
export function renameBodies(records: WorldState["records"], owner: number): WorldState["records"] {
  let number = 0;
  const renamed = ({ key, record }: StoredRecord): StoredRecord => {
    const { size } = record as StoredBody;
    if (!Number.isSafeInteger(size) || size < 0) throw damaged("an object of it has an odd size");
    number += 1;
    return { key, record: { ...(record as StoredBody), file: bodyName(owner, number) } };
  };
  for (const { record } of records[objects.name] ?? []) checkName(record as StoredObject);
  const own = (records[objects.name] ?? []).map(renamed);
  const parts = (records[s3Parts.name] ?? []).map(renamed);
  return { ...records, [objects.name]: own, [s3Parts.name]: parts };
}

function checkName({ bucket, key }: StoredObject): void {
  if (!isBucketName(bucket) || keyError(key)) throw damaged("an object of it has an odd name");
}

/** Rejects with a `StoreError` when a body is not there as its record says. */
export async function checkBodies(
  pool: Pick<Pool, "path" | "files">,
  bodies: readonly Body[],
): Promise<void> {
  const opener = createBodyOpener(pool);
  for (const body of bodies) fs.closeSync((await opener.open(body)).fd);
}

/** Bodies as entries, numbered in the order of their records; each is read when its turn has come. */
export function* bodyEntries(
  prefix: string,
  pool: Pick<Pool, "path">,
  bodies: readonly Body[],
): Generator<PackedEntry> {
  for (const [number, { file, size }] of bodies.entries()) {
    const { path, start } = locateBody(pool, file);
    const stretch = { start, end: start + size - 1, highWaterMark: PIECE_BYTES };
    yield {
      name: `${prefix}${number}`,
      size,
      content: () => (size === 0 ? [] : fs.createReadStream(path, stretch)),
    };
  }
}
