import { createHash } from "node:crypto";
import { readBody } from "../../storage/objects/opened-body.ts";
import type { ObjectStoreCredentials } from "../../subjects/destinations/object-store-client.ts";
import { missingObject } from "../../subjects/object-storage/authorisation.ts";
import { listKeys } from "../../subjects/object-storage/listing.ts";
import { removeObjects, storeObject } from "../../subjects/object-storage/objects.ts";
import { objectId, objects } from "../../subjects/object-storage/records.ts";
import { causeOf, dropObjects, type ObjectStore } from "../object-store.ts";
import { createEmbeddedRequests, failureOf, fillStage, PLAIN } from "./embedded-requests.ts";
import { embeddedUploads } from "./embedded-uploads.ts";
import type { ObjectStoreTransport, TransferLimits } from "./transport.ts";

const MAX_LISTED_KEYS = 100_000;

/** Requests to the embedded store in this process, for one bucket and one key pair. */
export function createEmbeddedTransport(
  store: ObjectStore,
  bucket: string,
  credentials: ObjectStoreCredentials,
  limits: TransferLimits,
): ObjectStoreTransport {
  const { files } = store;
  const requests = createEmbeddedRequests(store, bucket, credentials, limits);

  return {
    ...embeddedUploads(store, requests),

    async putWhole(key, bytes) {
      const claim = requests.admit("PutObject", key);
      if ("failure" in claim) return claim;
      const md5 = createHash("md5");
      const kept = await requests.storeBody(
        claim,
        claim,
        (stage) => fillStage(stage, bytes, (piece) => void md5.update(piece)),
        (turn, body) =>
          storeObject(turn, claim, {
            ...PLAIN,
            ...body,
            size: bytes.length,
            etag: md5.digest("hex"),
            checksums: {},
            checksum_type: "FULL_OBJECT",
          }),
      );
      return "failure" in kept ? kept : { stored: true };
    },

    async size(key) {
      const claim = requests.admit("HeadObject", key);
      if ("failure" in claim) return claim;
      const { reader } = store.world;
      const object = reader.get(objects, objectId(bucket, key));
      return object ? { size: object.size } : failureOf(missingObject(reader, claim));
    },

    async get(key) {
      const claim = requests.admit("GetObject", key);
      if ("failure" in claim) return claim;
      const { reader } = store.world;
      const object = reader.get(objects, objectId(bucket, key));
      const body = object && files.open(object.file);
      return body ? { bytes: await readBody(body) } : failureOf(missingObject(reader, claim));
    },

    async delete(key) {
      const claim = requests.admit("DeleteObject", key);
      if ("failure" in claim) return claim;
      const removed = store.world.turn(causeOf(claim), (turn) => removeObjects(turn, claim, [key]));
      if ("error" in removed) return failureOf(removed);
      dropObjects(store, removed);
      return { deleted: true };
    },

    async list(prefix) {
      const claim = requests.admit("ListObjectsV2", "");
      if ("failure" in claim) return claim;
      const all = [...store.world.reader.list(objects, bucket)].map((object) => object.key);
      return { keys: listKeys(all, { prefix, delimiter: "", after: "", max: MAX_LISTED_KEYS }).keys };
    },
  };
}
