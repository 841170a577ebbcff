import { integer, object, oneOf, optional, text } from "../../../contracts/spec/fields.ts";
import { cause, control, type FileReply } from "../control-operation.ts";
import { createBucket, dropBucket, listBuckets } from "./buckets.ts";
import { listObjects, objectAt } from "./contents.ts";
import {
  CREDENTIAL,
  CREDENTIAL_CHANGE,
  changeCredential,
  createCredential,
  deleteCredential,
  listCredentials,
} from "./credentials.ts";

const LISTED = 1_000;

/** Buckets and key pairs of the embedded object store; every change takes effect at once. */
export const OBJECT_STORAGE_OPERATIONS = [
  control({
    method: "GET",
    path: "/s3/buckets",
    summary: "List the buckets.",
    run: ({ world }) => listBuckets(world.reader),
  }),
  control({
    method: "POST",
    path: "/s3/buckets",
    summary: "Create a bucket.",
    body: object({ name: text() }),
    run: ({ world }, { body }) =>
      world.turn(cause("s3.bucket.create", body.name), (turn) => createBucket(turn, body.name)),
  }),
  control({
    method: "DELETE",
    path: "/s3/buckets/{name}",
    summary: "Delete a bucket with its objects, even if an export uses it.",
    run({ world }, { path }) {
      const name = path.name ?? "";
      world.turn(cause("s3.bucket.delete", name), (turn) => dropBucket(turn, name));
      return { deleted: name };
    },
  }),
  control({
    method: "GET",
    path: "/s3/buckets/{name}/objects",
    summary: "List the objects of a bucket by key; permissions and faults do not apply.",
    query: {
      prefix: optional(text()),
      delimiter: optional(text()),
      after: optional(text()),
      limit: optional(integer({ minimum: 1, maximum: 10_000, default: LISTED })),
      text: optional(text({ maxLength: 200, title: "only keys that contain this text" })),
    },
    run: ({ world }, { path, query: { limit = LISTED, ...query } }) => {
      const { prefix = "", delimiter = "", after = "", text: part = "" } = query;
      return listObjects(world.reader, path.name ?? "", { prefix, delimiter, after, max: limit }, part);
    },
  }),
  control({
    method: "GET",
    path: "/s3/buckets/{name}/object",
    summary: "Return the body of an object; permissions and faults do not apply.",
    query: { key: text({ minLength: 1 }) },
    async run({ world, readBody }, { path, query }): Promise<FileReply> {
      const object = objectAt(world.reader, path.name ?? "", query.key);
      const headers = {
        "content-type": "application/octet-stream",
        "content-length": String(object.size),
        // What users store never runs or shows on the origin of the console.
        "content-disposition": "attachment",
        "content-security-policy": "default-src 'none'; sandbox",
        "x-content-type-options": "nosniff",
      };
      return { attachment: await readBody(object), headers };
    },
  }),
  control({
    method: "GET",
    path: "/s3/buckets/{name}/parquet",
    summary: "Show an object as a Parquet file: schema, row groups, codecs, statistics and some of its rows.",
    query: {
      key: text({ minLength: 1 }),
      offset: optional(integer({ minimum: 0, default: 0 })),
      limit: optional(integer({ minimum: 1, maximum: 500, default: 50 })),
      text: optional(text({ maxLength: 200, title: "only rows of which a value contains this text" })),
      sort: optional(text({ maxLength: 200, title: "the column that sorts the rows; null is last" })),
      order: optional(oneOf(["asc", "desc"], { default: "asc" })),
    },
    run: ({ world, readParquet }, { path, query: { key, offset = 0, limit = 50, ...choice } }) =>
      readParquet(objectAt(world.reader, path.name ?? "", key), { offset, limit, ...choice }),
  }),
  control({
    method: "GET",
    path: "/s3/credentials",
    summary: "List the key pairs without their secrets.",
    run: ({ world }) => listCredentials(world.reader),
  }),
  control({
    method: "POST",
    path: "/s3/credentials",
    summary: "Create a key pair.",
    body: CREDENTIAL,
    run: ({ world }, { body }) =>
      world.turn(cause("s3.credential.create", body.access_key_id), (turn) => createCredential(turn, body)),
  }),
  control({
    method: "PATCH",
    path: "/s3/credentials/{access_key_id}",
    summary: "Change what a key pair may do, or its secret.",
    body: CREDENTIAL_CHANGE,
    run({ world }, { path, body }) {
      const id = path.access_key_id ?? "";
      return world.turn(cause("s3.credential.change", id), (turn) => changeCredential(turn, id, body));
    },
  }),
  control({
    method: "DELETE",
    path: "/s3/credentials/{access_key_id}",
    summary: "Delete a key pair.",
    run({ world }, { path }) {
      const id = path.access_key_id ?? "";
      world.turn(cause("s3.credential.delete", id), (turn) => deleteCredential(turn, id));
      return { deleted: id };
    },
  }),
] as const;
