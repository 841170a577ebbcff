import { createHash } from "node:crypto";
import type { Bodies } from "../storage/objects/bodies.ts";
import type { BodyStage } from "../storage/objects/stage.ts";
import type { ObjectStoreFailure } from "../subjects/destinations/object-store-client.ts";
import { storeFailure } from "../subjects/destinations/store-failure.ts";
import type { BodyFile, StoredBody } from "../subjects/object-storage/records.ts";
import type { StagedFile } from "../subjects/object-storage/staged.ts";
import { PART_BYTES } from "../subjects/object-storage/uploads.ts";
import { multipartEtag } from "./effects.ts";

/** Bodies up to this size are written synchronously: the thread pool would take longer. */
const MAX_SYNCHRONOUS_BYTES = 256 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/** Writes the bodies of a file that a turn will store; a file larger than `partBytes` also in parts of that size. */
export async function stageFile(
  bodies: Pick<Bodies, "stage">,
  bytes: Uint8Array,
  partBytes = PART_BYTES,
): Promise<StagedFile | ObjectStoreFailure> {
  const stages: BodyStage[] = [];
  const write = async (chunk: Uint8Array, onChunk: (chunk: Uint8Array) => void): Promise<BodyFile> => {
    const stage = bodies.stage();
    stages.push(stage);
    await writeBody(stage, chunk, onChunk);
    return { file: stage.file, sum: stage.sum };
  };
  const writeHashed = async (chunk: Uint8Array): Promise<StoredBody> => {
    const md5 = createHash("md5");
    const file = await write(chunk, (each) => md5.update(each));
    return { ...file, size: chunk.length, etag: md5.digest("hex"), checksums: {} };
  };
  try {
    if (bytes.length <= partBytes) return { whole: await writeHashed(bytes), parts: [] };
    const parts: StoredBody[] = [];
    for (let offset = 0; offset < bytes.length; offset += partBytes)
      parts.push(await writeHashed(bytes.subarray(offset, offset + partBytes)));
    const file = await write(bytes, () => undefined);
    return { whole: { ...file, size: bytes.length, etag: multipartEtag(parts), checksums: {} }, parts };
  } catch (error) {
    for (const stage of stages) stage.discard();
    return storeFailure({ code: "InternalError", status: 500, message: String(error) });
  }
}

function writeBody(
  stage: BodyStage,
  bytes: Uint8Array,
  onChunk: (chunk: Uint8Array) => void,
): Promise<void> | void {
  if (bytes.length > MAX_SYNCHRONOUS_BYTES) return writeInChunks(stage, bytes, onChunk);
  onChunk(bytes);
  stage.writeWhole(bytes);
}

async function writeInChunks(
  stage: BodyStage,
  bytes: Uint8Array,
  onChunk: (chunk: Uint8Array) => void,
): Promise<void> {
  for (let offset = 0; offset < bytes.length; offset += CHUNK_BYTES) {
    const chunk = bytes.subarray(offset, offset + CHUNK_BYTES);
    onChunk(chunk);
    await stage.write(chunk);
  }
  await stage.close();
}
