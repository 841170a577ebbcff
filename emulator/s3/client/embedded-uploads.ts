import { createHash } from "node:crypto";
import { partFiles } from "../../subjects/object-storage/buckets.ts";
import { isS3Failure } from "../../subjects/object-storage/errors.ts";
import {
  abortUpload,
  findUpload,
  finishUpload,
  partsNamed,
  startUpload,
  storePart,
} from "../../subjects/object-storage/uploads.ts";
import { assemble } from "../effects.ts";
import { causeOf, type ObjectStore } from "../object-store.ts";
import { type EmbeddedRequests, failureOf, fillStage, PLAIN } from "./embedded-requests.ts";
import type { ObjectStoreTransport } from "./transport.ts";

const PLAN = { ...PLAIN, checksum_algorithm: null, checksum_type: "FULL_OBJECT" } as const;
const STORED = { stored: true } as const;

/** The requests of multipart uploads to the embedded store. */
export function embeddedUploads(
  store: ObjectStore,
  requests: EmbeddedRequests,
): Pick<ObjectStoreTransport, "createUpload" | "putPart" | "completeUpload" | "abortUpload"> {
  return {
    async createUpload(key) {
      const claim = requests.admit("CreateMultipartUpload", key);
      if ("failure" in claim) return claim;
      const upload = store.world.turn(causeOf(claim), (turn) => startUpload(turn, claim, PLAN));
      return isS3Failure(upload) ? failureOf(upload) : { key, uploadId: upload.upload_id };
    },

    async putPart({ key, uploadId }, partNumber, bytes) {
      const claim = requests.admit("UploadPart", key);
      if ("failure" in claim) return claim;
      const md5 = createHash("md5");
      return requests.storeBody(
        claim,
        { uploadId, partNumber },
        (stage) => fillStage(stage, bytes, (piece) => void md5.update(piece)),
        (turn, file) => {
          const etag = md5.digest("hex");
          const body = { ...file, size: bytes.length, etag, checksums: {} };
          const stored = storePart(turn, claim, uploadId, partNumber, body);
          return stored ?? { partNumber, etag };
        },
      );
    },

    async completeUpload({ key, uploadId }, stored) {
      const claim = requests.admit("CompleteMultipartUpload", key);
      if ("failure" in claim) return claim;
      const { reader } = store.world;
      const upload = findUpload(reader, claim, uploadId);
      if (isS3Failure(upload)) return failureOf(upload);
      const named = stored.map(({ partNumber, etag }) => ({ part_number: partNumber, etag, checksums: {} }));
      const parts = partsNamed(reader, uploadId, named);
      if (isS3Failure(parts)) return failureOf(parts);
      let files: readonly string[] = [];
      let assembled: Awaited<ReturnType<typeof assemble>> | undefined;
      const completed = await requests.storeBody(
        claim,
        claim,
        async (stage) => {
          assembled = await assemble(store.files, stage, upload, parts);
          await stage.close();
        },
        (turn, file) => {
          if (!assembled || isS3Failure(assembled)) return assembled ?? { error: "NoSuchUpload" as const };
          files = partFiles(turn, uploadId);
          const finished = finishUpload(turn, claim, uploadId, named, { ...assembled, ...file });
          return isS3Failure(finished) ? finished : STORED;
        },
      );
      if (!("failure" in completed)) store.files.drop(files);
      return completed;
    },

    async abortUpload({ key, uploadId }) {
      const claim = requests.admit("AbortMultipartUpload", key);
      if ("failure" in claim) return;
      const files = partFiles(store.world.reader, uploadId);
      const failure = store.world.turn(causeOf(claim), (turn) => abortUpload(turn, claim, uploadId));
      if (!failure) store.files.drop(files);
    },
  };
}
