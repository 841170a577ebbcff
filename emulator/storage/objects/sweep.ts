import * as fs from "node:fs";
import { dirname, join } from "node:path";
import type { BodyFile } from "../../subjects/object-storage/records.ts";
import { buckets, objects, s3Parts, s3Uploads } from "../../subjects/object-storage/records.ts";
import type { Reader } from "../../subjects/turn.ts";
import { folderOf } from "./body-name.ts";
import type { CopyOnWrite } from "./copy-on-write.ts";
import { endRemovals } from "./removal.ts";
import { STAGES, UPLOADS } from "./stage.ts";

/**
 * Brings the folder in line with the records: bodies that were committed but not yet renamed get their names,
 * and what no record knows goes, though not from the heirs of the folder. Hands out the highest process number
 * among the names that records hold. Records that were inherited never name a body on its way in here: their
 * process numbers are all lower.
 */
export function sweepFiles(folder: string, reader: Reader, copyOnWrite: CopyOnWrite): number {
  const bodies = [...bodiesIn(reader)];
  const byStage = new Map(bodies.map((body) => [body.stage, body]));
  const files = new Set(bodies.map((body) => body.file));
  endRemovals(folder, files, copyOnWrite);
  for (const stage of namesIn(join(folder, STAGES))) {
    const body = byStage.get(stage);
    const path = join(folder, STAGES, stage);
    if (body) finishRename(path, join(folder, body.file));
    else remove(path);
  }
  sweepUploads(folder, files, copyOnWrite);
  const known = new Set([...reader.list(buckets)].map((bucket) => folderOf(bucket.name)));
  for (const name of namesIn(folder)) {
    if (name === STAGES || name === UPLOADS || known.has(name)) continue;
    copyOnWrite.beforeRemovalBelow(name);
    remove(join(folder, name));
  }
  return bodies.reduce((boot, { stage }) => Math.max(boot, Number.parseInt(stage, 10) || 0), 0);
}

/** Every body that a record knows. */
export function* bodiesIn(reader: Reader): Generator<BodyFile> {
  for (const { name } of reader.list(buckets)) {
    yield* reader.list(objects, name);
    for (const { upload_id } of reader.list(s3Uploads, name)) yield* reader.list(s3Parts, upload_id);
  }
}

function sweepUploads(folder: string, known: ReadonlySet<string>, copyOnWrite: CopyOnWrite): void {
  for (const uploadId of namesIn(join(folder, UPLOADS))) {
    const kept = namesIn(join(folder, UPLOADS, uploadId)).filter((name) => {
      const file = `${UPLOADS}/${uploadId}/${name}`;
      if (known.has(file)) return true;
      copyOnWrite.beforeRemoval(file);
      remove(join(folder, file));
      return false;
    });
    if (kept.length === 0) remove(join(folder, UPLOADS, uploadId));
  }
}

/** The heirs have what stood under the name before: they were given it ahead of the commit. */
function finishRename(from: string, to: string): void {
  fs.mkdirSync(dirname(to), { recursive: true });
  fs.renameSync(from, to);
}

function namesIn(folder: string): readonly string[] {
  return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
}

function remove(path: string): void {
  fs.rmSync(path, { recursive: true, force: true });
}
