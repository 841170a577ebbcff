import { createHash } from "node:crypto";
import type { DoorFailure } from "../../subjects/destinations/door.ts";
import { isTrouble } from "../../subjects/object-storage/errors.ts";
import type { MultipartUpload } from "../../subjects/object-storage/records.ts";
import {
  abortUpload,
  findUpload,
  finishUpload,
  type NamedPart,
  partsNamed,
  startUpload,
  storePart,
} from "../../subjects/object-storage/uploads.ts";
import { assemble } from "../effects.ts";
import { causeOf, type ObjectStore } from "../object-store.ts";
import { type Entrance, failureOf, fillStage, PLAIN } from "./entrance.ts";

/** Puts a large object as a multipart upload; what fails is aborted where that is permitted, and dangles where not. */
export async function putInParts(
  store: ObjectStore,
  entrance: Entrance,
  key: string,
  bytes: Uint8Array,
  partBytes: number,
): Promise<DoorFailure | { readonly stored: true }> {
  const claim = entrance.enter("CreateMultipartUpload", key);
  if ("failure" in claim) return claim;
  const plan = { ...PLAIN, checksum_algorithm: null, checksum_type: "FULL_OBJECT" } as const;
  const upload = store.world.turn(causeOf(claim), (turn) => startUpload(turn, claim, plan));
  if (isTrouble(upload)) return failureOf(upload);
  const named: NamedPart[] = [];
  for (let offset = 0; offset < bytes.length; offset += partBytes) {
    const piece = bytes.subarray(offset, offset + partBytes);
    const part = await putPart(entrance, upload, named.length + 1, piece);
    if ("failure" in part) return giveUp(store, entrance, upload, part);
    named.push(part);
  }
  const completed = await complete(store, entrance, upload, named);
  if ("failure" in completed) return giveUp(store, entrance, upload, completed);
  store.files.removeUpload(upload.upload_id);
  return { stored: true };
}

async function putPart(
  entrance: Entrance,
  { upload_id, key }: MultipartUpload,
  partNumber: number,
  bytes: Uint8Array,
): Promise<DoorFailure | NamedPart> {
  const claim = entrance.enter("UploadPart", key);
  if ("failure" in claim) return claim;
  const md5 = createHash("md5");
  return entrance.keep(
    claim,
    { uploadId: upload_id, partNumber },
    (stage) => fillStage(stage, bytes, (piece) => void md5.update(piece)),
    (turn, file) => {
      const etag = md5.digest("hex");
      const body = { ...file, size: bytes.length, etag, checksums: {} };
      const stored = storePart(turn, claim, upload_id, partNumber, body);
      return isTrouble(stored) ? stored : { part_number: partNumber, etag, checksums: {} };
    },
  );
}

async function complete(
  store: ObjectStore,
  entrance: Entrance,
  upload: MultipartUpload,
  named: readonly NamedPart[],
): Promise<DoorFailure | { readonly completed: true }> {
  const claim = entrance.enter("CompleteMultipartUpload", upload.key);
  if ("failure" in claim) return claim;
  const { reader } = store.world;
  const found = findUpload(reader, claim, upload.upload_id);
  if (isTrouble(found)) return failureOf(found);
  const parts = partsNamed(reader, upload.upload_id, named);
  if (isTrouble(parts)) return failureOf(parts);
  let assembled: Awaited<ReturnType<typeof assemble>> | undefined;
  return entrance.keep(
    claim,
    claim,
    async (stage) => {
      assembled = await assemble(store.files, stage, upload, parts);
      await stage.close();
    },
    (turn, file) => {
      if (!assembled || isTrouble(assembled)) return assembled ?? { error: "NoSuchUpload" as const };
      const finished = finishUpload(turn, claim, upload.upload_id, named, { ...assembled, ...file });
      return isTrouble(finished) ? finished : { completed: true as const };
    },
  );
}

async function giveUp(
  store: ObjectStore,
  entrance: Entrance,
  { upload_id, key }: MultipartUpload,
  why: DoorFailure,
): Promise<DoorFailure> {
  const claim = entrance.enter("AbortMultipartUpload", key);
  if ("failure" in claim) return why;
  const no = store.world.turn(causeOf(claim), (turn) => abortUpload(turn, claim, upload_id));
  if (!no) store.files.removeUpload(upload_id);
  return why;
}
