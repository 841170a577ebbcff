import { createHash } from "node:crypto";
import type { ObjectStoreFailure } from "../../subjects/destinations/object-store-client.ts";
import { isS3Failure } from "../../subjects/object-storage/errors.ts";
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
import { type EmbeddedTransport, failureOf, fillStage, PLAIN } from "./embedded-transport.ts";

/** Puts a large object as a multipart upload; what fails is aborted where that is permitted, and dangles where not. */
export async function putInParts(
  store: ObjectStore,
  transport: EmbeddedTransport,
  key: string,
  bytes: Uint8Array,
  partBytes: number,
): Promise<ObjectStoreFailure | { readonly stored: true }> {
  const claim = transport.admit("CreateMultipartUpload", key);
  if ("failure" in claim) return claim;
  const plan = { ...PLAIN, checksum_algorithm: null, checksum_type: "FULL_OBJECT" } as const;
  const upload = store.world.turn(causeOf(claim), (turn) => startUpload(turn, claim, plan));
  if (isS3Failure(upload)) return failureOf(upload);
  const named: NamedPart[] = [];
  for (let offset = 0; offset < bytes.length; offset += partBytes) {
    const piece = bytes.subarray(offset, offset + partBytes);
    const part = await putPart(transport, upload, named.length + 1, piece);
    if ("failure" in part) return abortAfterFailure(store, transport, upload, part);
    named.push(part);
  }
  const completed = await complete(store, transport, upload, named);
  if ("failure" in completed) return abortAfterFailure(store, transport, upload, completed);
  store.files.removeUpload(upload.upload_id);
  return { stored: true };
}

async function putPart(
  transport: EmbeddedTransport,
  { upload_id, key }: MultipartUpload,
  partNumber: number,
  bytes: Uint8Array,
): Promise<ObjectStoreFailure | NamedPart> {
  const claim = transport.admit("UploadPart", key);
  if ("failure" in claim) return claim;
  const md5 = createHash("md5");
  return transport.storeBody(
    claim,
    { uploadId: upload_id, partNumber },
    (stage) => fillStage(stage, bytes, (piece) => void md5.update(piece)),
    (turn, file) => {
      const etag = md5.digest("hex");
      const body = { ...file, size: bytes.length, etag, checksums: {} };
      const stored = storePart(turn, claim, upload_id, partNumber, body);
      return isS3Failure(stored) ? stored : { part_number: partNumber, etag, checksums: {} };
    },
  );
}

async function complete(
  store: ObjectStore,
  transport: EmbeddedTransport,
  upload: MultipartUpload,
  named: readonly NamedPart[],
): Promise<ObjectStoreFailure | { readonly completed: true }> {
  const claim = transport.admit("CompleteMultipartUpload", upload.key);
  if ("failure" in claim) return claim;
  const { reader } = store.world;
  const found = findUpload(reader, claim, upload.upload_id);
  if (isS3Failure(found)) return failureOf(found);
  const parts = partsNamed(reader, upload.upload_id, named);
  if (isS3Failure(parts)) return failureOf(parts);
  let assembled: Awaited<ReturnType<typeof assemble>> | undefined;
  return transport.storeBody(
    claim,
    claim,
    async (stage) => {
      assembled = await assemble(store.files, stage, upload, parts);
      await stage.close();
    },
    (turn, file) => {
      if (!assembled || isS3Failure(assembled)) return assembled ?? { error: "NoSuchUpload" as const };
      const finished = finishUpload(turn, claim, upload.upload_id, named, { ...assembled, ...file });
      return isS3Failure(finished) ? finished : { completed: true as const };
    },
  );
}

async function abortAfterFailure(
  store: ObjectStore,
  transport: EmbeddedTransport,
  { upload_id, key }: MultipartUpload,
  why: ObjectStoreFailure,
): Promise<ObjectStoreFailure> {
  const claim = transport.admit("AbortMultipartUpload", key);
  if ("failure" in claim) return why;
  const no = store.world.turn(causeOf(claim), (turn) => abortUpload(turn, claim, upload_id));
  if (!no) store.files.removeUpload(upload_id);
  return why;
}
