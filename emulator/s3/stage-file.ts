import { createHash, type Hash } from "node:crypto";
import type { Bodies } from "../storage/objects/bodies.ts";
import type { BodyStage } from "../storage/objects/stage.ts";
import type { ObjectStoreFailure } from "../subjects/destinations/object-store-client.ts";
import { storeFailure } from "../subjects/destinations/store-failure.ts";
import type { BodyFile, StoredBody } from "../subjects/object-storage/records.ts";
import type { StagedFile } from "../subjects/object-storage/staged.ts";
import { PART_BYTES } from "../subjects/object-storage/uploads.ts";
import { multipartEtag } from "./multipart.ts";

const CHUNK_BYTES = 1024 * 1024;

/** Writes the bodies of a file that a turn will store; a file larger than `partBytes` also in parts of that size. */
export async function stageFile(
  bodies: Pick<Bodies, "stage">,
  bytes: Uint8Array,
  partBytes = PART_BYTES,
): Promise<StagedFile | ObjectStoreFailure> {
  const stages: BodyStage[] = [];
  const write = async (body: Uint8Array, md5?: Hash): Promise<BodyFile> => {
    const stage = bodies.stage();
    stages.push(stage);
    for (let offset = 0; offset < body.length; offset += CHUNK_BYTES) {
      const chunk = body.subarray(offset, offset + CHUNK_BYTES);
      md5?.update(chunk);
      await stage.write(chunk);
    }
    await stage.close();
    return { file: stage.file, sum: stage.sum };
  };
  const writeHashed = async (body: Uint8Array): Promise<StoredBody> => {
    const md5 = createHash("md5");
    const file = await write(body, md5);
    return { ...file, size: body.length, etag: md5.digest("hex"), checksums: {} };
  };
  try {
    if (bytes.length <= partBytes) return { whole: await writeHashed(bytes), parts: [] };
    const parts: StoredBody[] = [];
    for (let offset = 0; offset < bytes.length; offset += partBytes)
      parts.push(await writeHashed(bytes.subarray(offset, offset + partBytes)));
    const file = await write(bytes);
    return { whole: { ...file, size: bytes.length, etag: multipartEtag(parts), checksums: {} }, parts };
  } catch (error) {
    for (const stage of stages) stage.discard();
    return storeFailure({ code: "InternalError", status: 500, message: String(error) });
  }
}
