import { createHash } from "node:crypto";
import { readBody } from "../../storage/objects/opened-body.ts";
import type {
  ObjectStoreClient,
  ObjectStoreCredentials,
} from "../../subjects/destinations/object-store-client.ts";
import { missingObject } from "../../subjects/object-storage/authorisation.ts";
import { listKeys } from "../../subjects/object-storage/listing.ts";
import { removeObjects, storeObject } from "../../subjects/object-storage/objects.ts";
import { objectId, objects } from "../../subjects/object-storage/records.ts";
import { causeOf, type ObjectStore } from "../object-store.ts";
import {
  createEmbeddedTransport,
  failureOf,
  fillStage,
  PLAIN,
  type TransferLimits,
} from "./embedded-transport.ts";
import { putInParts } from "./multipart.ts";

const MAX_LISTED_KEYS = 100_000;

/** The direct door to the embedded store, for one bucket and one key pair. */
export function createEmbeddedClient(
  store: ObjectStore,
  bucket: string,
  credentials: ObjectStoreCredentials,
  limits: TransferLimits,
): ObjectStoreClient {
  const { files } = store;
  const transport = createEmbeddedTransport(store, bucket, credentials, limits);

  return {
    async put(key, bytes) {
      if (bytes.length > limits.partBytes) return putInParts(store, transport, key, bytes, limits.partBytes);
      const claim = transport.admit("PutObject", key);
      if ("failure" in claim) return claim;
      const md5 = createHash("md5");
      const kept = await transport.storeBody(
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
      const claim = transport.admit("HeadObject", key);
      if ("failure" in claim) return claim;
      const { reader } = store.world;
      const object = reader.get(objects, objectId(bucket, key));
      return object ? { size: object.size } : failureOf(missingObject(reader, claim));
    },

    async get(key) {
      const claim = transport.admit("GetObject", key);
      if ("failure" in claim) return claim;
      const { reader } = store.world;
      const object = reader.get(objects, objectId(bucket, key));
      const body = object && files.open(object.file);
      return body ? { bytes: await readBody(body) } : failureOf(missingObject(reader, claim));
    },

    async delete(key) {
      const claim = transport.admit("DeleteObject", key);
      if ("failure" in claim) return claim;
      const removed = store.world.turn(causeOf(claim), (turn) => removeObjects(turn, claim, [key]));
      if ("error" in removed) return failureOf(removed);
      for (const { file } of removed) files.remove(file);
      return { deleted: true };
    },

    async list(prefix) {
      const claim = transport.admit("ListObjectsV2", "");
      if ("failure" in claim) return claim;
      const all = [...store.world.reader.list(objects, bucket)].map((object) => object.key);
      return { keys: listKeys(all, { prefix, delimiter: "", after: "", max: MAX_LISTED_KEYS }).keys };
    },
  };
}
